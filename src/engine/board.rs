//! The board: the game so far, and what may be asked about it.
//!
//! Two things go beyond the rules. An illegal move in a list makes the position count as finished and lost by its player
//! (the runner cutegames has no rules of its own: only so does it score such a game rightly). And where passes are
//! implicit, what is shown is the position behind a forced pass.

use thiserror::Error;

use super::event::{Outcome, View};
use super::options::PassMove;
use crate::game::{Move, MoveList, NotationError, Player};
use crate::games::any::{self, AnyGame, Record};
use crate::games::discs::Discs;
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

/// How a dialect wants the board handled.
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
}

impl Board {
    /// The starting position of the game of that name (of the default game, if there is none).
    pub fn new(name: &str) -> Board {
        let game = any::by_name(name).unwrap_or_else(|| Box::new(Record::<Othello>::new()));
        Board { game, forfeit: None }
    }

    /// Puts a position on the board and plays moves from it. A position that cannot be read changes nothing.
    pub fn set(&mut self, text: &str, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let mut game = self.game.boxed_clone();
        game.set_position(text)?;
        let old = Board { game: std::mem::replace(&mut self.game, game), forfeit: self.forfeit.take() };
        self.play_or_restore(old, moves, manners)
    }

    /// Plays moves from the present position.
    pub fn play(&mut self, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let old = Board { game: self.game.boxed_clone(), forfeit: self.forfeit };
        self.play_or_restore(old, moves, manners)
    }

    fn play_or_restore(&mut self, old: Board, moves: &str, manners: Manners) -> Result<(), BoardError> {
        let Err(error) = transcript::play_all(&mut *self.game, moves) else { return Ok(()) };
        let forfeit = manners.on_illegal == OnIllegal::Forfeit;
        if forfeit {
            self.forfeit = Some(self.shown(manners).to_move());
        } else {
            *self = old;
        }
        Err(BoardError::Moves { error, forfeit })
    }

    /// Takes the last move back: an illegal one that ended the game, else the last one played, with the passes that
    /// nobody saw.
    pub fn undo(&mut self, manners: Manners) -> Result<(), BoardError> {
        if self.forfeit.take().is_some() {
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

    /// The score of a game lost by an illegal move: all discs, or a decided game.
    pub fn forfeit_score(&self) -> Option<Score> {
        let squares = |discs: Discs| discs.grid.squares.count_ones() as i32;
        let lost = self.game.discs().map_or(-Score::DECIDED, |discs| Score(-100 * squares(discs)));
        self.forfeit.map(|_| lost)
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
        }
    }
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
