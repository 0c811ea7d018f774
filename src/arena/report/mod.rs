//! The results of a tournament as text, JSON and HTML.

pub mod html;
pub mod json;
pub mod text;
