//! The problem file: positions and games in any format ([`record`]), and claims about positions
//! ([`claims`]). An invalid entry does not affect the others.

use std::collections::HashSet;
use std::io::{self, BufRead};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::commands::claims::{self, Claim};
use crate::commands::open_records;
use crate::game::rng::Rng;
use crate::game::{NotationError, counted};
use crate::games::any::AnyGame;
use crate::games::record::{self, EntryErrorAt, Record, RecordEntry, RecordReader};
use crate::platform::files;
use crate::setup::Setup;

/// A position to solve.
#[derive(Clone)]
pub struct ProblemEntry {
    /// The number of its first line in the file, from 1; 0 for `--position`.
    pub number: usize,
    /// Its text; several lines for a game in GGF or PGN.
    pub text: String,
    /// The position and its stated scores.
    pub entry: RecordEntry,
    /// Decide only this claim.
    pub claim: Option<Claim>,
}

impl ProblemEntry {
    /// The position of a board.
    pub fn of(game: AnyGame) -> ProblemEntry {
        ProblemEntry {
            number: 0,
            text: game.write_position(),
            entry: RecordEntry::of(game),
            claim: None,
        }
    }

    /// The problem of each claim; the problem itself if it has a claim, or if there are none.
    fn of_claims(self, claims: &[Claim]) -> Vec<ProblemEntry> {
        if self.claim.is_some() || claims.is_empty() {
            return vec![self];
        }
        let problem = |&claim: &Claim| ProblemEntry {
            claim: Some(claim),
            ..self.clone()
        };
        claims.iter().map(problem).collect()
    }
}

/// The problems of a file. An invalid entry is an error.
pub type Problems = Vec<Result<ProblemEntry, EntryErrorAt>>;

/// The problems of a file (`-` for standard input); `only` is a range of line numbers.
///
/// # Errors
/// If the file cannot be read.
pub fn load(file: &Path, setup: &Setup, only: Option<(usize, usize)>) -> Result<Problems> {
    let name = || files::display_name(file);
    let game = setup.board(None)?;
    let mut reader = open_records(file, &game)?;
    let problems = problems(&mut reader, &game, only).with_context(name)?;
    if let Some((first, last)) = only {
        let count = reader.lines();
        let range = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        ensure!(
            last <= count,
            "--only {range}: {} has {}",
            name(),
            counted(count, "line", "lines")
        );
    }
    Ok(problems)
}

/// The problems of a text; `name` is that of its file. See [`load`].
pub fn problems_of(text: &str, name: &str, game: &AnyGame) -> Result<Problems> {
    let mut reader = RecordReader::new(text.as_bytes(), name, game);
    Ok(problems(&mut reader, game, None)?)
}

/// The problems of a file; `only` is a range of line numbers.
fn problems(
    reader: &mut RecordReader<impl BufRead>,
    game: &AnyGame,
    only: Option<(usize, usize)>,
) -> io::Result<Problems> {
    let (first, last) = only.unwrap_or((1, usize::MAX));
    let mut problems = Vec::new();
    for record in reader {
        let record = record?;
        let number = record.number();
        let is_heading = number == 1 && claims::is_heading(&record.text);
        if is_heading || !(first..=last).contains(&number) {
            continue;
        }
        match parse(record, game) {
            Ok(of_entry) => problems.extend(of_entry.into_iter().map(Ok)),
            Err(error) => problems.push(Err(error)),
        }
    }
    Ok(problems)
}

/// The problem of an entry; several if it has several claims.
fn parse(record: Record, game: &AnyGame) -> Result<Vec<ProblemEntry>, EntryErrorAt> {
    let number = record.number();
    let Record { place, text, entry } = record;
    let split = || -> Result<(String, Vec<Claim>)> {
        let is_line = place.game.is_none() && !text.starts_with('{');
        if !is_line {
            return Ok(Default::default());
        }
        let (rest, own) = claims::split_claims(&text)?;
        claims::check_bounds(game, own.iter().map(|claim| claim.bound()))?;
        Ok((rest, own))
    };
    let (rest, own) = split().map_err(|error| EntryErrorAt {
        place: place.clone(),
        error: NotationError::ImpossiblePosition(error.to_string()).into(),
    })?;
    let entry = match own.as_slice() {
        [] => entry?,
        _ => record::parse(game, &rest).map_err(|error| EntryErrorAt { place, error })?,
    };
    let problem = ProblemEntry {
        number,
        text,
        entry,
        claim: None,
    };
    Ok(problem.of_claims(&own))
}

/// The problems with these claims, where a line has none of its own.
pub fn with_claims(problems: Problems, claims: &[Claim]) -> Problems {
    let of_claims = |problem: Result<ProblemEntry, _>| match problem {
        Ok(problem) => problem.of_claims(claims).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    };
    problems.into_iter().flat_map(of_claims).collect()
}

/// Draws `count` items at random, in their order. A larger number keeps those already drawn.
pub fn draw<T>(items: Vec<T>, count: usize, seed: u64) -> Vec<T> {
    let mut numbers: Vec<usize> = (0..items.len()).collect();
    Rng::new(seed).shuffle(&mut numbers);
    let drawn: HashSet<usize> = numbers.into_iter().take(count).collect();
    let numbered = items.into_iter().enumerate();
    let kept = numbered.filter(|(number, _)| drawn.contains(number));
    kept.map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_sample_contains_a_smaller_one() {
        let items: Vec<usize> = (0..100).collect();
        let (few, many) = (draw(items.clone(), 10, 7), draw(items.clone(), 30, 7));
        assert_eq!((few.len(), many.len()), (10, 30));
        assert!(few.is_sorted() && few.iter().all(|item| many.contains(item)));
        assert_ne!(few, draw(items.clone(), 10, 8));
        assert_eq!(draw(items.clone(), 200, 7), items);
    }

    #[test]
    fn lines_have_their_own_claims_or_the_given_ones() {
        let game = crate::games::any::by_name("othello").unwrap();
        let board = game.write_position();
        let text =
            format!("obf,count,score,alpha,beta\n{board};,7,0,-64,64\n{board}\n{board}; > 2\n");
        let problems = problems_of(&text, "FILE", &game).unwrap();
        let problems = with_claims(problems, &[Claim::AtMost(4)]);
        let found: Vec<String> = problems
            .iter()
            .map(|problem| match problem {
                Ok(problem) => format!("{} {}", problem.number, problem.claim.unwrap()),
                Err(error) => error.to_string(),
            })
            .collect();
        let error = "FILE, line 4: \" > 2\" is not a claim, expected >= S or <= S";
        assert_eq!(found, ["2 >= 0", "2 <= 0", "3 <= 4", error]);
    }
}
