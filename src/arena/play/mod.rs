//! Running engines and playing games: [`process`] (the child process), [`watchdog`] (timeouts),
//! [`session`] (process and protocol), [`start_error`], [`game`] (one game), [`referee`] (its
//! rules), [`worker`] (many games),
//! [`match_log`] (`--log`), [`runner_times`], [`replay`] (a recorded move again).

pub mod game;
pub mod match_log;
pub mod option_check;
pub mod process;
pub mod referee;
pub mod replay;
pub mod runner_times;
pub mod search_check;
pub mod session;
pub mod start_error;
pub mod watchdog;
pub mod worker;
