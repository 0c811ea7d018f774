//! Shared parts of the HTML pages: templates, escaping, tables, number formatting, boards
//! ([`board`] and `board.js`), the replay of games (`replay.js`), the base style (`base.css`) and
//! plots in SVG ([`plot`]). A page is one self-contained file that needs no network, and its content
//! security policy allows none: its own style and script run, by their hashes, and nothing else.

use std::collections::HashMap;
use std::fmt::Display;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

pub mod board;
pub mod plot;

/// The base style of all pages.
pub const BASE_STYLE: &str = include_str!("base.css");
/// The script that draws boards.
pub const BOARD_SCRIPT: &str = include_str!("board.js");

/// The script of pages that replay games: buttons, keys, score axes, the list of games.
pub const REPLAY_SCRIPT: &str = include_str!("replay.js");
/// The style of those pages.
pub const REPLAY_STYLE: &str = include_str!("replay.css");
/// The buttons of that script.
pub const REPLAY_BUTTONS: &str = include_str!("replay_buttons.html");

/// JSON for a script element. Escapes `<`, which could end the element.
///
/// # Errors
/// If the value cannot be serialized.
pub fn embedded_json(value: &impl serde::Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

/// Fills the template of a page: `{{style}}`, `{{script}}`, their `{{policy}}`, and further parts.
pub fn fill_page(
    template: &str,
    [style, script]: [&[&str]; 2],
    parts: Vec<(&'static str, String)>,
) -> String {
    // The hash is that of the text as browsers read it.
    let [style, script] = [style, script].map(|texts| texts.concat().replace("\r\n", "\n"));
    let mut parts = parts;
    parts.extend([
        ("policy", policy(&style, &script)),
        ("style", style),
        ("script", script),
    ]);
    fill_template(template, &parts)
}

/// The content security policy of a page with one style and one script.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// Replaces each `{{name}}` with the part of that name. Placeholders inside parts are not replaced.
fn fill_template(template: &str, parts: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, tail)) = rest.split_once("{{") {
        text.push_str(before);
        let (name, after) = tail.split_once("}}").unwrap_or((tail, ""));
        if let Some((_, part)) = parts.iter().find(|(part_name, _)| *part_name == name) {
            text.push_str(part);
        }
        rest = after;
    }
    text + rest
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A table of HTML cells; the columns of numbers are aligned to the right, those of text to the
/// left. On a narrow screen the style shows each row as a list of titled cells.
pub fn table(titles: &[impl Display], text_columns: &[usize], rows: &[Vec<String>]) -> String {
    let class = |column: usize| {
        if text_columns.contains(&column) {
            " class=left"
        } else {
            ""
        }
    };
    let titled = || {
        titles
            .iter()
            .enumerate()
            .map(|(column, title)| (class(column), title))
    };
    let mut html = String::from("<div class=scroll><table class=lists><tr>");
    html.extend(titled().map(|(class, title)| format!("<th{class}>{title}</th>")));
    html.push_str("</tr>\n");
    for row in rows {
        html.push_str("<tr>");
        html.extend(titled().zip(row).map(|((class, title), cell)| {
            format!("<td{class} data-title=\"{title}\">{cell}</td>")
        }));
        html.push_str("</tr>\n");
    }
    html + "</table></div>\n"
}

/// A list of distinct texts. JSON for scripts has their indices instead of the texts.
#[derive(Default)]
pub struct TextList {
    indices: HashMap<String, usize>,
}

impl TextList {
    /// The index of a text, which is added if it is new.
    pub fn index_of(&mut self, text: String) -> usize {
        let next = self.indices.len();
        *self.indices.entry(text).or_insert(next)
    }

    /// The texts by index.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = vec![""; self.indices.len()];
        self.indices
            .iter()
            .for_each(|(text, &index)| texts[index] = text);
        texts
    }
}

/// A number with thousands separators.
pub fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect::<Vec<_>>()
        .join("\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_allows_the_style_and_the_script_of_the_page_alone() {
        let template =
            "<meta content=\"{{policy}}\"><style>{{style}}</style><script>{{script}}</script>{{a}}";
        let page = fill_page(
            template,
            [&["a", "b\r\n"], &[]],
            vec![("a", "{{policy}}".into())],
        );
        // printf 'ab\n' | openssl dgst -sha256 -binary | base64, and that of nothing
        let expected = "<meta content=\"default-src 'none'; \
             style-src 'sha256-pj2AFNuokTRbMBdN8rKlfvu2W0+fCbmPJF0bMZInfs4='; \
             script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; base-uri 'none'; \
             form-action 'none'\"><style>ab\n</style><script></script>{{policy}}";
        assert_eq!(page, expected);
    }

    #[test]
    fn placeholders_are_filled_once() {
        let parts = [("a", "{{b}}".to_string()), ("b", "x".to_string())];
        assert_eq!(fill_template("1{{a}}2{{b}}3{{c}}4", &parts), "1{{b}}2x34");
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
        assert_eq!(
            (group_thousands(1), group_thousands(1234567)),
            ("1".into(), "1\u{202f}234\u{202f}567".into())
        );
    }
}
