//! The text output: a table of the moves of each game, a summary of each player, and a table of all
//! players. Lines have at most 100 columns.

use std::io::{self, Write};

use super::result::{
    GameAnalysis, MoveAnalysis, PHASES, PositionAnalysis, PositionSearch, Tally, loss,
};
use super::totals::{AnalysisTotals, PlayerTotals};
use crate::game::score::Score;
use crate::game::{Outcome, Player, counted, printable};
use crate::games::any::AnyPosition;

/// The largest number of columns of a line.
const WIDTH: usize = 100;
/// The widths of names and of the best moves.
const NAME: usize = 24;
const MOVES: usize = 11;

/// How the scores of a game are written.
#[derive(Clone, Copy, Debug)]
pub struct ScoreStyle {
    /// Whether the game is scored by discs.
    pub has_discs: bool,
    /// The score of a point.
    pub unit: f64,
    /// The names of the sides.
    pub sides: [&'static str; 2],
    /// The marks of losses as in annotated games, with the least loss in points.
    pub marks: &'static [(f64, &'static str)],
    /// The name of the points, in the plural.
    pub points: &'static str,
}

/// The style of games scored by discs.
const DISCS: ScoreStyle = ScoreStyle {
    has_discs: true,
    unit: 100.0,
    sides: ["black", "white"],
    marks: &[(10.0, "??"), (4.0, "?"), (2.0, "?!")],
    points: "discs",
};

/// The style of games won by a line.
const LINES: ScoreStyle = ScoreStyle {
    has_discs: false,
    unit: Score::DECIDED.0 as f64,
    sides: ["x", "o"],
    marks: &[(2.0, "??"), (0.9, "?")],
    points: "half points",
};

impl ScoreStyle {
    /// The style of a game.
    pub fn of(position: &AnyPosition) -> ScoreStyle {
        position.discs().map_or(LINES, |_| DISCS)
    }

    /// The name of a side.
    fn side(self, player: Player) -> &'static str {
        self.sides[player as usize]
    }

    /// A score: in discs, or in the units of the evaluation.
    fn score(self, score: i32) -> String {
        if self.has_discs {
            format!("{:+.2}", f64::from(score) / self.unit)
        } else {
            format!("{score:+}")
        }
    }

    /// A loss in the units of a score; empty for none.
    fn loss(self, loss: i32) -> String {
        match (loss, self.has_discs) {
            (0, _) => String::new(),
            (_, true) => format!("{:.2}", f64::from(loss) / self.unit),
            (_, false) => loss.to_string(),
        }
    }

    /// The mark of a loss.
    pub fn mark(self, loss: i32) -> &'static str {
        let points = f64::from(loss) / self.unit;
        self.marks
            .iter()
            .find(|&&(least, _)| points >= least)
            .map_or("", |&(_, mark)| mark)
    }
}

/// Prints the legal moves of a position with their scores and losses.
pub fn write_position(
    analysis: &PositionAnalysis,
    style: ScoreStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    let PositionAnalysis {
        position, search, ..
    } = analysis;
    let PositionSearch {
        proven,
        nodes,
        seconds,
        lines,
        ..
    } = search;
    let depth = if *proven { "" } else { "depth " };
    let depth = format!("{depth}{}", depth_text(search));
    let error = error_text(search).map_or(String::new(), |error| format!(", mean error {error}"));
    writeln!(
        out,
        "{position}: {depth}{error}, {}, {seconds:.1} s",
        counted(nodes, "node", "nodes")
    )?;
    writeln!(out, "{:<5} {:>7} {:>6}    line", "move", "score", "loss")?;
    let best = lines.first().map_or(0, |line| line.score);
    for line in lines {
        let loss = loss(best, line.score);
        let mut row = format!(
            "{:<5} {:>7} {:>6} {:<2}",
            line.word(),
            style.score(line.score),
            style.loss(loss),
            style.mark(loss)
        );
        add_line(&mut row, &line.pv);
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// The depth of a search, or that its scores are proven.
fn depth_text(search: &PositionSearch) -> String {
    match (search.depth, search.selectivity) {
        _ if search.proven => "proven".into(),
        (depth, 100) => depth.to_string(),
        (depth, percent) => format!("{depth}@{percent}%"),
    }
}

/// The measured error of scores that are not proven.
fn error_text(search: &PositionSearch) -> Option<String> {
    let error = search.expected_error.filter(|_| !search.proven);
    error.map(|error| format!("{error:.1}"))
}

/// Adds a line to a row, as far as the width allows.
fn add_line(row: &mut String, pv: &[String]) {
    for word in pv {
        if row.chars().count() + 1 + word.len() > WIDTH {
            break;
        }
        *row += " ";
        *row += word;
    }
}

/// Prints the title, the moves and the summaries of a game.
pub fn write_game(game: &GameAnalysis, style: ScoreStyle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", title(game, style))?;
    if let Some(start) = &game.start {
        writeln!(out, "start: {start}")?;
    }
    if let Some(opening) = &game.opening {
        writeln!(out, "opening: {opening}")?;
    }
    writeln!(
        out,
        "{:>3} {:<5} {:<5} {:>7} {:>7} {:<MOVES$} {:>6}    {:>8} {:>5}  line",
        "ply", "side", "move", "score", "best", "best moves", "loss", "depth", "error"
    )?;
    for analysis in &game.moves {
        writeln!(out, "{}", row(analysis, style))?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:<NAME$} {:>5} {:>11} {:>9} {:>8}  {}",
        "player",
        "moves",
        "best",
        "lost",
        "per move",
        PHASES.map(|phase| format!("{phase:>8}")).join(" ")
    )?;
    for player in Player::BOTH {
        let summary = &game.summary[player as usize];
        let phases = summary.phases.map(|phase| lost_per_move(&phase));
        writeln!(
            out,
            "{}  {}",
            tally_row(&name(game, player, style), &summary.all),
            phases.join(" ")
        )?;
    }
    for player in Player::BOTH {
        let worst: Vec<String> = game.summary[player as usize]
            .worst
            .iter()
            .filter_map(|&ply| game.moves.get(ply - 1))
            .map(|analysis| {
                format!(
                    "{}. {} ({})",
                    analysis.ply,
                    analysis.played,
                    style.loss(analysis.loss)
                )
            })
            .collect();
        if !worst.is_empty() {
            writeln!(
                out,
                "worst moves of {}: {}",
                style.side(player),
                worst.join(", ")
            )?;
        }
    }
    writeln!(out)
}

/// The heading of a game: where it is from, who played it, and how it ended.
fn title(game: &GameAnalysis, style: ScoreStyle) -> String {
    let mut title = format!(
        "game {} of {}: {}, {} - {}",
        game.number,
        printable(&game.file),
        game.variant,
        name(game, Player::First, style),
        name(game, Player::Second, style)
    );
    for text in [&game.event, &game.date].into_iter().flatten() {
        title += &format!(", {}", printable(text));
    }
    let ending = match game.outcome {
        Some(Outcome::Draw) => "draw".into(),
        Some(Outcome::FirstWins) => format!("{} won", style.side(Player::First)),
        Some(Outcome::SecondWins) => format!("{} won", style.side(Player::Second)),
        None => "not over".into(),
    };
    title += &match (game.result.filter(|_| style.has_discs), game.komi) {
        (Some(result), Some(komi)) => format!(", {result:+} discs, komi {komi}: {ending}"),
        (Some(result), None) => format!(", {result:+} discs"),
        (None, _) => format!(", {ending}"),
    };
    if let Some(stated) = game
        .stated
        .as_ref()
        .filter(|stated| stated.reason != "normal")
    {
        title += &format!(" ({})", stated.reason);
    }
    title
}

/// The name of a player, or of the side if the record has none.
fn name(game: &GameAnalysis, player: Player, style: ScoreStyle) -> String {
    game.players[player as usize]
        .as_deref()
        .map_or_else(|| style.side(player).into(), printable)
}

/// The row of a move.
fn row(analysis: &MoveAnalysis, style: ScoreStyle) -> String {
    let (best, moves) = if analysis.forced {
        (String::new(), "forced".to_owned())
    } else {
        (style.score(analysis.best_score), analysis.best.join(" "))
    };
    let search = &analysis.search;
    let loss = style.loss(analysis.loss);
    let loss = if !analysis.origin.is_engine() && analysis.loss > 0 {
        format!("{:>7}", format!("({loss})"))
    } else {
        format!("{loss:>6} {}", style.mark(analysis.loss))
    };
    let mut row = format!(
        "{:>3} {:<5} {:<5} {:>7} {:>7} {:<MOVES$} {loss:<9} {:>8} {:>5} ",
        analysis.ply,
        style.side(analysis.player),
        analysis.played,
        style.score(analysis.score),
        best,
        shortened(&moves, MOVES),
        depth_text(search),
        error_text(search).unwrap_or_default()
    );
    if let Some(best) = search.lines.first().filter(|_| !analysis.forced) {
        add_line(&mut row, &best.pv);
    }
    row.trim_end().to_owned()
}

/// A text of at most `width` characters: the end of a longer one is replaced by `..`.
fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 2).chain("..".chars()).collect()
}

/// The columns of a tally after a name.
fn tally_row(name: &str, tally: &Tally) -> String {
    let share = match tally.moves {
        0 => String::new(),
        moves => format!(
            "{} ({:.0} %)",
            tally.best,
            100.0 * tally.best as f64 / moves as f64
        ),
    };
    format!(
        "{:<NAME$} {:>5} {share:>11} {:>9.2} {}",
        shortened(name, NAME),
        tally.moves,
        tally.lost,
        lost_per_move(tally)
    )
}

/// The mean loss, right-aligned; `-` without moves.
fn lost_per_move(tally: &Tally) -> String {
    match tally.moves {
        0 => format!("{:>8}", "-"),
        moves => format!("{:>8.2}", tally.lost / moves as f64),
    }
}

/// Prints the table of all players, most games first, and the totals.
pub fn write_totals(
    totals: &AnalysisTotals,
    style: ScoreStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    if totals.games > 1 {
        writeln!(
            out,
            "{:<NAME$} {:>5} {:>11} {:>9} {:>8}  {:>5} {:>14} {:>13}",
            "player",
            "moves",
            "best",
            "lost",
            "per move",
            "games",
            "win-draw-loss",
            "lost per game"
        )?;
        for player in &totals.players {
            let PlayerTotals {
                name,
                games,
                wins,
                draws,
                losses,
                all,
                ..
            } = player;
            writeln!(
                out,
                "{}  {games:>5} {:>14} {:>13.2}",
                tally_row(&printable(name), all),
                format!("{wins}-{draws}-{losses}"),
                all.lost / *games as f64
            )?;
        }
        writeln!(out)?;
    }
    let AnalysisTotals {
        games,
        errors,
        contradictions,
        nodes,
        seconds,
        ..
    } = totals;
    let invalid = match errors {
        0 => String::new(),
        errors => format!(", {errors} invalid"),
    };
    let contradictory = match contradictions {
        0 => String::new(),
        count => format!(", {count} with a contradictory result"),
    };
    writeln!(
        out,
        "total: {}{invalid}{contradictory}, losses in {}; {}, {seconds:.1} s",
        counted(games, "game", "games"),
        style.points,
        counted(nodes, "node", "nodes")
    )
}
