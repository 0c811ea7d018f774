//! Runs a search with another build of the engine, for a comparison.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};

use super::exchange::ExchangedSearch;
use super::search::{Recordable, SearchRequest};
use super::subject::Subject;
use super::tree_recorder::TreeRecorder;
use crate::arena::play::fault::explain;
use crate::platform::child_process::spawn;

/// Runs `explain --json` with the program at `path` and returns its record.
///
/// # Errors
/// If the program cannot be started or does not print a record of the search.
pub fn record<G: Recordable>(
    path: &Path,
    subject: &Subject<G>,
    request: &SearchRequest,
    options: &[(String, String)],
) -> Result<TreeRecorder> {
    let settings = &request.options.settings;
    let mut command = Command::new(path);
    command.args(["explain", "--json", "--algorithm", settings.algorithm.name()]);
    command.args(["--limit", &request.limit.to_string()]).args(&subject.arguments);
    if !subject.arguments.iter().any(|word| word == "--tree") {
        command.args(["--depth", &request.depth.to_string()]);
    }
    command.args(options.iter().flat_map(|(name, value)| ["--option".into(), format!("{name}={value}")]));
    command.args(settings.table.then_some("--table"));
    let name = path.display();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = spawn(command, None).map_err(|error| {
        anyhow!("cannot start {name}: {}", explain(&[path.to_string_lossy().into_owned()], None, &error))
    });
    let output = started?.wait_with_output().with_context(|| format!("cannot read the output of {name}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| !line.is_empty()).unwrap_or("no message").trim_start_matches("error: ");
        bail!("{name} did not record the search: {line}");
    }
    let exchanged: ExchangedSearch =
        serde_json::from_slice(&output.stdout).with_context(|| format!("the record of {name}"))?;
    exchanged.record(&|word| subject.position.read_move(word)).with_context(|| format!("the record of {name}"))
}
