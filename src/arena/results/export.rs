//! Game records in other formats: PGN for every game, GGF for Othello on square boards.
//!
//! In PGN `1-0` means that the player in the tag `White` won. The first player is `Black` in
//! Reversi, as on the board, and `White` in other games. The tag `FirstPlayer` has that color; a
//! movetext that begins with `1...` begins with a move of the second player.

use clap::ArgAction;
use serde::{Deserialize, Serialize};

use super::record::{GameRecord, MoveOrigin, MoveRecord};
use crate::arena::client::ReportedScore;
use crate::arena::play::clock::TimeControl;
use crate::arena::play::fault::Termination;
use crate::game::{Outcome, Player, printable};
use crate::games::any::{AnyGame, by_name};
use crate::games::reversi::ggf;

/// The line width of the move list; PGN's export format has lines of less than 80 characters.
const WIDTH: usize = 79;

/// The names of a match in its game files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MatchTags {
    /// The event.
    pub event: Option<String>,
    /// The site.
    pub site: Option<String>,
}

/// What is written of a game in PGN; by default all tags and the scores, depths and times of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::Args)]
pub struct PgnStyle {
    /// Only the mandatory tags, those of the start position, and the moves.
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub min: bool,
    /// The number of nodes of each move (`n=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub nodes: bool,
    /// The selective depth (`sd=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub seldepth: bool,
    /// The nodes per second (`nps=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub nps: bool,
    /// The time left on the clock after the move (`tl=`).
    #[arg(long, default_value_t = false, action = ArgAction::Set)]
    pub timeleft: bool,
}

/// A game in PGN's export format: tags, then numbered moves. Moves of engines have a comment
/// `{score/depth time}`, with further values as in `, n=4242`. A move number covers two plies; a
/// pass is a ply.
pub fn pgn(record: &GameRecord, tags: &MatchTags, style: &PgnStyle) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = printable(value).replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let white = white(record);
    let result = ["0-1", "1/2-1/2", "1-0"][usize::from(record.result.half_points(white))];
    // The seven mandatory tags, in their order.
    tag(
        "Event",
        tags.event.as_deref().unwrap_or("nullwindow tournament"),
    );
    tag("Site", tags.site.as_deref().unwrap_or("?"));
    tag(
        "Date",
        &record
            .began
            .get(..10)
            .unwrap_or("????-??-??")
            .replace('-', "."),
    );
    tag("Round", &record.round.to_string());
    tag("White", record.name(white));
    tag("Black", record.name(white.other()));
    tag("Result", result);
    tag("Variant", &record.variant);
    tag(
        "FirstPlayer",
        if white == Player::First {
            "White"
        } else {
            "Black"
        },
    );
    if !style.min {
        tag("Game", &record.game.to_string());
        let [first, second] = record.controls();
        if let Some(control) = first.as_ref().filter(|_| first == second) {
            tag("TimeControl", &control.pgn());
        }
        tag("WhiteTimeControl", &record.limits[white as usize]);
        tag("BlackTimeControl", &record.limits[white.other() as usize]);
        tag("Termination", pgn_termination(record.reason));
        tag("Reason", &record.reason.to_string());
        if let Some(detail) = &record.detail {
            tag("Detail", detail);
        }
        if let Some(discs) = record.discs {
            tag("Discs", &format!("{discs:+}"));
        }
    }
    if let Some(start) = &record.start {
        tag("SetUp", "1");
        tag("FEN", start);
    }
    if !style.min {
        tag("PlyCount", &record.moves.len().to_string());
    }
    text.push('\n');
    let mut words = Vec::new();
    let skipped = usize::from(record.sides().next() == Some(Player::Second));
    let mut is_interrupted = true;
    for (index, played) in record.moves.iter().enumerate() {
        let ply = index + skipped;
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        } else if is_interrupted {
            words.push(format!("{}...", ply / 2 + 1));
        }
        words.push(played.word.clone());
        let comment = if style.min {
            None
        } else {
            comment(played, style)
        };
        is_interrupted = comment.is_some();
        words.extend(comment);
    }
    words.push(result.into());
    let mut column = 0;
    for word in words {
        let fits = column + 1 + word.len() <= WIDTH;
        if column > 0 {
            text.push(if fits { ' ' } else { '\n' });
        }
        column = word.len() + if column > 0 && fits { column + 1 } else { 0 };
        text.push_str(&word);
    }
    text.push_str("\n\n");
    text
}

/// The player in PGN's tag `White`.
fn white(record: &GameRecord) -> Player {
    let is_reversi = by_name(&record.variant).is_some_and(|game| game.discs().is_some());
    if is_reversi {
        Player::Second
    } else {
        Player::First
    }
}

/// The value of PGN's tag `Termination` (standard, 9.8.1).
fn pgn_termination(reason: Termination) -> &'static str {
    use Termination::*;
    match reason {
        Normal | Resign => "normal",
        AdjudicatedResign | AdjudicatedDraw | AdjudicatedExact => "adjudication",
        TimeForfeit => "time forfeit",
        IllegalMove | WrongQuery | ProtocolError => "rules infraction",
        Crash | EarlyExit | ClosedOutput | Stall | MissingBestmove => "abandoned",
    }
}

/// The comment of a move: `{+1.30/8 0.013s}`, `{+1.30/8 0.013s, n=4242, sd=12}`.
fn comment(played: &MoveRecord, style: &PgnStyle) -> Option<String> {
    match played.origin {
        MoveOrigin::Opening => return Some("{book}".into()),
        MoveOrigin::Forced => return None,
        MoveOrigin::Engine => {}
    }
    let score = match played.score {
        Some(ReportedScore::Cp(cp)) => format!("{:+.2}", cp as f64 / 100.0),
        Some(ReportedScore::Mate(moves)) => {
            format!("{}M{}", if moves < 0 { '-' } else { '+' }, moves.abs())
        }
        None => String::new(),
    };
    let depth = played
        .depth
        .map_or_else(String::new, |depth| format!("/{depth}"));
    let time = played
        .ms
        .map_or_else(String::new, |ms| format!(" {:.3}s", ms / 1000.0));
    let nps = played
        .nodes
        .zip(played.ms.filter(|&ms| ms > 0.0))
        .map(|(nodes, ms)| (nodes as f64 / ms * 1e3) as u64);
    let further = [
        ("n", style.nodes, played.nodes),
        ("sd", style.seldepth, played.seldepth.map(u64::from)),
        ("nps", style.nps, nps),
    ];
    let mut parts = vec![format!("{score}{depth}{time}").trim().to_owned()];
    if let Some(left) = played.clock_ms.filter(|_| style.timeleft) {
        parts.push(format!("tl={:.3}s", left as f64 / 1000.0));
    }
    for (name, is_wanted, value) in further {
        parts.extend(
            value
                .filter(|_| is_wanted)
                .map(|value| format!("{name}={value}")),
        );
    }
    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
}

/// Whether GGF supports the game.
pub fn has_ggf(variant: &str) -> bool {
    by_name(variant)
        .and_then(|game| game.discs())
        .is_some_and(|discs| discs.grid.is_square())
}

/// A game of Othello in GGF, with a newline.
pub fn ggf(record: &GameRecord, tags: &MatchTags) -> Option<String> {
    if !has_ggf(&record.variant) {
        return None;
    }
    let mut game = record.start_game()?;
    let start = game.discs()?;
    let mut out = ggf::GgfGame::new(start);
    let began = record
        .began
        .replace('-', ".")
        .replace('T', "_")
        .replace('Z', ".UTC");
    let place = tags.site.as_deref().unwrap_or("nullwindow");
    for (name, value) in [
        ("PC", place.to_owned()),
        ("DT", began),
        ("PB", record.p1.clone()),
        ("PW", record.p2.clone()),
    ] {
        out.set_tag(name, value);
    }
    if let Some(event) = &tags.event {
        out.set_tag("EV", event.clone());
    }
    let clocks = record.controls();
    let names = if clocks[0] == clocks[1] {
        &["TI"][..]
    } else {
        &["TB", "TW"]
    };
    for (name, control) in names.iter().zip(clocks) {
        if let Some(clock) = control.as_ref().and_then(TimeControl::ggf) {
            out.set_tag(name, clock);
        }
    }
    out.set_tag("TY", start.grid.size.to_string());
    for played in &record.moves {
        let player = game.to_move();
        let m = game.play_legal(&played.word)?;
        let eval = match played.score {
            Some(ReportedScore::Cp(cp)) => Some(cp as f64 / 100.0),
            _ => None,
        };
        out.moves.push(ggf::PlayedMove {
            player,
            m,
            eval,
            seconds: played.ms.map(|ms| ms / 1000.0),
        });
    }
    out.set_result(result(record, &game));
    Some(out.write() + "\n")
}

/// The result by GGF's conventions: the recorded score, or all discs if the game was neither played
/// to its end nor solved. `t`: lost on time, `s`: draw by agreement, `r`: any other unfinished
/// game.
fn result(record: &GameRecord, game: &AnyGame) -> ggf::GgfResult {
    if let Some(discs) = record.discs {
        return ggf::GgfResult {
            score: f64::from(discs),
            reason: None,
        };
    }
    let all = game
        .discs()
        .map_or(64.0, |discs| f64::from(discs.grid.squares.count_ones()));
    let score = all * (f64::from(record.result.half_points(Player::First)) - 1.0);
    let reason = match record.reason {
        Termination::TimeForfeit => 't',
        _ if record.result == Outcome::Draw => 's',
        _ => 'r',
    };
    ggf::GgfResult {
        score,
        reason: Some(reason),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn pgn(record: &GameRecord) -> String {
        super::pgn(record, &MatchTags::default(), &PgnStyle::default())
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
        let text = super::pgn(&record, &tags, &all);
        assert!(
            text.starts_with("[Event \"a \\\"b\\\"\"]\n[Site \"here\"]\n"),
            "{text}"
        );
        let comment = "{-1.20/8 0.013s, tl=0.990s, n=4242, sd=11, nps=339360}";
        assert!(text.replace('\n', " ").contains(comment), "{text}");
        let min = PgnStyle { min: true, ..all };
        let text = super::pgn(&record, &tags, &min);
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
    use crate::arena::results::record::tests::sample_record;
    use crate::game::rng::Rng;
    use crate::games::any::NAMES;
    use crate::games::notation::Cursor;

    #[test]
    fn pgn_has_tags_move_numbers_and_comments() {
        let text = pgn(&sample_record(1));
        assert!(
            text.contains("[White \"B \\\"two\\\"\"]\n[Black \"A\"]\n[Result \"1-0\"]\n"),
            "{text}"
        );
        assert!(text.contains("[Termination \"time forfeit\"]\n[Reason \"time-forfeit\"]\n"));
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
            assert_eq!(reasons.len(), 14);
            reasons.into_iter().map(move |reason| (name, reason))
        }) {
            let is_reversi = by_name(name).unwrap().discs().is_some();
            for winner in [Player::First, Player::Second] {
                let mut game = by_name(name).unwrap();
                let mut record = sample_record(records.len() as u64 + 1);
                (record.variant, record.reason, record.moves) =
                    (name.to_string(), reason, Vec::new());
                (record.detail, record.fault_by) = (Some("a\t\"b\"\u{1b}[2J".into()), None);
                record.limits[1] = "nodes 5".into();
                while game.outcome().is_none() && (reason == Normal || record.moves.len() < 4) {
                    let m = *rng.choose(&game.moves()).unwrap();
                    record.moves.push(MoveRecord {
                        word: game.write_move(m),
                        ..MoveRecord::default()
                    });
                    game.play(m).unwrap();
                }
                record.result = match reason {
                    Normal => game.outcome().unwrap(),
                    AdjudicatedDraw => Outcome::Draw,
                    _ => Outcome::win(winner),
                };
                record.discs = match reason {
                    Normal if is_reversi => {
                        let score = game.final_score().unwrap().0 / 100;
                        Some(if game.to_move() == Player::First {
                            score
                        } else {
                            -score
                        })
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
            let expected = match record.result {
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
            let full = match record.result {
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
                text.contains("TB[00:01/00:00.01]TY")
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
            record.limits = [limits, limits].map(String::from);
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
        let game = ggf::read(grid, &mut Cursor::new(&text)).unwrap();
        assert_eq!(game.moves.len(), 3);
        assert_eq!(game.moves[2].eval, Some(1.3));
        let result = game.result().unwrap();
        assert_eq!((result.score, result.reason), (-64.0, Some('t')));
        let mut other = sample_record(1);
        other.variant = "tictactoe".into();
        assert_eq!(ggf(&other), None);
    }
}
