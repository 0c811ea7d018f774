//! Game records in other formats: PGN for every game, GGF for Othello on square boards, by the
//! writers of [`record`](crate::games::record).
//!
//! In PGN `1-0` means that the player in the tag `White` won. The first player is `Black` in
//! Reversi, as on the board, and `White` in other games. The tag `FirstPlayer` has that color; a
//! movetext that begins with `1...` begins with a move of the second player.

use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result};

use super::record::GameRecord;
use crate::arena::config::pgn::{MatchTags, PgnStyle};
use crate::arena::rules::clock::TimeControl;
use crate::game::Player;
use crate::games::any::by_name;
use crate::games::record::{
    self, Ending, GameInfo, MoveInfo, MoveOrigin, MoveRecord, PgnGame, RecordEntry, StatedResult,
};
use crate::storage::record_lock::RecordLock;

/// The text of a game in a format, if the format has the game.
pub type GameText = Box<dyn Fn(&GameRecord) -> Option<String>>;

/// A file to which each game is appended as it ends.
pub struct ExportFile {
    /// The file.
    pub file: File,
    /// Its name in errors.
    pub name: String,
    /// Its text of a game.
    pub text: GameText,
    /// The lock by which no other match writes the file, unless it is part of a record.
    pub _lock: Option<RecordLock>,
}

impl ExportFile {
    /// Appends a game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, record: &GameRecord) -> Result<()> {
        // One write, so that readers see whole games.
        let text = (self.text)(record).unwrap_or_default();
        self.file
            .write_all(text.as_bytes())
            .with_context(|| self.name.clone())
    }
}

/// A game in PGN, with what the record states about it as tags and comments; `None` if the game is
/// unknown. Comments may have further values, as in `{+1.30/8 0.013s, n=4242, sd=12}`.
pub fn pgn(record: &GameRecord, tags: &MatchTags, style: &PgnStyle) -> Option<String> {
    record.start_game()?; // None: without it, the sides of the moves are not known
    let known = by_name(&record.variant);
    let white = known.as_ref().map_or(Player::First, record::white);
    let mut info = game_info(record);
    let moves = record.plies();
    let moves = moves.map(|(played, by)| (by, played.word.clone()));
    let game = PgnGame {
        name: record.variant.clone(),
        white,
        start: record.start.clone(),
        moves: moves.collect(),
        result: info.result,
    };
    let event = tags.event.as_deref().unwrap_or("nullwindow tournament");
    (info.event, info.site) = (Some(event.into()), tags.site.clone());
    info.round = Some(record.own.round.to_string());
    let mut tag = |name: &str, value: &str| info.tags.push((name.into(), value.into()));
    tag("Game", &record.own.game.to_string());
    let [first, second] = record.controls();
    if let Some(control) = first.as_ref().filter(|_| first == second) {
        tag("TimeControl", &control.pgn());
    }
    tag("WhiteTimeControl", &record.own.limits[white as usize]);
    tag(
        "BlackTimeControl",
        &record.own.limits[white.other() as usize],
    );
    tag("Reason", &record.own.reason.to_string());
    if let Some(detail) = &record.own.detail {
        tag("Detail", detail);
    }
    let further = |index: usize| {
        let played = record.moves.get(index);
        let played = played.filter(|played| played.origin == MoveOrigin::Engine);
        played.map_or_else(Vec::new, |played| further_values(played, style))
    };
    Some(record::pgn_with(&game, &info, style.min, &further))
}

/// The values of a move that are written on request.
fn further_values(played: &MoveRecord, style: &PgnStyle) -> Vec<String> {
    let nps = played
        .nodes
        .zip(played.ms.filter(|&ms| ms > 0.0))
        .map(|(nodes, ms)| (nodes as f64 / ms * 1e3) as u64);
    let left = played.clock_ms.filter(|_| style.timeleft);
    let left = left.map(|left| format!("tl={:.3}s", left as f64 / 1000.0));
    let numbers = [
        ("n", style.nodes, played.nodes),
        ("sd", style.seldepth, played.seldepth.map(u64::from)),
        ("nps", style.nps, nps),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, is_wanted, value)| {
        let value = value.filter(|_| is_wanted)?;
        Some(format!("{name}={value}"))
    });
    left.into_iter().chain(numbers).collect()
}

/// Whether GGF supports the game.
pub fn has_ggf(variant: &str) -> bool {
    by_name(variant)
        .and_then(|game| game.discs())
        .is_some_and(|discs| discs.grid.is_square())
}

/// A game of Othello in GGF, with a newline.
pub fn ggf(record: &GameRecord, tags: &MatchTags) -> Option<String> {
    let mut entry = entry(record)?;
    let site = tags.site.as_deref().unwrap_or("nullwindow");
    (entry.info.site, entry.info.event) = (Some(site.into()), tags.event.clone());
    let mut game = record::ggf(&entry)?;
    let clocks = record.controls();
    let names = if clocks[0] == clocks[1] {
        &["TI"][..]
    } else {
        &["TB", "TW"]
    };
    for (name, control) in names.iter().zip(clocks) {
        if let Some(clock) = control.as_ref().and_then(TimeControl::ggf) {
            game.add_tag(name, clock);
        }
    }
    Some(game.write() + "\n")
}

/// The game of a record up to its first illegal move; `None` if the game is unknown.
fn entry(record: &GameRecord) -> Option<RecordEntry> {
    let mut game = record.known_start()?;
    for played in &record.moves {
        if game.play_legal(&played.word).is_none() {
            break;
        }
    }
    let mut entry = RecordEntry::of(game);
    entry.info = game_info(record);
    Some(entry)
}

/// What a record states about a game besides its moves.
fn game_info(record: &GameRecord) -> GameInfo {
    let reason = record.own.reason.to_string();
    GameInfo {
        result: record.own.result.map(|outcome| StatedResult {
            outcome,
            discs: record.discs,
            ending: Ending::parse(&reason).unwrap_or_default(),
        }),
        moves: record.moves.iter().map(MoveInfo::from).collect(),
        ..record.info()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::arena::results::record::tests::sample_record;
    use crate::arena::rules::fault::Termination;
    use crate::game::rng::Rng;
    use crate::game::{Outcome, Player};
    use crate::games::any::NAMES;
    use crate::games::notation::Cursor;
    use crate::games::reversi::ggf as format;

    fn pgn(record: &GameRecord) -> String {
        super::pgn(record, &MatchTags::default(), &PgnStyle::default()).unwrap()
    }

    fn ggf(record: &GameRecord) -> Option<String> {
        super::ggf(record, &MatchTags::default())
    }

    #[test]
    fn names_and_comments_are_those_requested() {
        let tags = MatchTags {
            event: Some("a \"b\"".into()),
            site: Some("here".into()),
        };
        let all = PgnStyle {
            nodes: true,
            seldepth: true,
            nps: true,
            timeleft: true,
            ..PgnStyle::default()
        };
        let mut record = sample_record(1);
        record.moves[1].seldepth = Some(11);
        let text = super::pgn(&record, &tags, &all).unwrap();
        assert!(
            text.starts_with("[Event \"a \\\"b\\\"\"]\n[Site \"here\"]\n"),
            "{text}"
        );
        let comment = "{-1.20/8 0.013s, tl=0.990s, n=4242, sd=11, nps=339360}";
        assert!(text.replace('\n', " ").contains(comment), "{text}");
        let min = PgnStyle { min: true, ..all };
        let text = super::pgn(&record, &tags, &min).unwrap();
        assert!(
            text.ends_with("[FirstPlayer \"Black\"]\n\n1. f5 d6 2. c3 1-0\n\n"),
            "{text}"
        );
        assert_eq!(text.matches('[').count(), 9);
        let text = super::ggf(&record, &tags).unwrap();
        assert!(
            text.contains("PC[here]") && text.contains("EV[a \"b\"]"),
            "{text}"
        );
    }

    #[test]
    fn pgn_has_tags_move_numbers_and_comments() {
        let text = pgn(&sample_record(1));
        assert!(
            text.contains("[White \"B \\\"two\\\"\"]\n[Black \"A\"]\n[Result \"1-0\"]\n"),
            "{text}"
        );
        let ending = "[Detail \"3 ms too late\"]\n[Termination \"time forfeit\"]\n";
        assert!(text.contains(&format!("[Reason \"time-forfeit\"]\n{ending}")));
        let moves = "\n\n1. f5 {book} 1... d6 {-1.20/8 0.013s} 2. c3 {+1.30/8 0.013s} 1-0\n\n";
        assert!(text.ends_with(moves), "{text}");
        let mut other = sample_record(1);
        other.start = Some("8/8/8/3ox3/3xxx2/8/8/8 o".into());
        other.moves.remove(0);
        assert!(
            pgn(&other).contains("\n1... d6 {-1.20/8 0.013s} 2. c3"),
            "{}",
            pgn(&other)
        );
    }

    #[test]
    fn move_numbers_of_pgn_name_a_side_that_moves_twice() {
        let mut record = sample_record(1);
        (record.variant, record.own.referee) = ("unknown".into(), Some("players".into()));
        for (played, (word, by)) in record.moves.iter_mut().zip([
            ("a", Player::First),
            ("b", Player::Second),
            ("c", Player::Second),
        ]) {
            (played.word, played.by) = (word.into(), Some(by));
        }
        let min = PgnStyle {
            min: true,
            ..PgnStyle::default()
        };
        let text = |record: &GameRecord| super::pgn(record, &MatchTags::default(), &min).unwrap();
        assert!(
            text(&record).ends_with("\n\n1. a b 2... c 0-1\n\n"),
            "{}",
            text(&record)
        );
        record.moves[1].by = Some(Player::First);
        assert!(
            text(&record).ends_with("\n\n1. a 2. b c 0-1\n\n"),
            "{}",
            text(&record)
        );
    }

    /// Random games of each kind with every termination.
    fn records() -> Vec<GameRecord> {
        use Termination::*;
        let mut rng = Rng::new(44);
        let mut records = Vec::new();
        for (name, reason) in NAMES.iter().flat_map(|name| {
            // The error names all variants.
            let unknown = serde_json::from_str::<Termination>("\"x\"")
                .unwrap_err()
                .to_string();
            let reasons = unknown
                .split('`')
                .skip(3)
                .step_by(2)
                .map(|word| format!("\"{word}\""));
            let reasons: Vec<Termination> = reasons
                .map(|word| serde_json::from_str(&word).unwrap())
                .collect();
            assert_eq!(reasons.len(), 16);
            reasons.into_iter().map(move |reason| (name, reason))
        }) {
            let is_reversi = by_name(name).unwrap().discs().is_some();
            for winner in [Player::First, Player::Second] {
                let mut game = by_name(name).unwrap();
                let mut record = sample_record(records.len() as u64 + 1);
                (record.variant, record.own.reason, record.moves) =
                    (name.to_string(), reason, Vec::new());
                (record.own.detail, record.own.fault_by) = (Some("a\t\"b\"\u{1b}[2J".into()), None);
                record.own.limits[1] = "nodes 5".into();
                while game.outcome().is_none() && (reason == Normal || record.moves.len() < 4) {
                    let m = *rng.choose(&game.moves()).unwrap();
                    record.moves.push(MoveRecord {
                        word: game.write_move(m),
                        ..MoveRecord::default()
                    });
                    game.play(m).unwrap();
                }
                record.own.result = Some(match reason {
                    Normal => game.outcome().unwrap(),
                    AdjudicatedDraw => Outcome::Draw,
                    _ => Outcome::win(winner),
                });
                record.discs = match reason {
                    Normal if is_reversi => {
                        let score = game.final_score().unwrap();
                        Some(game.to_move().signed(score.0 / 100))
                    }
                    AdjudicatedExact if is_reversi => {
                        Some(if winner == Player::First { 6 } else { -12 })
                    }
                    _ => None,
                };
                records.push(record);
            }
        }
        records
    }

    #[test]
    fn all_ends_of_all_games_have_the_recorded_winner() {
        for record in records() {
            let text = pgn(&record);
            let tags: HashMap<&str, String> = text
                .lines()
                .filter_map(|line| {
                    line.strip_prefix('[')?
                        .strip_suffix("\"]")?
                        .split_once(" \"")
                })
                .map(|(name, value)| (name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
                .collect();
            let winner = match tags["Result"].as_str() {
                "1-0" => Some(tags["White"].as_str()),
                "0-1" => Some(tags["Black"].as_str()),
                "1/2-1/2" => None,
                other => panic!("{other}"),
            };
            let expected = match record.own.result.unwrap() {
                Outcome::Draw => None,
                Outcome::FirstWins => Some(record.name(Player::First)),
                Outcome::SecondWins => Some(record.name(Player::Second)),
            };
            assert_eq!(winner, expected, "{text}");
            let is_reversi = by_name(&record.variant).unwrap().discs().is_some();
            assert_eq!(tags["Black"] == record.p1, is_reversi, "{text}");
            assert!(text.ends_with(&format!("{}\n\n", tags["Result"])), "{text}");
            assert!(
                !text.contains(|c: char| c.is_control() && c != '\n'),
                "{text}"
            );
            let Some(text) = ggf(&record) else {
                assert!(!has_ggf(&record.variant));
                continue;
            };
            let (_, score) = text.split_once("RE[").unwrap();
            let (score, _) = score.split_once(']').unwrap();
            let (score, why) = score.split_once(':').unwrap_or((score, ""));
            let side = by_name(&record.variant).unwrap().discs().unwrap().grid.size as f64;
            let full = match record.own.result.unwrap() {
                Outcome::FirstWins => side * side,
                Outcome::SecondWins => -side * side,
                Outcome::Draw => 0.0,
            };
            assert_eq!(
                score.parse::<f64>().unwrap(),
                record.discs.map_or(full, f64::from),
                "{text}"
            );
            assert_eq!(why.is_empty(), record.discs.is_some(), "{text}");
            assert!(
                text.contains("TB[00:01/00:00.01]BO")
                    && !text.contains("TI[")
                    && !text.contains("TW["),
                "{text}"
            );
        }
    }

    #[test]
    fn time_controls_are_those_of_both_formats() {
        for (limits, in_pgn, in_ggf) in [
            ("60+0.5", "60+0.5", Some("01:00/00:00.5")),
            ("40/3600, depth 8", "40/3600", Some("60:00")),
            ("40/60:20/30", "40/60:20/30", Some("01:00")),
            ("40/60+0:30", "40/60:30", Some("01:00")),
            ("0.1/move", "1/0.1", None),
            ("nodes 1000", "-", None),
            ("own limits", "-", None),
        ] {
            let mut record = sample_record(1);
            record.own.limits = [limits, limits].map(String::from);
            let text = pgn(&record);
            assert!(
                text.contains(&format!(
                    "[TimeControl \"{in_pgn}\"]\n[WhiteTimeControl \"{limits}\"]"
                )),
                "{text}"
            );
            let text = ggf(&record).unwrap();
            let clock = text
                .split_once("TI[")
                .map(|(_, rest)| rest.split_once(']').unwrap().0);
            assert_eq!(clock, in_ggf, "{text}");
        }
    }

    /// The example of formats.md is what the record in it is exported as.
    #[test]
    fn the_documented_records_are_those_that_are_written() {
        let text = include_str!("../../storage/formats.md").replace("\r\n", "\n");
        let block = |kind: &str| {
            let (_, rest) = text
                .split_once(&format!("```{kind}\n"))
                .unwrap_or_else(|| panic!("no block of {kind}"));
            rest.split_once("\n```").unwrap().0.to_owned()
        };
        let record: GameRecord = serde_json::from_str(&block("jsonl")).unwrap();
        assert_eq!(
            serde_json::to_value(&record).unwrap(),
            serde_json::from_str::<serde_json::Value>(&block("jsonl")).unwrap()
        );
        assert_eq!(block("pgn"), pgn(&record).trim_end());
        assert_eq!(block("ggf"), ggf(&record).unwrap().trim_end());
    }

    #[test]
    fn ggf_round_trips() {
        let text = ggf(&sample_record(1)).unwrap();
        let game = by_name("othello").unwrap();
        let grid = game.discs().unwrap().grid;
        let game = format::read(grid, &mut Cursor::new(&text)).unwrap();
        assert_eq!(game.moves.len(), 3);
        assert_eq!(game.moves[2].eval, Some(1.3));
        assert_eq!(game.tag("RE"), Some("-64.000:t"));
        let mut other = sample_record(1);
        other.variant = "tictactoe".into();
        assert_eq!(ggf(&other), None);
    }
}
