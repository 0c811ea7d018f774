//! Game records in other formats: PGN for every game, GGF for Othello.

use super::game_record::{GameRecord, GameResult, MoveOrigin, MoveRecord};
use super::termination::Termination;
use crate::game::Player;
use crate::games::any::by_name;
use crate::games::reversi::ggf;
use crate::protocol::client::{GameHistory, ReportedScore};

/// The line width of the move list.
const WIDTH: usize = 80;

/// A game in PGN: tags, then numbered moves, those of the engines with a comment `{score/depth time}`. A move number
/// covers two plies; a pass is a ply.
pub fn pgn(record: &GameRecord) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        text.push_str(&format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\"")));
    };
    tag("Event", "nullwindow tournament");
    tag("Site", "?");
    tag("Date", &record.began.get(..10).unwrap_or("????-??-??").replace('-', "."));
    tag("Round", &record.round.to_string());
    // The first player is Black in Reversi and White elsewhere; 1-0 means that the first player won in all games.
    let reversi = by_name(&record.variant).is_some_and(|game| game.discs().is_some());
    let [first, second] = if reversi { ["Black", "White"] } else { ["White", "Black"] };
    tag(first, &record.p1);
    tag(second, &record.p2);
    tag("Result", record.result.pgn());
    tag("Variant", &record.variant);
    tag("Game", &record.game.to_string());
    tag(&format!("{first}TimeControl"), &record.limits[0]);
    tag(&format!("{second}TimeControl"), &record.limits[1]);
    tag("Termination", &record.reason.to_string());
    if let Some(detail) = &record.detail {
        tag("Detail", detail);
    }
    if let Some(discs) = record.discs {
        tag("Discs", &format!("{discs:+}"));
    }
    if let Some(start) = &record.start {
        tag("FEN", start);
    }
    tag("PlyCount", &record.moves.len().to_string());
    text.push('\n');
    let mut words = Vec::new();
    let first_to_move = first_to_move(record);
    for (index, played) in record.moves.iter().enumerate() {
        let ply = index + usize::from(!first_to_move);
        if ply % 2 == 0 {
            words.push(format!("{}.", ply / 2 + 1));
        } else if index == 0 {
            words.push("1...".into());
        }
        words.push(played.word.clone());
        words.extend(comment(played));
    }
    words.push(record.result.pgn().into());
    let mut column = 0;
    for word in words {
        if column > 0 && column + 1 + word.len() > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(&word);
        column += word.len();
    }
    text.push_str("\n\n");
    text
}

fn first_to_move(record: &GameRecord) -> bool {
    let Some(game) = by_name(&record.variant) else { return true };
    let start = record.start.as_ref().and_then(|start| GameHistory::from_position(game, start).ok());
    start.is_none_or(|history| history.to_move() == Player::First)
}

/// The comment of a move: `{+1.30/8 0.013s}`.
fn comment(played: &MoveRecord) -> Option<String> {
    match played.origin {
        MoveOrigin::Opening => return Some("{book}".into()),
        MoveOrigin::Forced => return None,
        MoveOrigin::Engine => {}
    }
    let score = match played.score {
        Some(ReportedScore::Cp(cp)) => format!("{:+.2}", cp as f64 / 100.0),
        Some(ReportedScore::Mate(moves)) => format!("{}M{}", if moves < 0 { '-' } else { '+' }, moves.abs()),
        None => String::new(),
    };
    let depth = played.depth.map_or_else(String::new, |depth| format!("/{depth}"));
    let time = played.ms.map_or_else(String::new, |ms| format!(" {:.3}s", ms / 1000.0));
    Some(format!("{{{}}}", format!("{score}{depth}{time}").trim()))
}

/// Whether GGF supports the game.
pub fn has_ggf(variant: &str) -> bool {
    by_name(variant).and_then(|game| game.discs()).is_some_and(|discs| discs.grid.is_square())
}

/// A game of Othello in GGF, with a newline.
pub fn ggf(record: &GameRecord) -> Option<String> {
    if !has_ggf(&record.variant) {
        return None;
    }
    let game = by_name(&record.variant)?;
    let mut history = match &record.start {
        Some(start) => GameHistory::from_position(game, start).ok()?,
        None => GameHistory::from_start(game),
    };
    let start = history.game().discs()?;
    let mut out = ggf::GgfGame::new(start);
    for (name, value) in [
        ("PC", "nullwindow".to_string()),
        ("DT", record.began.clone()),
        ("PB", record.p1.clone()),
        ("PW", record.p2.clone()),
        ("TI", "0".into()),
        ("TY", start.grid.size.to_string()),
    ] {
        out.set_tag(name, value);
    }
    for played in &record.moves {
        let m = history.legal_move(&played.word)?;
        let eval = match played.score {
            Some(ReportedScore::Cp(cp)) => Some(cp as f64 / 100.0),
            _ => None,
        };
        out.moves.push(ggf::PlayedMove {
            player: history.to_move(),
            m,
            eval,
            seconds: played.ms.map(|ms| ms / 1000.0),
        });
        history.play(m);
    }
    out.set_result(result(record, &history));
    Some(out.write() + "\n")
}

/// The result by GGF's conventions: the disc difference on the board, or all discs if the game did not end normally.
fn result(record: &GameRecord, history: &GameHistory) -> ggf::GgfResult {
    if record.reason == Termination::Normal
        && let Some(discs) = history.game().discs()
    {
        let score = f64::from(discs.black.count_ones()) - f64::from(discs.white.count_ones());
        return ggf::GgfResult { score, reason: None };
    }
    let all = history.game().discs().map_or(64.0, |discs| f64::from(discs.grid.squares.count_ones()));
    let score = match record.result {
        GameResult::P1Win => all,
        GameResult::P2Win => -all,
        GameResult::Draw => 0.0,
    };
    let reason = match record.reason {
        Termination::TimeForfeit => 't',
        Termination::AdjudicatedDraw | Termination::AdjudicatedExact => 's',
        _ => 'r',
    };
    ggf::GgfResult { score, reason: Some(reason) }
}

#[cfg(test)]
mod tests {
    use super::super::game_record::tests::sample_record;
    use super::*;

    #[test]
    fn pgn_has_tags_move_numbers_and_comments() {
        let text = pgn(&sample_record(1));
        assert!(text.contains("[Black \"A\"]\n[White \"B \\\"two\\\"\"]\n"), "{text}");
        assert!(text.contains("[Termination \"time-forfeit\"]"));
        assert!(text.ends_with("\n\n1. f5 {book} d6 {-1.20/8 0.013s} 2. c3 {+1.30/8 0.013s} 0-1\n\n"), "{text}");
        let mut other = sample_record(1);
        other.start = Some("8/8/8/3ox3/3xxx2/8/8/8 o".into());
        other.moves.remove(0);
        assert!(pgn(&other).contains("\n1... d6 {-1.20/8 0.013s} 2. c3"), "{}", pgn(&other));
    }

    #[test]
    fn ggf_round_trips() {
        let text = ggf(&sample_record(1)).unwrap();
        let history = GameHistory::from_start(by_name("othello").unwrap());
        let grid = history.game().discs().unwrap().grid;
        let game = ggf::games(grid, &text).next().unwrap().unwrap();
        assert_eq!(game.moves.len(), 3);
        assert_eq!(game.moves[2].eval, Some(1.3));
        let result = game.result().unwrap();
        assert_eq!((result.score, result.reason), (-64.0, Some('t')));
        let mut other = sample_record(1);
        other.variant = "tictactoe".into();
        assert_eq!(ggf(&other), None);
    }
}
