//! Files of known perft counts, and the check of the move generators against them
//! (`nullwindow perft --check`).
//!
//! A file is named after its game. A line `position TEXT` sets a position (as [`record`] reads it);
//! each line after it is `DEPTH LEAVES` or `DEPTH LEAVES WITH_ENDED`, where the third number also
//! counts each game that ended earlier as one leaf. `#` begins a comment.

use std::fmt;

use thiserror::Error;

use super::perft_any;
use crate::games::any::AnyGame;
use crate::games::record;

/// A known count of leaf nodes.
pub struct KnownCount {
    /// The root position.
    pub game: AnyGame,
    /// Depth in plies.
    pub depth: u32,
    /// Leaf nodes.
    pub leaves: u64,
    /// Leaf nodes, games that ended earlier counted as one each; `None`: not known.
    pub with_ended: Option<u64>,
}

/// A line of the file that cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {reason}")]
pub struct KnownCountError {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Parses the text of a file about this game.
pub fn parse(game: &AnyGame, text: &str) -> Result<Vec<KnownCount>, KnownCountError> {
    let mut game = game.clone();
    let mut known = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let error = |reason: String| KnownCountError {
            line: index + 1,
            reason,
        };
        if let Some(position) = line.strip_prefix("position ") {
            let entry = record::parse(&game, position);
            game = entry.map_err(|reason| error(reason.to_string()))?.game;
        } else if !line.is_empty() {
            let numbers: Option<Vec<u64>> = line
                .split_whitespace()
                .map(|number| number.parse().ok())
                .collect();
            let (depth, leaves, with_ended) = match numbers.as_deref() {
                Some(&[depth, leaves]) => (depth, leaves, None),
                Some(&[depth, leaves, with_ended]) => (depth, leaves, Some(with_ended)),
                _ => {
                    return Err(error(format!(
                        "\"{line}\", expected DEPTH LEAVES [WITH_ENDED]"
                    )));
                }
            };
            let depth = u32::try_from(depth).map_err(|reason| error(reason.to_string()))?;
            known.push(KnownCount {
                game: game.clone(),
                depth,
                leaves,
                with_ended,
            });
        }
    }
    Ok(known)
}

impl KnownCount {
    /// Counts again: whether the counts are equal.
    pub fn holds(&self) -> bool {
        let count = perft_any(&self.game, self.depth);
        count.leaves == self.leaves
            && self
                .with_ended
                .is_none_or(|known| count.with_ended() == known)
    }
}

impl fmt::Display for KnownCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KnownCount {
            game,
            depth,
            leaves,
            ..
        } = self;
        write!(
            f,
            "{} depth {depth} leaves {leaves} {}",
            game.name(),
            game.write_position()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;

    #[test]
    fn counts_are_parsed_and_wrong_ones_are_found() {
        let game = by_name("othello").unwrap();
        let known = parse(
            &game,
            "# comment\n1 4\nposition startpos # again\n2 12 12\n3 57\n",
        )
        .unwrap();
        assert_eq!(
            known.iter().map(KnownCount::holds).collect::<Vec<_>>(),
            [true, true, false]
        );
        assert_eq!(
            (known[1].depth, known[1].leaves, known[1].with_ended),
            (2, 12, Some(12))
        );
        for (text, line) in [
            ("1 4\n2", 2),
            ("position nonsense", 1),
            ("1 4\n\nx y", 3),
            ("99999999999 1", 1),
        ] {
            assert_eq!(
                parse(&game, text).err().map(|error| error.line),
                Some(line),
                "{text}"
            );
        }
    }
}
