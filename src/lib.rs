//! A game-tree search engine as a library: MTD(f) and NegaScout for Othello, Score Four, tic-tac-toe
//! and any other two-player game of perfect information.
//!
//! A game implements [`Game`], an evaluation implements [`Evaluate`], and [`best_move`] searches.
//! Here both players take one to three matches in turn, and the player who takes the last match
//! wins:
//!
//! ```
//! use nullwindow::{Evaluate, Game, Limits, Move, MoveList, Player, Score, best_move};
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
//! struct Nim(u8, Player);
//! impl Game for Nim {
//!     const NAME: &'static str = "nim";
//!     const GRAIN: i32 = 1;
//!     fn start() -> Self { Nim(21, Player::First) }
//!     fn to_move(&self) -> Player { self.1 }
//!     fn moves(&self) -> MoveList { (1..=self.0.min(3)).map(Move::to).collect() }
//!     fn play(&self, m: Move) -> Self { Nim(self.0 - m.square(), self.1.other()) }
//!     fn final_score(&self) -> Option<Score> { (self.0 == 0).then_some(Score(-1)) }
//!     fn plies_left(&self) -> u8 { self.0 }
//!     fn packed(&self) -> [u64; 2] { [u64::from(self.0), 0] }
//! }
//! #[derive(Clone)]
//! struct Unknown;
//! impl Evaluate<Nim> for Unknown {
//!     type Data = ();
//!     const GRAIN: i32 = 1;
//!     fn fresh(&self, _: &Nim) {}
//!     fn score(&self, _: &Nim, _: ()) -> Score { Score(0) }
//! }
//!
//! let found = best_move(&Nim::start(), &Unknown, &Limits::default());
//! assert_eq!(found.best_move(), Some(Move::to(1)));
//! ```
//!
//! [`search_game`] keeps a [`Table`] from one search to the next, reports every iteration and can be
//! stopped. The engine of the program, for its own games, has two forms: a [`GameEngine`] has typed
//! positions, limits and answers; a [`Session`] has the lines of the text protocols.
//! Without default features the library is the engine alone; feature `weights` puts the trained weights
//! into it, `with_weights` gets them from elsewhere.
//!
//! The items on this page are the public interface (`tests/public_api.txt` lists it); the modules
//! behind them are internal and change without notice.
//!
//! # From `go` to `bestmove`
//!
//! 1. `protocol/line.rs` splits stdin into lines, and `protocol/driver.rs` passes them to a session
//!    (`protocol/session.rs`).
//! 2. A dialect (`protocol/ugi/mod.rs`) parses `go depth 12` into a request (`engine/request.rs`),
//!    and `protocol/queue.rs` decides when the request takes effect.
//! 3. `engine/mod.rs` turns the limits into a job for the search thread (`engine/worker.rs`).
//! 4. `games/dispatch.rs` selects the game, and `games/spec.rs` its policy, evaluator and instruction
//!    set.
//! 5. `search/deepening.rs` walks the schedule of (depth, selectivity) pairs until a limit ends it.
//! 6. `search/production.rs` finds the value of each pair by MTD(f) (`search/mtdf.rs`), with the
//!    previous value as the first guess.
//! 7. `search/core/nega_scout.rs` runs each null-window search: table, statistical cut, move
//!    ordering, recursion.
//! 8. The policy (`games/reversi/policy/mod.rs`) evaluates, orders, prunes, and solves leaves in
//!    the game's kernels.
//! 9. Finished iterations return as reports (`engine/worker.rs`), and `engine/active_search.rs`
//!    turns them into events (`engine/event.rs`).
//! 10. The dialect formats events as `info` and `bestmove` lines, and `protocol/writer.rs` writes
//!     them to stdout.
//!
//! # The map
//!
//! Each folder uses only the folders to its right (checked by `tests/tidy.rs`):
//! `cli -> lab -> commands -> arena -> protocol -> engine -> book -> games -> search -> game`. `arena`,
//! `commands` and `lab` also use `html`, which uses `games`; they and `book` use `storage`. Every folder may use
//! `platform` and `logging`; `logging` and `storage` use `game`. `setup.rs`, the flags of all
//! commands, is above `protocol`. The rules and notation of a game use only `game`. Measurements are
//! in `measurements.md` files beside the code. Feature `cli` (default) adds `cli`, `lab`, `commands`,
//! `arena`, `html`, `storage`, and parts of `platform` and `logging`.
//!
//! ```text
//! src/
//!   game/        the traits: Game, Notation, Move, Score, Player; reproducible random numbers
//!   search/      game-agnostic: textbook/ (read it first), core/ (production loop, ISA, threads),
//!                MTD(f), deepening, table, ProbCut
//!   games/       one folder per game: rules, notation, policy, evaluation, kernels, endgame;
//!                any.rs lists them
//!   book/        the opening book: file, values, choice of a move, imports
//!   engine/      requests in, events out: options, board, search thread, strength; no text, no
//!                streams
//!   protocol/    text: the dialects UGI, UCI, GTP, NBoard, a session of one, the stdin/stdout driver
//!   arena/       the match runner: client/ (the other side of the protocols), elo/, rules/, config/,
//!                results/, play/, report/, compliance/
//!   commands/    the commands of users: solving, proofs, analysis of games, conversion, and those
//!                that explain or compare searches
//!   lab/         the commands under `lab`: self-play, training, measurements, parts of cluster jobs
//!   cli/         the command line: arguments, usage, subcommands
//!   html/        templates, boards and styles of HTML pages
//!   storage/     result files: resumable JSON lines, one writer at a time, atomic replacement
//!   platform/    differences between operating systems
//!   logging/     log targets, the logger, dates
//! ```

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is also for readers of the source"
)]

// Public for the crate's own tests. CI also compiles them as private modules, since the compiler
// reports no dead code in public ones (.ci/run).
#[cfg(not(nullwindow_private))]
#[doc(hidden)]
pub use internal::*;
#[cfg(nullwindow_private)]
use internal::*;

#[doc(hidden)]
#[path = ""]
mod internal {
    #[cfg(feature = "cli")]
    pub mod arena;
    pub mod book;
    #[cfg(feature = "cli")]
    pub mod cli;
    #[cfg(feature = "cli")]
    pub mod commands;
    pub mod engine;
    pub mod game;
    pub mod games;
    #[cfg(feature = "cli")]
    pub mod html;
    #[cfg(feature = "cli")]
    pub mod lab;
    pub mod logging;
    pub mod platform;
    pub mod protocol;
    pub mod search;
    #[cfg(feature = "cli")]
    pub mod setup;
    #[cfg(feature = "cli")]
    pub mod storage;
}

// What src/main.rs uses.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use internal::cli::main;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use internal::platform::memory::ExitingAllocator;

pub use engine::game_engine::GameEngine;
pub use engine::options::OptionError;
pub use game::score::{Bound, Score, Window};
pub use game::{
    Game, IllegalMove, MAX_MOVES, Move, MoveList, Notation, NotationError, Outcome, Player, outcome,
};
pub use games::any::{AnyGame, AnyPosition, NAMES as GAME_NAMES, by_name as game_by_name};
pub use games::reversi::Othello;
pub use games::score_four::ScoreFour;
pub use games::tictactoe::TicTacToe;
pub use protocol::session::Session;
pub use search::core::policy::Evaluate;
pub use search::generic_policy::{best_move, search_game};
pub use search::stats::Counters;
pub use search::stop::SearchControl;
pub use search::table::Table;
pub use search::{Answer, Certainty, Clock, Goal, Limits, Observer, Progress, RootMove, Stops};
