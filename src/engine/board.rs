//! The board: the game so far, and what may be asked about it.
//!
//! Some things go beyond the rules. In UGI an illegal move in a list makes the position count as finished and lost by its
//! player (the runner cutegames has no rules of its own: only so does it score such a game rightly). Where passes are
//! implicit, what is shown is the position behind a forced pass. Elsewhere the passes that some programs play in a dead
//! position, where nobody can move any more, are taken as what they are: a change of sides in a finished game. And in GTP
//! either colour may move at any time.

use thiserror::Error;

use super::event::{Outcome, View};
use super::options::{Options, PassMove};
use crate::game::{Move, MoveList, NotationError, Player};
use crate::games::any::{self, AnyGame, Record};
use crate::games::discs::Discs;
use crate::games::ggf;
use crate::games::othello::Othello;
use crate::games::transcript::{self, TranscriptError};
use crate::score::Score;

/// What becomes of a move list with an illegal move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnIllegal {
    /// The position before it stays and counts as lost by its player (UGI).
    #[default]
    Forfeit,
    /// The whole list is refused (UCI).
    Refuse,
}

/// How moves and positions are written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Spelling {
    /// As the game itself writes them, passes as option `PassMove` says.
    #[default]
    Native,
    /// As clients of UCI write them (`P@e3`, `e3e3`).
    Uci,
}

/// What a dialect makes of the board, and what it leaves to options.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Conduct {
    /// What becomes of illegal moves.
    pub on_illegal: OnIllegal,
    /// Whether it spells moves as drops where option `UCI_Variant` asks for it.
    pub drops: bool,
    /// Whether it has a spelling of passes of its own, whatever option `PassMove` says.
    pub own_passes: bool,
}

impl Conduct {
    /// The manners that follow from the options.
    pub fn manners(self, options: &Options) -> Manners {
        Manners {
            spelling: if self.drops && options.drops { Spelling::Uci } else { Spelling::Native },
            on_illegal: self.on_illegal,
            pass_move: if self.own_passes { PassMove::Pass } else { options.pass_move },
        }
    }
}

/// How the board is handled.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Manners {
    /// How moves and positions are written.
    pub spelling: Spelling,
    /// What becomes of illegal moves.
    pub on_illegal: OnIllegal,
    /// How passes are written and shown (for [`Spelling::Native`]).
    pub pass_move: PassMove,
}

/// Why a position or a move list was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BoardError {
    /// The position cannot be read.
    #[error(transparent)]
    Position(#[from] NotationError),
    /// A move cannot be played.
    #[error("{error}{}", if *.forfeit { "; the game counts as lost by its player" } else { "" })]
    Moves {
        /// Which one, and why.
        error: TranscriptError,
        /// Whether the position now counts as finished.
        forfeit: bool,
    },
    /// A single move cannot be played.
    #[error("illegal move \"{}\"", crate::game::quoted(.0))]
    Move(String),
    /// There is no move to take back.
    #[error("no move to take back")]
    NothingToUndo,
}

impl BoardError {
    /// The same error, its column counted from the beginning of a line in which `before` characters stood before the
    /// position.
    pub fn in_line(mut self, before: usize) -> BoardError {
        if let BoardError::Position(NotationError::UnreadablePosition { column, .. }) = &mut self {
            *column += before;
        }
        self
    }
}

/// A game on the board.
pub struct Board {
    game: Box<dyn AnyGame>,
    /// Who lost by an illegal move.
    forfeit: Option<Player>,
    /// Passes played in the finished game.
    late_passes: u32,
    /// What stood before each move that was played for a named colour, to be taken back with all that it brought along.
    steps: Vec<(Box<dyn AnyGame>, u32)>,
}

impl Board {
    /// The starting position of the game of that name (of the default game, if there is none).
    pub fn new(name: &str) -> Board {
        Self::of(any::by_name(name).unwrap_or_else(|| Box::new(Record::<Othello>::new())))
    }

    fn of(game: Box<dyn AnyGame>) -> Board {
        Board { game, forfeit: None, late_passes: 0, steps: Vec::new() }
    }

    /// Puts a position on the board and plays moves from it; a game in GGF is played to its end, so that its moves can be
    /// taken back. A position that cannot be read changes nothing.
    pub fn set(&mut self, text: &str, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let mut game = self.game.boxed_clone();
        game.set_position(text)?;
        if let Some(discs) = game.discs().filter(|_| ggf::is_game(text))
            && let Some(Ok(record)) = ggf::games(discs.grid, text).next()
        {
            record.replay(&mut *game).map_err(|error| BoardError::Moves { error, forfeit: false })?;
        }
        self.play_on(Self::of(game), moves, manners)
    }

    /// Plays moves from the present position.
    pub fn play(&mut self, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let present =
            Board { forfeit: self.forfeit, late_passes: self.late_passes, ..Self::of(self.game.boxed_clone()) };
        self.play_on(present, moves, manners)
    }

    /// Plays moves on `board`, which then becomes this one; if they are refused, nothing changes.
    fn play_on(&mut self, mut board: Board, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let start = board.game.boxed_clone();
        let Err(error) = transcript::play_all(&mut *board.game, moves) else {
            *self = board;
            return Ok(());
        };
        if manners.on_illegal == OnIllegal::Forfeit {
            board.forfeit = Some(board.shown(manners).to_move());
            *self = board;
            return Err(BoardError::Moves { error, forfeit: true });
        }
        // Some programs want both passes before a game is over in which nobody can move any more.
        let words: Vec<&str> = moves.split_whitespace().collect();
        for (late, (at, word)) in (1..=2).zip(words.iter().enumerate().rev()) {
            if !start.parse_move(word).is_ok_and(Move::is_pass) {
                break;
            }
            board.game = start.boxed_clone();
            let before = words.get(..at).unwrap_or_default().join(" ");
            if transcript::play_all(&mut *board.game, &before).is_ok() && board.game.outcome().is_some() {
                board.late_passes += late;
                *self = board;
                return Ok(());
            }
        }
        Err(BoardError::Moves { error, forfeit: false })
    }

    /// Plays a move of that colour, whoever's turn it is: a forced pass is filled in, else the turn is simply given to it.
    /// A pass in a finished game is no move but is taken.
    pub fn play_for(&mut self, player: Player, word: &str) -> Result<(), BoardError> {
        let before = (self.game.boxed_clone(), self.late_passes);
        let illegal = || BoardError::Move(word.into());
        let m = self.game.parse_move(word)?;
        if m.is_pass() && self.outcome().is_some() {
            self.late_passes += 1;
        } else {
            give_turn(&mut *self.game, player);
            if self.game.play(m).is_err() {
                (self.game, self.late_passes) = before;
                return Err(illegal());
            }
        }
        self.steps.push(before);
        Ok(())
    }

    /// The position with that colour to move.
    pub fn seen_by(&self, player: Player) -> Box<dyn AnyGame> {
        let mut game = self.game.boxed_clone();
        give_turn(&mut *game, player);
        game
    }

    /// Takes the last move back: an illegal one that ended the game, else the last one played, with the passes that
    /// nobody saw.
    pub fn undo(&mut self, manners: Manners) -> Result<(), BoardError> {
        if self.forfeit.take().is_some() {
            return Ok(());
        }
        if let Some(before) = self.steps.pop() {
            (self.game, self.late_passes) = before;
            return Ok(());
        }
        if self.late_passes > 0 {
            self.late_passes -= 1;
            return Ok(());
        }
        while manners.hides_passes() && self.game.history().last().is_some_and(|m| m.is_pass()) {
            self.game.undo();
        }
        if self.game.undo() { Ok(()) } else { Err(BoardError::NothingToUndo) }
    }

    /// The position as its user sees it: behind a forced pass, where passes are implicit.
    pub fn shown(&self, manners: Manners) -> Box<dyn AnyGame> {
        let mut game = self.game.boxed_clone();
        if manners.hides_passes() && game.moves().contains(&Move::PASS) {
            // A pass that is on the list of legal moves is never refused.
            let _ = game.play(Move::PASS);
        }
        game
    }

    /// How the game ended, if it did.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.forfeit {
            Some(Player::First) => Some(Outcome::SecondWins),
            Some(Player::Second) => Some(Outcome::FirstWins),
            None => self.game.outcome(),
        }
    }

    /// The score of a finished game for the side to move; one lost by an illegal move counts all discs, or as decided.
    pub fn final_score(&self) -> Option<Score> {
        let squares = |discs: Discs| discs.grid.squares.count_ones() as i32;
        match self.forfeit {
            Some(_) => Some(self.game.discs().map_or(-Score::DECIDED, |discs| Score(-100 * squares(discs)))),
            None if self.late_passes % 2 == 1 => self.game.final_score().map(|score| -score),
            None => self.game.final_score(),
        }
    }

    /// The game so far.
    pub fn game(&self) -> &dyn AnyGame {
        &*self.game
    }

    /// The legal moves of the position that is shown; none in a game lost by an illegal move.
    pub fn moves(&self, manners: Manners) -> MoveList {
        if self.forfeit.is_some() { MoveList::new() } else { self.shown(manners).moves() }
    }

    /// Whether the word is a legal move.
    pub fn is_legal(&self, word: &str, manners: Manners) -> bool {
        self.shown(manners).parse_move(word).is_ok_and(|m| self.moves(manners).contains(&m))
    }

    /// The position as text.
    pub fn write_position(&self, manners: Manners) -> String {
        let game = self.shown(manners);
        match manners.spelling {
            Spelling::Native => game.write_position(),
            Spelling::Uci => game.write_uci_position(),
        }
    }

    /// The board for human eyes.
    pub fn view(&self, manners: Manners) -> View {
        let game = self.shown(manners);
        View {
            diagram: game.diagram(),
            position: self.write_position(manners),
            moves: self.moves(manners).into_iter().map(|m| manners.word(&*game, m)).collect(),
            hash: game.hash(),
            result: self.outcome(),
            to_move: game.to_move(),
            rows: game.discs().map(rows).unwrap_or_default(),
            last: game.history().last().filter(|m| !m.is_pass()).map(|&m| game.write_move(m)),
        }
    }
}

/// Makes it that colour's turn: by the pass if that is the only move, else by turning the position.
fn give_turn(game: &mut dyn AnyGame, player: Player) {
    if game.to_move() == player || game.outcome().is_some() || game.play(Move::PASS).is_ok() {
        return;
    }
    if let Some(discs) = game.discs() {
        // Discs on a board are a position whoever is to move.
        let _ = game.set_position(&Discs { to_move: player, ..discs }.write());
    }
}

/// The rows of a board of discs from row 1 on, each square as [`Discs::piece`] names it.
fn rows(discs: Discs) -> Vec<String> {
    let row = |row| (0..discs.grid.size).map(|column| discs.piece(row, column)).collect();
    (0..discs.grid.size).map(row).collect()
}

impl Manners {
    fn hides_passes(self) -> bool {
        self.pass_move == PassMove::Implicit && self.spelling == Spelling::Native
    }

    /// A legal move of the position, written.
    pub fn word(self, game: &dyn AnyGame, m: Move) -> String {
        match (self.spelling, self.pass_move) {
            (Spelling::Uci, _) => game.write_uci_move(m),
            (Spelling::Native, PassMove::Zeros) if m.is_pass() => "0000".into(),
            (Spelling::Native, _) => game.write_move(m),
        }
    }

    /// A line of play from the position, written; hidden passes are left out.
    pub fn words(self, game: &dyn AnyGame, line: &[Move]) -> Vec<String> {
        let mut game = game.boxed_clone();
        let mut words = Vec::with_capacity(line.len());
        for &m in line {
            if !(m.is_pass() && self.hides_passes()) {
                words.push(self.word(&*game, m));
            }
            if game.play(m).is_err() {
                break;
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const IMPLICIT: Manners =
        Manners { spelling: Spelling::Native, on_illegal: OnIllegal::Forfeit, pass_move: PassMove::Implicit };

    /// Moves on the 4x4 board after which the side to move must pass and the game goes on.
    fn with_a_pass_ahead() -> (Board, String) {
        let mut rng = Rng::new(1);
        let mut game = any::by_name("othello4").unwrap();
        let mut moves = Vec::new();
        while !game.moves().contains(&Move::PASS) {
            match rng.choose(&game.moves()) {
                Some(&m) => {
                    moves.push(game.write_move(m));
                    game.play(m).unwrap();
                }
                None => {
                    game.set_start();
                    moves.clear();
                }
            }
        }
        (Board::new("othello4"), moves.join(" "))
    }

    #[test]
    fn forced_passes_are_hidden_where_they_are_implicit() {
        let (mut board, moves) = with_a_pass_ahead();
        board.set("startpos", &moves, IMPLICIT).unwrap();
        let open = Manners::default();
        assert_eq!(board.moves(open).as_slice(), [Move::PASS]);
        assert!(board.is_legal("pass", open) && board.is_legal("0000", open));
        assert!(!board.moves(IMPLICIT).contains(&Move::PASS));
        assert!(!board.is_legal("pass", IMPLICIT));
        assert_ne!(board.shown(open).to_move(), board.shown(IMPLICIT).to_move());

        // A list with the pass and one without lead to the same position.
        let next = board.shown(IMPLICIT).write_move(board.moves(IMPLICIT)[0]);
        board.play(&next, IMPLICIT).unwrap();
        let without = board.write_position(IMPLICIT);
        board.set("startpos", &format!("{moves} pass {next}"), IMPLICIT).unwrap();
        assert_eq!(board.write_position(IMPLICIT), without);

        // Taking back twice undoes the move before the pass as well.
        board.undo(IMPLICIT).unwrap();
        board.undo(IMPLICIT).unwrap();
        let before = moves.rsplit_once(' ').unwrap().0;
        let mut other = Board::new("othello4");
        other.set("startpos", before, open).unwrap();
        assert_eq!(board.write_position(open), other.write_position(open));
    }

    #[test]
    fn an_illegal_move_loses_the_game_or_is_refused() {
        let mut board = Board::new("tictactoe");
        let error = board.set("startpos", "a1 a1", Manners::default()).unwrap_err();
        assert_eq!(error.to_string(), "illegal move \"a1\" at ply 2; the game counts as lost by its player");
        assert_eq!(board.outcome(), Some(Outcome::FirstWins));
        assert!(board.moves(Manners::default()).is_empty());
        board.undo(Manners::default()).unwrap();
        assert_eq!(board.outcome(), None);

        let uci = Manners { on_illegal: OnIllegal::Refuse, ..Manners::default() };
        let before = board.write_position(uci);
        assert!(board.set("startpos", "b2 b2", uci).is_err());
        assert!(board.set("xxx", "", uci).is_err());
        assert_eq!(board.write_position(uci), before);
        assert_eq!(board.outcome(), None);
    }
}
