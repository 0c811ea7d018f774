//! The report: rows of name, published figure, our figure and verdict, as text or as one JSON
//! array.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use crate::commands::write_json;

/// One figure of a document.
#[derive(Debug, Serialize)]
pub struct FigureRow {
    /// The name, which starts with the document's number.
    pub name: String,
    /// The published figure, or that of an independent recomputation; `null` if there is none.
    pub published: Option<String>,
    /// Our figure.
    pub ours: String,
    /// Whether both agree; `null` if they need not agree.
    pub ok: Option<bool>,
}

/// A report in progress.
pub struct FigureReport<'w> {
    out: &'w mut dyn Write,
    json: bool,
    document: &'static str,
    rows: Vec<FigureRow>,
}

impl<'w> FigureReport<'w> {
    /// Starts a report on `out`, as text or as one JSON array.
    pub fn new(out: &'w mut dyn Write, json: bool) -> Self {
        FigureReport {
            out,
            json,
            document: "",
            rows: Vec::new(),
        }
    }

    /// Starts the part of a document: `name` prefixes its rows, `title` is its heading.
    pub fn open(&mut self, name: &'static str, title: &str) -> io::Result<()> {
        self.document = name;
        self.text(&format!(
            "\n{name}  {title}\n{:<66}{:>16}{:>16}",
            "", "published", "ours"
        ))
    }

    /// A figure that must equal the published one.
    pub fn must(
        &mut self,
        what: &str,
        published: impl Display,
        ours: impl Display,
    ) -> io::Result<()> {
        let (published, ours) = (published.to_string(), ours.to_string());
        let ok = Some(published == ours);
        self.row(what, Some(published), ours, ok)
    }

    /// A figure that must satisfy a condition, which is printed instead of the published figure.
    pub fn must_hold(
        &mut self,
        what: &str,
        condition: &str,
        ours: impl Display,
        holds: bool,
    ) -> io::Result<()> {
        self.row(what, Some(condition.into()), ours.to_string(), Some(holds))
    }

    /// A figure that need not agree.
    pub fn beside(
        &mut self,
        what: &str,
        published: Option<&str>,
        ours: impl Display,
    ) -> io::Result<()> {
        self.row(what, published.map(String::from), ours.to_string(), None)
    }

    /// Prints a sentence below the rows; not part of the JSON.
    pub fn remark(&mut self, sentence: &str) -> io::Result<()> {
        self.text(&format!("     {sentence}"))
    }

    /// The number of required figures that agree, or that differ.
    fn count(&self, agree: bool) -> usize {
        self.rows.iter().filter(|row| row.ok == Some(agree)).count()
    }

    /// Whether all required figures agree.
    pub fn all_ok(&self) -> bool {
        self.count(false) == 0
    }

    /// The rows so far.
    #[cfg(test)]
    pub fn rows(&self) -> &[FigureRow] {
        &self.rows
    }

    /// Writes the end of the report.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.json {
            return write_json(&self.rows, self.out);
        }
        self.text(&format!(
            "\n{} ok, {} differ",
            self.count(true),
            self.count(false)
        ))
    }

    fn row(
        &mut self,
        what: &str,
        published: Option<String>,
        ours: String,
        ok: Option<bool>,
    ) -> io::Result<()> {
        let name = format!("{} {what}", self.document);
        let verdict = ok.map_or("", |ok| if ok { "  ok" } else { "  DIFFERS" });
        self.text(&format!(
            "{name:<66}{:>16}{ours:>16}{verdict}",
            published.as_deref().unwrap_or("-")
        ))?;
        self.rows.push(FigureRow {
            name,
            published,
            ours,
            ok,
        });
        Ok(())
    }

    fn text(&mut self, line: &str) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(self.out, "{line}")?;
        self.out.flush() // the next row can take seconds
    }
}
