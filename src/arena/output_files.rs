//! The files that a match writes: each must differ from all others, from the files that it reads,
//! and from standard output and standard error. Checked before anything is written.

use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::config::engines_file;
use super::config::openings::OpeningSource;
use super::config::usage_error::UsageError;
use super::config::{CONFIG, TournamentConfig};
use super::report::html;
use super::results::files::{ABNORMAL, EXPORTS, GAMES, PLIES};
use super::results::match_plan::{HISTORY, files_of};
use crate::platform::files::{FileIdentity, standard_streams, with_suffix};

/// The files of a record.
fn record_names() -> impl Iterator<Item = String> {
    let names = [CONFIG, GAMES, PLIES, HISTORY, html::REPORT]
        .into_iter()
        .chain(EXPORTS.map(|(name, _)| name));
    names.flat_map(|name| [name.to_owned(), format!("{name}.lock")])
}

/// Whether a file is part of a record of a tournament.
fn is_in_record(file: &FileIdentity) -> bool {
    let is_record = |folder: &Path| folder.join(CONFIG).exists() || folder.join(GAMES).exists();
    let Some(folder) = file.path().parent() else {
        return false;
    };
    let is_log = folder.ends_with(ABNORMAL) && folder.parent().is_some_and(is_record);
    is_log || is_record(folder) && record_names().any(|name| file.path().ends_with(name))
}

/// A file of a match: the option that names it, or what it is, its path, and its identity.
type MatchFile = (&'static str, String, FileIdentity);

/// Checks the files of a match; `folder` is that of its record, if it is given, and `log` the file of
/// `--log`.
///
/// # Errors
/// If two of them are one file, by whatever path; the error names both options.
pub fn check(config: &TournamentConfig, folder: Option<&Path>, log: Option<&Path>) -> Result<()> {
    let file = |what: &'static str, path: &Path| -> MatchFile {
        (what, path.display().to_string(), FileIdentity::of(path))
    };
    let streams = standard_streams().map(|(name, file)| ("", name.to_owned(), file));
    let mut outputs: Vec<MatchFile> = streams.collect();
    outputs.extend(log.map(|log| file("--log file=", log)));
    let mut others = vec![file("the file ", Path::new(engines_file::FILE))];
    if let Some(pgn) = &*config.pgn {
        let path = pgn.path(&config.directory);
        outputs.push(file("--pgnout file=", &path));
        others.push(file("the lock of the file ", &with_suffix(&path, ".lock")));
    }
    if let Some(folder) = folder {
        let names = record_names();
        others.extend(names.map(|name| file("the file of the record ", &folder.join(name))));
    }
    if let OpeningSource::File(path) = &config.openings.source {
        others.push(file("--openings file=", path));
    }
    for engine in config.programs() {
        let errors = engine.stderr.as_deref();
        outputs.extend(errors.map(|path| file("stderr=", path)));
        let files = files_of(engine, &config.directory);
        others.extend(
            files
                .iter()
                .map(|path| file("the file of an engine ", path)),
        );
    }
    for (index, (what, name, file)) in outputs.iter().enumerate() {
        // Several engines may append to one file, and both streams may be one.
        let earlier = outputs[..index].iter().filter(|(other, ..)| other != what);
        let mut taken = earlier.chain(&others);
        if let Some((other, of_other, _)) = taken.find(|(_, _, other)| other.is_same(file)) {
            bail!(UsageError(format!(
                "{what}{name} and {other}{of_other} are one file, choose another"
            )));
        }
        ensure!(
            !is_in_record(file) && !folder.is_some_and(|folder| file.is_in(&folder.join(ABNORMAL))),
            UsageError(format!(
                "{what}{name}: this file is part of a record, choose another"
            ))
        );
    }
    Ok(())
}
