//! The board: the game so far, queries about it, and the notation of moves and positions.
//!
//! It adds what protocols need beyond the rules. In UGI an illegal move in a list loses the game:
//! the match runner cutegames does not know the rules and would otherwise score such a game
//! wrongly. With implicit passes the position after a forced pass is shown. Other protocols accept
//! passes after the end of a game (some programs require two), which only change the side to move. In
//! GTP either color may move at any time.

use thiserror::Error;

use super::event::{BoardView, Info, Outcome, Progress, ProvenEnd};
use super::options::{MoveFormat, Options};
use crate::game::score::Score;
use crate::game::{Move, MoveList, NotationError, Player};
use crate::games::any::{self, AnyGame};
use crate::games::opening_names::opening_name;
use crate::games::record::{self, EntryError, TranscriptError};
use crate::games::reversi::discs::Discs;

/// The part of the session settings that a dialect fixes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DialectRules {
    /// Whether a move list with an illegal move is rejected as a whole; else the moves before it
    /// are played, and its player loses the game (UGI).
    pub rejects_lists: bool,
    /// Whether moves are written as drops if option `UCI_Variant` requires it.
    pub uses_drops: bool,
    /// Whether it is for games with discs only. It then has its own notation of passes, so that
    /// option `PassMove` has no effect.
    pub discs_only: bool,
}

impl DialectRules {
    /// The session settings under these options.
    pub fn settings(self, options: &Options) -> SessionSettings {
        let format = match options.pass_move {
            _ if self.uses_drops && options.drops => MoveFormat::Uci,
            _ if self.discs_only => MoveFormat::Native,
            pass_move => pass_move,
        };
        SessionSettings {
            format,
            rejects_lists: self.rejects_lists,
        }
    }
}

/// The current session settings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SessionSettings {
    /// The notation of moves and positions.
    pub format: MoveFormat,
    /// [`DialectRules::rejects_lists`].
    pub rejects_lists: bool,
}

impl SessionSettings {
    /// Whether forced passes are played automatically and never written.
    pub fn hides_passes(self) -> bool {
        self.format == MoveFormat::ImplicitPass
    }

    /// A legal move of the position as text.
    pub fn write_move(self, game: &AnyGame, m: Move) -> String {
        match self.format {
            MoveFormat::Uci => game.write_uci_move(m),
            MoveFormat::ZeroPass if m.is_pass() => "0000".into(),
            _ => game.write_move(m),
        }
    }

    /// A move sequence from the position as text, without hidden passes.
    pub fn write_line(self, game: &AnyGame, line: &[Move]) -> Vec<String> {
        let mut game = game.clone();
        let mut words = Vec::with_capacity(line.len());
        for &m in line {
            if !(m.is_pass() && self.hides_passes()) {
                words.push(self.write_move(&game, m));
            }
            if game.play(m).is_err() {
                break;
            }
        }
        words
    }

    /// The line of a search report; its score is that of the side to move at the root.
    pub fn info(self, root: &AnyGame, report: Progress) -> Info {
        let score = report.score.seen_from(root.stones());
        Info {
            pv: self.write_line(root, &report.pv),
            mover: root.to_move(),
            is_repeat: false,
            end: proven_end(root, report.score, report.pv.first().copied()),
            report: Progress { score, ..report },
        }
    }

    /// The position as text.
    pub fn write_position(self, game: &AnyGame) -> String {
        if self.format == MoveFormat::Uci {
            game.write_uci_position()
        } else {
            game.write_position()
        }
    }
}

/// The end of the game, if a line with this score and first move certainly reaches it. Without a
/// move the game is over: each search has a first move.
fn proven_end(root: &AnyGame, score: Score, first: Option<Move>) -> Option<ProvenEnd> {
    if score.is_decided() {
        let plies = Score::DECIDED.0 - score.seen_from(root.stones()).0.abs();
        return Some(ProvenEnd {
            plies: plies.unsigned_abs(),
            result: score.cmp(&Score::ZERO),
        });
    }
    let Some(first) = first else {
        return Some(ProvenEnd {
            plies: 0,
            result: score.cmp(&Score::ZERO),
        });
    };
    let mut game = root.clone();
    game.play(first).ok()?;
    game.final_score().map(|score| ProvenEnd {
        plies: 1,
        result: Score::ZERO.cmp(&score),
    })
}

/// Why a position or a move list was rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BoardError {
    /// The position cannot be parsed.
    #[error(transparent)]
    Position(#[from] NotationError),
    /// A move of a list is illegal.
    #[error("{error}{}", if *.forfeit { "; the game counts as lost by its player" } else { "" })]
    Moves {
        /// Which move, and why.
        error: TranscriptError,
        /// Whether the game now counts as finished.
        forfeit: bool,
    },
    /// A move is illegal.
    #[error("illegal move \"{}\"", crate::game::quoted(.0))]
    Move(String),
    /// There is no move to undo.
    #[error("no move to undo")]
    NothingToUndo,
}

impl BoardError {
    /// The same error with its column relative to a line in which `before` characters precede the
    /// position.
    pub fn in_line(mut self, before: usize) -> BoardError {
        if let BoardError::Position(NotationError::UnreadablePosition { column, .. }) = &mut self {
            *column += before;
        }
        self
    }
}

/// The game on the board.
pub struct Board {
    game: AnyGame,
    /// How it is written, and the effect of illegal moves.
    pub settings: SessionSettings,
    /// The player who lost by an illegal move.
    forfeit: Option<Player>,
    /// Passes played after the end of the game.
    late_passes: u32,
    /// Undo stack of [`Board::play_for`], which may change more than one ply: game and late passes
    /// before each move.
    undo_stack: Vec<(AnyGame, u32)>,
}

impl Board {
    /// The starting position of the named game (of the default game, if the name is unknown).
    pub fn new(name: &str, settings: SessionSettings) -> Board {
        Self::of(any::by_name(name).unwrap_or_default(), settings)
    }

    fn of(game: AnyGame, settings: SessionSettings) -> Board {
        Board {
            game,
            settings,
            forfeit: None,
            late_passes: 0,
            undo_stack: Vec::new(),
        }
    }

    /// Sets a position and plays moves from it. A game or a list of moves as position is replayed,
    /// so that its moves can be undone. If the position cannot be parsed, nothing changes.
    pub fn set(&mut self, text: &str, moves: &str) -> Result<(), BoardError> {
        let entry = record::parse(&self.game, text).map_err(|error| match error.reason {
            TranscriptError::Position(error) => BoardError::Position(error),
            error => BoardError::Moves {
                error,
                forfeit: false,
            },
        })?;
        self.play_on(Self::of(entry.game, self.settings), moves)
    }

    /// Plays moves from the current position.
    pub fn play(&mut self, moves: &str) -> Result<(), BoardError> {
        if let (Some(_), Some(word)) = (self.forfeit, moves.split_whitespace().next()) {
            return Err(BoardError::Move(word.into()));
        }
        self.play_on(
            Board {
                game: self.game.clone(),
                undo_stack: Vec::new(),
                ..*self
            },
            moves,
        )
    }

    /// Plays moves on `board` and replaces `self` by it; if they are rejected, nothing changes.
    fn play_on(&mut self, mut board: Board, moves: &str) -> Result<(), BoardError> {
        let start = board.game.clone();
        let moves = &*record::narrow(moves);
        let Err(EntryError { reason: error, .. }) = record::play_all(&mut board.game, moves) else {
            *self = board;
            return Ok(());
        };
        if !self.settings.rejects_lists {
            board.forfeit = Some(board.shown().to_move());
            *self = board;
            return Err(BoardError::Moves {
                error,
                forfeit: true,
            });
        }
        // Some programs play both passes in a position where neither side can move.
        let mut words: Vec<&str> = moves.split_whitespace().collect();
        for late in 1..=2 {
            if !words
                .pop()
                .is_some_and(|word| start.parse_move(word).is_ok_and(Move::is_pass))
            {
                break;
            }
            board.game = start.clone();
            if record::play_all(&mut board.game, &words.join(" ")).is_ok()
                && board.game.outcome().is_some()
            {
                board.late_passes += late;
                *self = board;
                return Ok(());
            }
        }
        Err(BoardError::Moves {
            error,
            forfeit: false,
        })
    }

    /// Plays a move of `player`, regardless of the side to move: a forced pass is inserted, else
    /// the side to move is switched. A pass in a finished game is accepted.
    pub fn play_for(&mut self, player: Player, word: &str) -> Result<(), BoardError> {
        let m = self.game.parse_move(word)?;
        let (mut game, mut late_passes) = (self.with_mover(player), self.late_passes);
        if m.is_pass() && self.outcome().is_some() {
            late_passes += 1;
        } else if game.play(m).is_err() {
            return Err(BoardError::Move(word.into()));
        }
        self.undo_stack
            .push((std::mem::replace(&mut self.game, game), self.late_passes));
        self.late_passes = late_passes;
        Ok(())
    }

    /// The position with `player` to move.
    pub fn with_mover(&self, player: Player) -> AnyGame {
        let mut game = self.game.clone();
        set_mover(&mut game, player);
        game
    }

    /// Undoes the last move: an illegal one that ended the game, else the last one played, with
    /// hidden passes after it.
    pub fn undo(&mut self) -> Result<(), BoardError> {
        if self.forfeit.take().is_some() {
            return Ok(());
        }
        if let Some(before) = self.undo_stack.pop() {
            (self.game, self.late_passes) = before;
            return Ok(());
        }
        if self.late_passes > 0 {
            self.late_passes -= 1;
            return Ok(());
        }
        let hides_passes = self.settings.hides_passes();
        let moves = self.game.history().iter();
        let is_shown = |m: &Move| !(hides_passes && m.is_pass());
        let Some(last) = moves.clone().rposition(is_shown) else {
            return Err(BoardError::NothingToUndo);
        };
        for _ in last..moves.len() {
            self.game.undo();
        }
        Ok(())
    }

    /// The position as it is shown: after a forced pass, if passes are implicit, and after late
    /// passes.
    pub fn shown(&self) -> AnyGame {
        let mut game = self.game.clone();
        if self.late_passes % 2 == 1 {
            let player = game.to_move().other();
            set_turn(&mut game, player);
        }
        if self.settings.hides_passes() && game.moves().contains(&Move::PASS) {
            // Cannot fail: the pass is legal.
            let _ = game.play(Move::PASS);
        }
        game
    }

    /// The outcome, if the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.forfeit {
            Some(loser) => Some(Outcome::win(loser.other())),
            None => self.game.outcome(),
        }
    }

    /// The score of a finished game for the side to move; a game lost by an illegal move counts as
    /// lost by all squares, or as lost at this ply.
    pub fn final_score(&self) -> Option<Score> {
        match self.forfeit {
            Some(_) => Some(match self.game.discs() {
                Some(discs) => Score(-100 * discs.grid.squares.count_ones() as i32),
                None => Score::lost_at(self.game.stones()),
            }),
            None if self.late_passes % 2 == 1 => self.game.final_score().map(|score| -score),
            None => self.game.final_score(),
        }
    }

    /// The position before the first move.
    pub fn start(&self) -> AnyGame {
        let mut start = self.game.clone();
        while start.undo() {}
        start
    }

    /// The moves played from there, forced passes included if they are shown.
    pub fn history(&self) -> Vec<String> {
        let mut past = self.start();
        let word = |&m: &Move| {
            let word = self.settings.write_move(&past, m);
            let _ = past.play(m); // cannot fail: it was played before
            (!(self.settings.hides_passes() && m.is_pass())).then_some(word)
        };
        self.game.history().iter().filter_map(word).collect()
    }

    /// The game so far.
    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// The legal moves of the position that is shown; none after a forfeit.
    pub fn moves(&self) -> MoveList {
        if self.forfeit.is_some() {
            MoveList::new()
        } else {
            self.shown().moves()
        }
    }

    /// Whether `word` is a legal move.
    pub fn is_legal(&self, word: &str) -> bool {
        self.shown()
            .parse_move(word)
            .is_ok_and(|m| self.moves().contains(&m))
    }

    /// The position as text.
    pub fn write_position(&self) -> String {
        self.settings.write_position(&self.shown())
    }

    /// The diagram of the position that is shown, without marks of legal moves after a forfeit.
    pub fn diagram(&self) -> String {
        let diagram = self.shown().diagram();
        match self.forfeit {
            Some(_) => diagram.replace('+', "."),
            None => diagram,
        }
    }

    /// The board as it is displayed.
    pub fn view(&self) -> BoardView {
        let game = self.shown();
        BoardView {
            diagram: self.diagram(),
            position: self.write_position(),
            moves: self
                .moves()
                .into_iter()
                .map(|m| self.settings.write_move(&game, m))
                .collect(),
            hash: game.hash(),
            opening: opening_name(&game),
            result: self.outcome(),
            to_move: game.to_move(),
            rows: game.discs().map(rows).unwrap_or_default(),
            last: game
                .history()
                .last()
                .filter(|m| !m.is_pass())
                .map(|&m| game.write_move(m)),
        }
    }
}

/// Makes `player` the side to move: by a pass if that is the only move, else by editing the
/// position.
fn set_mover(game: &mut AnyGame, player: Player) {
    if game.to_move() == player || game.outcome().is_some() || game.play(Move::PASS).is_ok() {
        return;
    }
    set_turn(game, player);
}

/// Gives a player the turn by editing the position, in games with discs.
fn set_turn(game: &mut AnyGame, player: Player) {
    if let Some(discs) = game.discs() {
        // Cannot fail: discs on a board are a position with either side to move.
        let _ = game.set_position(
            &Discs {
                to_move: player,
                ..discs
            }
            .write(),
        );
    }
}

/// The rows of a disc board from row 1 on, squares written by [`Discs::piece`].
fn rows(discs: Discs) -> Vec<String> {
    let row = |row| {
        (0..discs.grid.size)
            .map(|column| discs.piece(row, column))
            .collect()
    };
    (0..discs.grid.size).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rng::Rng;

    const IMPLICIT: SessionSettings = SessionSettings {
        format: MoveFormat::ImplicitPass,
        rejects_lists: false,
    };

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
        (Board::new("othello4", IMPLICIT), moves.join(" "))
    }

    #[test]
    fn forced_passes_are_hidden_where_they_are_implicit() {
        let (mut board, moves) = with_a_pass_ahead();
        board.set("startpos", &moves).unwrap();
        assert!(!board.moves().contains(&Move::PASS));
        assert!(!board.is_legal("pass"));
        let to_move = board.shown().to_move();
        board.settings = SessionSettings::default();
        assert_eq!(board.moves().as_slice(), [Move::PASS]);
        assert!(board.is_legal("pass") && board.is_legal("0000"));
        assert_ne!(board.shown().to_move(), to_move);
        board.settings = IMPLICIT;

        // A list with the pass and one without lead to the same position.
        let next = board.shown().write_move(board.moves()[0]);
        board.play(&next).unwrap();
        let without = board.write_position();
        board
            .set("startpos", &format!("{moves} pass {next}"))
            .unwrap();
        assert_eq!(board.write_position(), without);

        // Taking back twice undoes the move before the pass as well.
        board.undo().unwrap();
        board.undo().unwrap();
        let before = moves.rsplit_once(' ').unwrap().0;
        let mut other = Board::new("othello4", SessionSettings::default());
        other.set("startpos", before).unwrap();
        board.settings = SessionSettings::default();
        assert_eq!(board.write_position(), other.write_position());
    }

    #[test]
    fn passes_after_the_end_change_the_side_to_move() {
        let settings = SessionSettings {
            rejects_lists: true,
            ..SessionSettings::default()
        };
        let mut board = Board::new("othello", settings);
        let positions = ["8/8/8/8/8/8/8/x7 x", "8/8/8/8/8/8/8/x7 o"];
        for (passes, moves) in ["", "pass", "pass pass"].into_iter().enumerate() {
            board.set(positions[0], moves).unwrap();
            for late in [passes, passes + 1, passes] {
                assert_eq!(
                    board.write_position(),
                    positions[late % 2],
                    "{moves}, {late}"
                );
                let view = board.view();
                assert_eq!(
                    (view.to_move == Player::First, view.last),
                    (late % 2 == 0, None)
                );
                assert_eq!(board.final_score(), Some(Score([6_400, -6_400][late % 2])));
                assert_eq!(board.outcome(), Some(Outcome::FirstWins));
                if late == passes {
                    board.play("pass").unwrap()
                } else {
                    board.undo().unwrap()
                }
            }
        }
    }

    #[test]
    fn an_illegal_move_loses_the_game_or_is_refused() {
        let mut board = Board::new("tictactoe", SessionSettings::default());
        let error = board.set("startpos", "a1 a1").unwrap_err();
        assert_eq!(
            error.to_string(),
            "illegal move \"a1\" at ply 2; the game counts as lost by its player"
        );
        assert_eq!(board.outcome(), Some(Outcome::FirstWins));
        assert!(board.moves().is_empty());
        board.undo().unwrap();
        assert_eq!(board.outcome(), None);

        board.settings.rejects_lists = true;
        let before = board.write_position();
        assert!(board.set("startpos", "b2 b2").is_err());
        assert!(board.set("xxx", "").is_err());
        assert_eq!(board.write_position(), before);
        assert_eq!(board.outcome(), None);
    }
}
