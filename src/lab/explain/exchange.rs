//! The JSON form of a recorded search, for programs and for comparisons with another build of the
//! engine, which is run here.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::arena::play::fault::explain;
use crate::game::Move;
use crate::platform::child_process::spawn;

use super::subject::{Recordable, SearchRequest, Subject};
use super::tree_recorder::{RecordedIteration, TreeRecorder, Visit};

/// A recorded search. Scores are from the point of view of the side to move.
#[derive(Serialize, Deserialize)]
pub struct ExchangedSearch {
    /// The algorithm and its optional parts.
    pub name: String,
    iterations: Vec<ExchangedIteration>,
    visits: Vec<ExchangedVisit>,
}

#[derive(Serialize, Deserialize)]
struct ExchangedIteration {
    #[serde(flatten)]
    recorded: RecordedIteration,
    pv: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct ExchangedVisit {
    /// `None` at a root and in a verification search.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(flatten)]
    visit: Visit,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

impl ExchangedSearch {
    /// The JSON form of a record.
    pub fn new(name: String, record: &TreeRecorder, root: &impl Recordable) -> Self {
        let words = |moves: &[Move]| moves.iter().map(|&m| root.move_word(m)).collect();
        let iteration = |recorded: &RecordedIteration| ExchangedIteration {
            recorded: recorded.clone(),
            pv: words(&recorded.pv),
        };
        let visit = |&visit: &Visit| ExchangedVisit {
            word: (visit.m != Move::NONE).then(|| root.move_word(visit.m)),
            visit,
            skipped: words(record.skipped(&visit)),
        };
        ExchangedSearch {
            name,
            iterations: record.iterations.iter().map(iteration).collect(),
            visits: record.visits.iter().map(visit).collect(),
        }
    }

    /// Converts to a record.
    ///
    /// # Errors
    /// If it is not a valid record of a search of this game.
    pub fn record(self, root: &impl Recordable) -> Result<TreeRecorder> {
        let read_all = |words: &[String]| {
            words
                .iter()
                .map(|word| root.read_move(word))
                .collect::<Result<Vec<Move>>>()
        };
        let mut record = TreeRecorder::default();
        let count = self.visits.len();
        for ExchangedIteration { recorded, pv } in self.iterations {
            ensure!(
                recorded.first as usize <= count,
                "an iteration starts after the last visit"
            );
            record.iterations.push(RecordedIteration {
                pv: read_all(&pv)?,
                ..recorded
            });
        }
        for (
            index,
            ExchangedVisit {
                word,
                visit,
                skipped,
            },
        ) in self.visits.into_iter().enumerate()
        {
            let inside = visit.end as usize > index && visit.end as usize <= count;
            let below = visit.parent.is_none_or(|parent| (parent as usize) < index);
            ensure!(
                inside && below,
                "visit {index} has an invalid parent or end"
            );
            let m = word.map_or(Ok(Move::NONE), |word| root.read_move(&word))?;
            record.push(Visit { m, ..visit }, &read_all(&skipped)?);
        }
        Ok(record)
    }
}

/// Runs `explain --json` with the program at `path` and returns its record.
///
/// # Errors
/// If the program cannot be started or does not print a record of the search.
pub fn record_by<G: Recordable>(
    path: &Path,
    subject: &Subject<G>,
    request: &SearchRequest,
    options: &[(String, String)],
) -> Result<TreeRecorder> {
    let settings = &request.options.settings;
    let mut command = Command::new(path);
    command.args([
        "explain",
        "--json",
        "--algorithm",
        settings.algorithm.name(),
    ]);
    command
        .args(["--limit", &request.limit.to_string()])
        .args(&subject.arguments);
    if !subject.arguments.iter().any(|word| word == "--tree") {
        command.args(["--depth", &request.depth.to_string()]);
    }
    command.args(
        options
            .iter()
            .flat_map(|(name, value)| ["--option".into(), format!("{name}={value}")]),
    );
    command.args(settings.table.then_some("--table"));
    let name = path.display();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = spawn(command, None).map_err(|error| {
        anyhow!(
            "cannot start {name}: {}",
            explain(&[path.to_string_lossy().into_owned()], None, &error)
        )
    });
    let output = started?
        .wait_with_output()
        .with_context(|| format!("cannot read the output of {name}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said
            .lines()
            .find(|line| !line.is_empty())
            .unwrap_or("no message")
            .trim_start_matches("error: ");
        bail!("{name} did not record the search: {line}");
    }
    let exchanged: ExchangedSearch =
        serde_json::from_slice(&output.stdout).with_context(|| format!("the record of {name}"))?;
    exchanged
        .record(&subject.position)
        .with_context(|| format!("the record of {name}"))
}
