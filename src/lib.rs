//! nullwindow: a game-tree search engine built on null-window search, with a text protocol on stdin and stdout.
//!
//! # The map
//!
//! ```text
//! src/
//!   game/        what a game is: Game, Notation, Move, Score, Player; random numbers whose stream never changes
//!   search/      game-agnostic: textbook/ (to be read first), the production loop, MTD(f), deepening, table, ProbCut, ISA
//!   games/       one folder per game: rules and notation, then policy, evaluation, kernels, endgame; registry.rs: one row each
//!   engine/      requests in, events out: options, board, search thread; no text, no standard streams
//!   protocol/    text: dialects (UGI, UCI, GTP, NBoard), the stdin/stdout driver; client/: the match runner's half
//!   tournament/  the match runner: engines as processes, clocks, records, statistics, reports
//!   train/       self-play, data, fitting of evaluations and statistical cuts
//!   commands/    the command line; one file or folder per subcommand
//!   platform/    what differs between operating systems
//! ```
//!
//! Dependencies run downwards, held by `tests/tidy.rs`:
//! `commands -> tournament, train, protocol -> engine -> games -> search -> game`; every folder may use `platform`. A game's
//! rules and notation use only `game`. Results of experiments are in `measurements.md` files beside the code.
//!
//! # From `go` to `bestmove`
//!
//! 1. [`protocol::line`] cuts stdin into lines; [`protocol::driver`] takes them from a channel.
//! 2. A dialect ([`protocol::ugi`]) parses `go depth 12` into a request ([`engine::request`]); [`protocol::queue`] decides
//!    when it acts.
//! 3. `engine/searches.rs` turns its limits into a job of the search thread ([`engine::worker`]).
//! 4. [`games::registry::think`] finds the game's policy, evaluator and instruction set.
//! 5. [`search::deepening::think`] walks the schedule of (depth, selectivity) pairs within the limits.
//! 6. [`search::production`] closes in on the value of each by MTD(f) ([`search::mtdf`]), the last value being the first guess.
//! 7. [`search::nega_scout::body`] is each null-window search: table, statistical cut, move ordering, recursion.
//! 8. Its policy ([`games::reversi::policy`]) evaluates, orders, prunes and solves leaves by the game's kernels.
//! 9. Finished iterations go back as reports (`engine/reports.rs`) and become events ([`engine::event`]).
//! 10. The dialect formats them as `info` and `bestmove` lines; [`protocol::writer`] owns stdout.

#![allow(rustdoc::private_intra_doc_links, reason = "the documentation is also for readers of the source")]

pub mod commands;
pub mod engine;
pub mod game;
pub mod games;
pub mod platform;
pub mod protocol;
pub mod search;
pub mod tournament;
pub mod train;
