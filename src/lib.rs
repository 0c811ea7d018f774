//! nullwindow: a game-tree search engine built on null-window search, spoken to over stdin and stdout.
//!
//! # The map, in reading order
//!
//! | module | what it is |
//! |---|---|
//! | [`game`], [`score`] | what a game is; what a score is |
//! | [`games`] | the rules and notations: start with [`games::tictactoe`] |
//! | [`rng`] | random numbers whose stream never changes |
//! | [`search`] | game-agnostic: the textbook algorithms, MTD(f), the production loop, the table, deepening |
//! | [`eval`] | cheap evaluators of the small games |
//! | [`engine`] | requests in, events out: options, board, search thread; [`engine::roster`]: which evaluator plays which game |
//! | [`protocol`] | text: lines to requests, events to lines; and its client half, what a match runner says to engines |
//! | [`openings`] | balanced openings for matches |
//! | [`problems`] | endgame problems from self-play |
//! | [`solve`] | exact values of positions from files |
//! | [`tournament`] | the match runner: engines as child processes, clocks, records, statistics |
//! | [`interrupt`] | Ctrl-C on a long job |
//! | [`cli`], [`setup`] | the command line: subcommands, flags, exit codes |
//! | [`compare`] | every algorithm side by side on one position |
//! | [`othello`] | the strong Othello engine: kernels per instruction set, learnt evaluation, midgame policy, exact endgame |
//! | [`scorefour`] | the strong Score Four engine: bitboards, learnt evaluation, its policy of the production loop, the exact solver |
//! | [`train`] | learning from our own games: self-play, fitting the evaluations |
//! | [`explain`] | a search as a tree to look at |
//! | [`reproduce`] | the figures of the documents this project stands on, computed again |
//! | [`mod@bench`] | a fixed set of positions, one number |
//! | [`plot`] | curves as pictures |
//! | [`perft`] | counts lines of play: the check of all rules |
//!
//! # The one direction of dependency
//!
//! Left may use right, never back (`tests/tidy.rs` holds this):
//! `main -> cli -> protocol, tournament, train, tools -> engine -> othello, scorefour, eval -> search -> games -> game, score`.

#![allow(rustdoc::private_intra_doc_links, reason = "the documentation is also for readers of the source")]

pub mod bench;
pub mod cli;
pub mod compare;
pub mod engine;
pub mod eval;
pub mod explain;
pub mod game;
pub mod games;
pub mod interrupt;
pub mod openings;
pub mod othello;
pub mod perft;
pub mod plot;
pub mod problems;
pub mod protocol;
pub mod reproduce;
pub mod rng;
pub mod score;
pub mod scorefour;
pub mod search;
pub mod setup;
pub mod solve;
pub mod tournament;
pub mod train;
