//! `nullwindow convert`: reads games and positions in any format and writes them in another one, one
//! at a time. An entry that cannot be read or written, or whose stated result contradicts its moves,
//! is reported; the others are converted.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use crossbeam_channel::{Receiver, TryRecvError, never};

use super::{ResultArgs, check_not_output, check_replaced, records, report_check, report_results};
use crate::game::Game;
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::record::{
    RecordEntry, WthorEncoder, ggf, json_line, names_files, pgn, transcript,
};
use crate::games::reversi::obf;
use crate::logging::date;
use crate::logging::progress::{ProgressLine, print_line};
use crate::platform::{files, interrupt};
use crate::setup::{GAME, Setup, parse_range, uses};
use crate::storage::whole_file::{is_stream, replace_file, replace_file_by};

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME]))]
pub struct Args {
    /// Positions or games in any format; - for stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    results: ResultArgs,

    /// Write this format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: TargetFormat,

    /// Write to this file, which is replaced when all is converted (default: standard output; wthor
    /// also writes the names, to FILE with the extensions .jou and .trn)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write only the first of games that are equal up to symmetry; with obf, of positions that are
    /// equal for the side to move
    #[arg(long)]
    unique: bool,

    /// Write only games of A to B plies (or of A plies); a pass counts as a ply
    #[arg(long, value_name = "A-B", value_parser = parse_range)]
    plies: Option<(usize, usize)>,

    /// Write the position of each game at N empties instead of its last one (with obf)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    empties: Option<u32>,

    /// Write only games of a player whose name contains this text, in any case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, ValueEnum)]
enum TargetFormat {
    /// The moves of a game on one line: f5d6c3
    Transcript,
    /// Generic Game Format: Othello on square boards
    Ggf,
    /// Portable Game Notation
    Pgn,
    /// The database of the French Othello federation: 8x8 Othello
    Wthor,
    /// JSON lines as in games.jsonl
    Jsonl,
    /// Positions of games of discs, with scores if the input has them
    Obf,
}

/// Writes the entries of files in another format. Returns whether all were converted and no stated
/// result contradicts the moves.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let start = setup.board(None)?;
    check_format(args, &start)?;
    if let Some(file) = &args.out {
        let names = name_files(args, file);
        ensure!(
            names.is_empty() || !is_stream(file),
            "--out {}: --to wthor needs a regular file: it writes three files",
            file.display()
        );
        let is_out = |names: &PathBuf| names.as_os_str().eq_ignore_ascii_case(file);
        ensure!(
            !names.iter().any(is_out),
            "--out {}: not the name of a file of games but of names: use .wtb",
            file.display()
        );
        // A file of WTHOR has its names in two others.
        let is_wthor = |file: &&PathBuf| {
            file.extension()
                .is_some_and(|kind| kind.eq_ignore_ascii_case("wtb"))
        };
        let read = args.files.iter().filter(is_wthor);
        let read: Vec<PathBuf> = read.flat_map(|file| names_files(file)).flatten().collect();
        for written in [file].into_iter().chain(&names) {
            check_replaced("--out", written, args.files.iter().chain(&read))?;
        }
    }
    let mut conversion = Conversion {
        args,
        written: 0,
        read: 0,
        errors: 0,
        unknown: 0,
        contradictions: 0,
        seen: HashSet::new(),
        wthor: WthorEncoder::default(),
        // Without a file, or while it waits for input, the first interrupt ends the process.
        interrupt: match &args.out {
            Some(_) if !args.files.iter().any(|file| file.as_os_str() == "-") => {
                interrupt::channel().context("cannot install a signal handler")?
            }
            _ => never(),
        },
        progress: ProgressLine::bar(None, "games"),
    };
    match &args.out {
        None => {
            for file in &args.files {
                check_not_output(file)?;
            }
            conversion.convert(&start, out)?;
        }
        Some(file) => {
            replace_file_by(file, |target| conversion.fill(file, &start, target))?;
        }
    }
    let Conversion {
        written,
        read,
        errors,
        unknown,
        contradictions,
        ..
    } = conversion;
    drop(conversion.progress);
    report_results(unknown, contradictions);
    if let Some(file) = &args.out {
        writeln!(out, "{written} of {read} written to {}", file.display())?;
    }
    report_check(
        errors == 0,
        &format!("{errors} of {read} entries have errors"),
    )
}

/// Checks that the format has the game, and the options the format.
fn check_format(args: &Args, start: &AnyGame) -> Result<()> {
    let grid = start.discs().map(|discs| discs.grid);
    let is_supported = match args.to {
        TargetFormat::Transcript | TargetFormat::Pgn | TargetFormat::Jsonl => true,
        TargetFormat::Ggf => grid.is_some_and(|grid| grid.is_square()),
        TargetFormat::Obf => grid.is_some(),
        TargetFormat::Wthor => start.name() == "othello",
    };
    let value = args.to.to_possible_value();
    let format = value.as_ref().map_or("", |value| value.get_name());
    ensure!(
        is_supported,
        "--to {format} does not support {}",
        start.name()
    );
    if args.empties.is_some() && args.to != TargetFormat::Obf {
        bail!("--empties has no effect with --to {format}: use --to obf");
    }
    if args.out.is_none() && args.to == TargetFormat::Wthor {
        bail!("--to wthor needs --out FILE: it writes three files");
    }
    Ok(())
}

/// The files of names beside a file of WTHOR.
fn name_files(args: &Args, file: &Path) -> Vec<PathBuf> {
    match args.to {
        TargetFormat::Wthor => vec![file.with_extension("jou"), file.with_extension("trn")],
        _ => Vec::new(),
    }
}

struct Conversion<'a> {
    args: &'a Args,
    written: usize,
    read: usize,
    errors: usize,
    /// Games whose stated result is unknown, or contradicts the moves.
    unknown: usize,
    contradictions: usize,
    /// Keys of the games or positions written.
    seen: HashSet<[u64; 2]>,
    wthor: WthorEncoder,
    interrupt: Receiver<()>,
    progress: ProgressLine,
}

impl Conversion<'_> {
    /// Fills the file that will replace `file`.
    fn fill(&mut self, file: &Path, start: &AnyGame, target: &mut BufWriter<File>) -> Result<()> {
        let cannot = || format!("cannot write {}", file.display());
        let is_wthor = self.args.to == TargetFormat::Wthor;
        let today = date::now();
        if is_wthor {
            target
                .write_all(&self.wthor.header(&today))
                .with_context(cannot)?;
        }
        self.convert(start, target)?;
        if is_wthor {
            target.rewind().with_context(cannot)?;
            target
                .write_all(&self.wthor.header(&today))
                .with_context(cannot)?;
            for (path, bytes) in name_files(self.args, file)
                .iter()
                .zip(self.wthor.names(&today))
            {
                replace_file(path, [bytes])?;
            }
        }
        Ok(())
    }

    /// Converts all files.
    fn convert(&mut self, start: &AnyGame, out: &mut dyn Write) -> Result<()> {
        for file in &self.args.files {
            let before = self.read;
            for record in records(file, start, self.args.results.result_order)? {
                let record = record?;
                ensure!(
                    self.interrupt.try_recv() != Err(TryRecvError::Disconnected),
                    "interrupted: the output file is as it was"
                );
                self.read += 1;
                self.progress.inc();
                let entry = match record.entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        self.errors += 1;
                        print_line(format!("error: {error}"));
                        continue;
                    }
                };
                self.unknown += usize::from(entry.has_unknown_result && self.is_wanted(&entry));
                self.contradictions += usize::from(entry.contradiction.is_some());
                let text = self.text_of(&entry);
                let errors = [entry.contradiction.as_ref(), text.as_ref().err()];
                self.errors += usize::from(errors != [None; 2]);
                for error in errors.into_iter().flatten() {
                    print_line(format!("error: {}: {error}", record.place));
                }
                if let Ok(Some(text)) = text {
                    out.write_all(&text).context("cannot write the output")?;
                }
            }
            ensure!(
                self.read > before,
                "{}: no game or position found",
                files::display_name(file)
            );
        }
        Ok(())
    }

    /// The bytes to write for an entry; `None` if a filter excludes it, if it has no position with these
    /// empties, or if it was written before.
    fn text_of(&mut self, entry: &RecordEntry) -> Result<Option<Vec<u8>>, String> {
        if !self.is_wanted(entry) {
            return Ok(None);
        }
        let last = entry.game.position();
        let position = match self.args.empties {
            Some(empties) => at_empties(&entry.game, empties),
            None => Some(last),
        };
        let Some(position) = position else {
            return Ok(None);
        };
        let earlier = (position != last).then(|| RecordEntry::of(position.into()));
        let entry = earlier.as_ref().unwrap_or(entry);
        let key = || match self.args.to {
            TargetFormat::Obf => position.canonical().packed(),
            _ => game_key(&entry.game),
        };
        let key = self.args.unique.then(key);
        if key.as_ref().is_some_and(|key| self.seen.contains(key)) {
            return Ok(None);
        }
        let line = |text: String| (text + "\n").into_bytes();
        let text = match self.args.to {
            TargetFormat::Pgn => pgn(entry).into_bytes(),
            TargetFormat::Ggf => {
                let game = ggf(entry).ok_or("GGF does not support the game")?;
                line(game.write())
            }
            TargetFormat::Jsonl => line(json_line(entry, self.written + 1)),
            TargetFormat::Wthor => self.wthor.game(entry)?.to_vec(),
            TargetFormat::Transcript => line(transcript(&entry.game)),
            TargetFormat::Obf => {
                let problem = entry.problem().ok_or("OBF does not support the game")?;
                line(obf::write_line(&problem))
            }
        };
        self.seen.extend(key);
        self.written += 1;
        Ok(Some(text))
    }

    fn is_wanted(&self, entry: &RecordEntry) -> bool {
        let plies = entry.game.history().len();
        let has_length = self
            .args
            .plies
            .is_none_or(|(first, last)| (first..=last).contains(&plies));
        let has_player = self.args.player.as_ref().is_none_or(|wanted| {
            let wanted = wanted.to_lowercase();
            let mut names = entry.info.players.iter().flatten();
            names.any(|name| name.to_lowercase().contains(&wanted))
        });
        has_length && has_player
    }
}

/// The position of a game of Reversi with this number of empties in which the side to move can
/// place a disc.
fn at_empties(game: &AnyGame, empties: u32) -> Option<AnyPosition> {
    let positions = game.plies().map(|(position, _)| position);
    let position = positions
        .chain([game.position()])
        .find(|position| u32::from(position.plies_left()) == empties)?;
    let mut at = AnyGame::from(position);
    if at.must_pass() {
        let pass = at.moves()[0];
        at.play(pass).ok()?;
    }
    at.outcome().is_none().then(|| at.position())
}

/// A hash of the start and the moves of a game, the same for all symmetric games.
fn game_key(game: &AnyGame) -> [u64; 2] {
    let (start, moves) = game.start().canonical_line(game.history());
    moves.iter().fold(start, |[a, b], m| {
        let bits = u64::from(m.bits());
        [crate::game::mix([a, bits]), crate::game::mix([bits, b])]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::any::by_name;
    use crate::games::record::play_all;

    fn game(moves: &str) -> AnyGame {
        let mut game = by_name("othello").unwrap();
        play_all(&mut game, moves).unwrap();
        game
    }

    #[test]
    fn symmetric_games_have_one_key() {
        let key = |moves| game_key(&game(moves));
        // The four images of one game under the symmetries of the start.
        for image in ["e6f4c3", "d3c5f6", "c4e3f6"] {
            assert_eq!(key("f5d6c3"), key(image), "{image}");
        }
        for other in ["f5d6c4", "f5f6e6", "f5d6"] {
            assert_ne!(key("f5d6c3"), key(other), "{other}");
        }
    }

    #[test]
    fn the_position_at_n_empties_has_a_move() {
        let played = game("f5d6c3d3c4");
        let found = at_empties(&played, 58).unwrap();
        assert_eq!(found, game("f5d6").position());
        assert_eq!(at_empties(&played, 54), None);
        // Black must pass with 60 empties.
        let mut passes = by_name("othello").unwrap();
        passes.set_position("2o5/8/8/8/8/8/ox6/7x x").unwrap();
        let found = at_empties(&passes, 60).unwrap();
        assert_eq!(found.write_position(), "2o5/8/8/8/8/8/ox6/7x o");
    }
}
