//! Errors about options, which the command line may have in another spelling.

use std::fmt;

/// An error about options. [`UsageError::text`] names them as the user wrote them.
#[derive(Debug)]
pub struct UsageError(Vec<(&'static str, String)>);

impl UsageError {
    /// The option, with its dashes, and the text after it.
    pub fn new(option: &'static str, text: impl Into<String>) -> UsageError {
        UsageError(vec![(option, text.into())])
    }

    /// Another option, and the text after it.
    pub fn then(mut self, option: &'static str, text: impl Into<String>) -> UsageError {
        self.0.push((option, text.into()));
        self
    }

    /// The message with these names of the options.
    pub fn text<'n>(&self, name: impl Fn(&'static str) -> &'n str) -> String {
        let parts = self.0.iter();
        parts
            .map(|(option, text)| name(option).to_owned() + text)
            .collect()
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(|option| option))
    }
}

impl std::error::Error for UsageError {}
