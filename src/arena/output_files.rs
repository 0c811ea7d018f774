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

/// What a file is called in an error: the option that names it, if any, and a text.
type FileName = (&'static str, String);

/// The error about two names of one file.
fn one_file((option, text): &FileName, (other, of_other): &FileName) -> UsageError {
    UsageError::new(option, format!("{text} and "))
        .then(other, format!("{of_other} are one file, choose another"))
}

/// Checks the files of a match; `folder` is that of its record, if it is given, and `log` the file of
/// `--log`.
///
/// # Errors
/// If two of them are one file, by whatever path; the error names both options.
pub fn check(config: &TournamentConfig, folder: Option<&Path>, log: Option<&Path>) -> Result<()> {
    let of_option = |option: &'static str, text: &str, path: &Path| {
        let name = (option, format!("{text}{}", path.display()));
        (name, FileIdentity::of(path))
    };
    let named = |text: &str, path: &Path| of_option("", text, path);
    let pgn = config.pgn.as_ref().map(|pgn| pgn.path(&config.directory));
    let outputs = (log.into_iter().map(|log| of_option("--log", " file=", log)))
        .chain(pgn.iter().map(|pgn| of_option("--pgnout", " file=", pgn)));
    let mut outputs: Vec<(FileName, FileIdentity)> = outputs.collect();
    let lock = (pgn.iter()).map(|pgn| named("the lock of the file ", &with_suffix(pgn, ".lock")));
    let own = folder.into_iter().flat_map(|folder| {
        let file = move |name: String| named("the file of the record ", &folder.join(name));
        record_names().map(file)
    });
    let mut others: Vec<(FileName, FileIdentity)> = lock.chain(own).collect();
    if let OpeningSource::File(path) = &config.openings.source {
        others.push(of_option("--openings", " file=", path));
    }
    others.push(named("the file ", Path::new(engines_file::FILE)));
    for engine in config.programs() {
        let files = files_of(engine, &config.directory);
        let name = format!("a file of engine \"{}\", ", engine.name);
        others.extend(files.iter().map(|file| named(&name, file)));
    }
    let stderr = config.programs().filter_map(|one| one.stderr.as_deref());
    // Several engines may append to one file.
    let mut errors: Vec<(FileName, FileIdentity)> = Vec::new();
    for error in stderr.map(|path| named("stderr=", path)) {
        if errors.iter().all(|(_, file)| !file.is_same(&error.1)) {
            errors.push(error);
        }
    }
    outputs.extend(errors);
    let streams = standard_streams().map(|(name, file)| (("", name.to_owned()), file));
    let streams: Vec<(FileName, FileIdentity)> = streams.collect();
    for (index, (name, file)) in outputs.iter().enumerate() {
        let mut taken = outputs[..index].iter().chain(&streams).chain(&others);
        if let Some((other, _)) = taken.find(|(_, other)| other.is_same(file)) {
            bail!(one_file(name, other));
        }
        ensure!(
            !is_in_record(file) && !folder.is_some_and(|folder| file.is_in(&folder.join(ABNORMAL))),
            UsageError::new(
                name.0,
                format!("{}: this file is part of a record, choose another", name.1)
            )
        );
    }
    // Standard output redirected to a file that the match reads or writes.
    for (stream, file) in &streams {
        if let Some((name, _)) = others.iter().find(|(_, other)| other.is_same(file)) {
            bail!(one_file(stream, name));
        }
    }
    Ok(())
}
