//! Errors about options, which the command line may have in another spelling.

use thiserror::Error;

/// An error about options, named with two dashes; [`Translation`] names them as the user wrote them.
///
/// [`Translation`]: crate::arena::translation::Translation
#[derive(Debug, Error)]
#[error("{0}")]
pub struct UsageError(pub String);
