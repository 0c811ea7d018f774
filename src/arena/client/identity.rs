//! What an engine reports about itself in the handshake: its name and its options.

/// What an engine reports about itself in the handshake.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its name, empty if it gives none.
    pub name: String,
    /// Its author, empty if it gives none.
    pub author: String,
    /// The options it declares.
    pub options: Vec<DeclaredOption>,
}

impl Identity {
    /// The option of that name, ignoring case.
    pub fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }
}

/// An option as an engine declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredOption {
    /// Its name.
    pub name: String,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: String,
    /// The words after `default`.
    pub default: String,
    /// The values of a combo.
    pub values: Vec<String>,
    /// The smallest value of a spin.
    pub min: Option<i64>,
    /// The largest value of a spin.
    pub max: Option<i64>,
}
