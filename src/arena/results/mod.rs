//! Records and statistics: [`record`] (one game), [`files`] (the record on disk), [`export`] (PGN
//! and GGF), [`record_check`] (recorded games by the rules), [`standings`],
//! [`match_plan`] (preregistration).

pub mod export;
pub mod files;
pub mod match_plan;
pub mod pgn_file;
pub mod record;
pub mod record_check;
pub mod standings;
