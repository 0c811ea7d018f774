//! nullwindow: a game-tree search engine built on null-window search, with a text protocol on stdin and stdout.
//!
//! # The map
//!
//! ```text
//! src/
//!   game/        what a game is: Game, Notation, Move, Score, Player; random numbers whose stream never changes
//!   search/      game-agnostic: textbook/ (read first), production loop, MTD(f), deepening, threads, ProbCut, ISA
//!   games/       a folder per game: rules, notation, policy, evaluation, kernels, endgame; any.rs lists them all
//!   engine/      requests in, events out: options, board, search thread, strength, accuracy; no text, no streams
//!   protocol/    text: dialects (UGI, UCI, GTP, NBoard), the stdin/stdout driver; client/: the match runner's half
//!   html/        what HTML pages share: templates, boards, their look
//!   tournament/  the match runner: engines as processes, clocks, records, statistics, reports
//!   train/       self-play, data, fitting of evaluations and statistical cuts
//!   commands/    the command line; one file or folder per subcommand
//!   record/      files of results: JSON lines that resume, one writer at a time, files written whole
//!   platform/    what differs between operating systems
//!   logging/     the log: its targets, the logger; dates
//! ```
//!
//! Dependencies run downwards, held by `tests/tidy.rs`:
//! `commands -> tournament, train, protocol -> engine -> games -> search -> game`; `html` uses `games` and is used by
//! `tournament` and `commands`; `record` is used by `tournament`, `train` and `commands`; every folder may use
//! `platform` and `logging`. A game's rules and notation use only `game`. Results of experiments are in
//! `measurements.md` files beside the code.
//!
//! # From `go` to `bestmove`
//!
//! 1. [`protocol::line`] cuts stdin into lines; [`protocol::driver`] takes them from a channel.
//! 2. A dialect ([`protocol::ugi`]) parses `go depth 12` into a request ([`engine::request`]); [`protocol::queue`]
//!    decides when it acts.
//! 3. `engine/searches.rs` turns its limits into a job of the search thread ([`engine::worker`]).
//! 4. [`games::dispatch::think`] finds the game's policy, evaluator and instruction set.
//! 5. [`search::deepening::think`] walks the schedule of (depth, selectivity) pairs within the limits.
//! 6. [`search::production`] closes in on the value of each by MTD(f) ([`search::mtdf`]), the last value being the
//!    first guess.
//! 7. [`search::nega_scout::body`] is each null-window search: table, statistical cut, move ordering, recursion.
//! 8. Its policy ([`games::reversi::policy`]) evaluates, orders, prunes and solves leaves by the game's kernels.
//! 9. Finished iterations go back as reports (`engine/reports.rs`) and become events ([`engine::event`]).
//! 10. The dialect formats them as `info` and `bestmove` lines; [`protocol::writer`] owns stdout.

//! # As a library
//!
//! The items of the crate's root are its interface; the modules are public for the crate's own tests and may change. A
//! game and an evaluation are two traits. Here both players take one to three matches in turn, and the last match wins:
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
//! assert_eq!(best_move(&Nim::start(), &Unknown, &Limits::default()).best_move(), Some(Move::to(1)));
//! ```

#![allow(rustdoc::private_intra_doc_links, reason = "the documentation is also for readers of the source")]

#[doc(hidden)]
pub mod commands;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod games;
#[doc(hidden)]
pub mod html;
#[doc(hidden)]
pub mod logging;
#[doc(hidden)]
pub mod platform;
#[doc(hidden)]
pub mod protocol;
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod tournament;
#[doc(hidden)]
pub mod train;

pub use game::score::{Bound, Score};
pub use game::{Game, MAX_MOVES, Move, MoveList, Notation, NotationError, Outcome, Player, outcome};
pub use games::reversi::Othello;
pub use games::score_four::ScoreFour;
pub use games::tictactoe::TicTacToe;
pub use search::best_move::{best_move, search_game};
pub use search::policy::Evaluate;
pub use search::stop::SearchControl;
pub use search::table::Table;
pub use search::{Answer, Certainty, Clock, Limits, Observer, Progress, RootMove};
