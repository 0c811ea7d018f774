//! Running engines and playing games: [`process`] (the child process), [`watchdog`] (timeouts),
//! [`session`] (process and protocol), [`clock`], [`game`] (one game), [`worker`] (many games),
//! [`match_log`] (`--log`), [`runner_times`], [`replay`] (a recorded move again).

pub mod adjudicate;
pub mod clock;
pub mod fault;
pub mod game;
pub mod match_log;
pub mod option_check;
pub mod process;
pub mod replay;
pub mod runner_times;
pub mod search_check;
pub mod session;
pub mod watchdog;
pub mod worker;
