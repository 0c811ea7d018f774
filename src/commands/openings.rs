//! `nullwindow openings`: generates openings from random moves whose score, found by a search, lies
//! in a range: balanced ones, or sets with an advantage of a chosen size.
//!
//! Earlier versions generated the built-in lists of the match runner (`src/games/opening_lists`); the
//! first line of each list is its command. Symmetric positions count as one. The output depends on
//! the arguments and the engine alone.

use std::collections::HashSet;
use std::fmt;
use std::io::Write;
use std::str::FromStr;

use anyhow::{Context, Error, Result, ensure};

use crate::commands::depth;
use crate::game::Game;
use crate::game::rng::Rng;
use crate::games::any::AnyGame;
use crate::logging::progress::ProgressLine;
use crate::search::table::Table;
use crate::search::{Certainty, Limits};
use crate::setup::{EVAL, GAME, SEARCH, Setup, positive, uses};

/// The command stops after this many consecutive random lines without a new position.
const MAX_FAILED_LINES: usize = 50_000;
/// The size of the table in MiB: small because it is cleared before each search.
const TABLE_MIB: usize = 4;
/// A preliminary search to the depth divided by this rejects positions far from the range.
const PRELIMINARY_DIVISOR: u8 = 2;
/// The distance from the range that the preliminary search accepts, as a multiple of the range's
/// largest absolute value.
const PRELIMINARY_MARGIN: i32 = 2;

#[derive(clap::Args, Debug)]
#[command(args = uses(&[GAME, SEARCH, EVAL]))]
pub struct Args {
    /// Length of each opening in plies
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = positive::<usize>)]
    plies: usize,

    /// Maximum number of openings
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = positive::<usize>)]
    count: usize,

    /// Search depth in plies
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = depth())]
    depth: u8,

    /// Accept scores from -SCORE to SCORE, in hundredths of a point
    #[arg(long, value_name = "SCORE", default_value_t = 100, value_parser = clap::value_parser!(i32).range(0..))]
    within: i32,

    /// Accept scores from A to B, in hundredths of a point. Without signs, the absolute value counts:
    /// with 400-800 either side is ahead by 4 to 8 points. With a sign, the score of the side to
    /// move counts: -400--200, -200-+600
    #[arg(
        long,
        value_name = "A-B",
        conflicts_with = "within",
        allow_hyphen_values = true
    )]
    score: Option<ScoreRange>,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// A range of scores in hundredths of a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ScoreRange {
    low: i32,
    high: i32,
    /// Whether it is for the score of the side to move; otherwise for its absolute value.
    is_signed: bool,
}

impl ScoreRange {
    /// How far a score of the side to move lies outside the range; 0 inside.
    fn distance(self, score: i32) -> u32 {
        let score = if self.is_signed { score } else { score.abs() };
        score.abs_diff(score.clamp(self.low, self.high))
    }

    /// Whether a score of a shallower search is near enough for a deeper one.
    fn is_near(self, score: i32) -> bool {
        let largest = self.low.saturating_abs().max(self.high.saturating_abs());
        self.distance(score) <= largest.saturating_mul(PRELIMINARY_MARGIN).unsigned_abs()
    }
}

impl FromStr for ScoreRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<ScoreRange> {
        let is_signed = |bound: &str| bound.starts_with(['+', '-']);
        let parse = || {
            let at = text.get(1..)?.find('-')?; // the first character may be a sign
            let (low, high) = (&text[..=at], &text[at + 2..]);
            Some(ScoreRange {
                low: low.parse().ok()?,
                high: high.parse().ok()?,
                is_signed: is_signed(low) || is_signed(high),
            })
        };
        let range = parse().context("expected A-B, such as 400-800 or -400--200")?;
        ensure!(
            range.low <= range.high,
            "{} exceeds {}",
            range.low,
            range.high
        );
        Ok(range)
    }
}

impl fmt::Display for ScoreRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_signed {
            write!(f, "{:+}-{:+}", self.low, self.high)
        } else {
            write!(f, "{}-{}", self.low, self.high)
        }
    }
}

impl Args {
    /// The accepted scores, and the option that selects them.
    fn range(&self) -> (ScoreRange, String) {
        let within = ScoreRange {
            low: 0,
            high: self.within,
            is_signed: false,
        };
        self.score.map_or_else(
            || (within, format!("--within {}", self.within)),
            |range| (range, format!("--score {range}")),
        )
    }
}

/// Finds openings and prints each as it is found: its moves, then its score for the side to move.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let start = setup.board(None)?;
    let most = usize::from(start.plies_left()) - 1;
    ensure!(
        args.plies <= most,
        "--plies {}: expected 1 to {most} for {}",
        args.plies,
        start.name()
    );
    let engine_options: String = setup
        .options
        .iter()
        .map(|(name, value)| format!(" --option \"{name}={value}\""))
        .collect();
    let (range, selected) = args.range();
    writeln!(
        out,
        "# nullwindow openings --game {} --plies {} --count {} --depth {} {selected} --seed {}{engine_options}",
        start.name(),
        args.plies,
        args.count,
        args.depth,
        args.seed
    )?;
    let bar = ProgressLine::bar(args.count as u64, "openings");
    let (mut table, options) = (Table::new(TABLE_MIB), setup.options()?);
    // The score of the side to move, and whether it is exact.
    let mut score = |board: &AnyGame, depth| -> Result<(i32, bool)> {
        table.clear(); // earlier searches must not affect the score
        let answer = options.search(board.position(), &table, &Limits::to_depth(depth));
        let score = answer.score().context("the game is over")?;
        Ok((
            score.seen_from(board.stones()).0,
            answer.certainty == Certainty::Exact,
        ))
    };
    let mut rng = Rng::new(args.seed);
    let (mut seen, mut found, mut failed) = (HashSet::new(), 0, 0);
    while found < args.count && failed < MAX_FAILED_LINES {
        let board = random_line(&start, args.plies, &mut rng)?;
        let Some(board) = board.filter(|board| seen.insert(board.position().canonical().packed()))
        else {
            failed += 1;
            continue;
        };
        failed = 0;
        let (value, is_exact) = score(&board, (args.depth / PRELIMINARY_DIVISOR).max(1))?;
        if !range.is_near(value) && !is_exact {
            continue;
        }
        let (value, is_exact) = score(&board, args.depth)?;
        if range.distance(value) > 0 {
            continue;
        }
        found += 1;
        bar.inc();
        let words = board.write_moves(board.history());
        let exact = if is_exact { " exact" } else { "" };
        writeln!(out, "{} # cp {value}{exact}", words.join(" "))?;
        out.flush()?;
    }
    ensure!(
        found > 0,
        "no opening of {} plies found: no position with {selected} in {MAX_FAILED_LINES} random games",
        args.plies
    );
    Ok(true)
}

/// The position after `plies` random moves from the start; `None` if the game ends or a side has to
/// pass.
pub fn random_line(start: &AnyGame, plies: usize, rng: &mut Rng) -> Result<Option<AnyGame>> {
    let mut board = start.clone();
    for _ in 0..plies {
        match rng.choose(&board.moves()) {
            Some(&m) if !m.is_pass() => board.play(m)?,
            _ => return Ok(None),
        }
    }
    let moves = board.moves();
    Ok(moves.first().is_some_and(|m| !m.is_pass()).then_some(board))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;
    use crate::game::score::Score;
    use crate::games::{any, record};

    fn list(game: &str, words: &[&str]) -> Vec<String> {
        list_with(game, words, Vec::new())
    }

    fn list_with(game: &str, words: &[&str], options: Vec<(String, String)>) -> Vec<String> {
        try_list(game, words, options).unwrap()
    }

    fn try_list(game: &str, words: &[&str], options: Vec<(String, String)>) -> Result<Vec<String>> {
        let args = <Args as clap::FromArgMatches>::from_arg_matches(
            &<Args as clap::Args>::augment_args(clap::Command::new("openings"))
                .get_matches_from([&["openings"], words].concat()),
        )
        .unwrap();
        let setup = Setup {
            game: Some(game.into()),
            options,
            ..Setup::default()
        };
        let mut out = Vec::new();
        run(&args, &setup, &mut out)?;
        Ok(String::from_utf8(out)?.lines().map(String::from).collect())
    }

    #[test]
    fn tic_tac_toe_has_five_drawn_second_moves() {
        // Of the twelve positions after two moves (up to symmetry) those are drawn that answer the
        // center by a corner, a corner by the center, and an edge by the center, a corner beside it
        // or the opposite edge.
        let lines = list(
            "tictactoe",
            &["--plies", "2", "--depth", "9", "--within", "0"],
        );
        assert!(lines[0].starts_with("# nullwindow openings --game tictactoe --plies 2 "));
        assert_eq!(lines.len() - 1, 5, "{lines:?}");
        assert!(
            lines[1..].iter().all(|line| line.ends_with("# cp 0 exact")),
            "{lines:?}"
        );
    }

    #[test]
    fn a_range_selects_the_absolute_score_or_the_score_of_the_side_to_move() {
        let words = |range| ["--plies", "2", "--depth", "9", "--score", range];
        // The other seven of the twelve positions are won for the side to move.
        for range in ["9000-10000", "+9000-+10000", "-5-10000"] {
            let lines = list("tictactoe", &words(range));
            let won = if range == "-5-10000" { 12 } else { 7 };
            assert_eq!(lines.len() - 1, won, "{range}: {lines:?}");
            let range = range.replace("-5-1", "-5-+1");
            assert!(lines[0].contains(&format!(" --score {range} --seed 1")));
        }
        let error = try_list("tictactoe", &words("-10000--9000"), Vec::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no opening of 2 plies found: no position with --score -10000--9000 in 50000 random games"
        );
        let words = ["--plies", "3", "--depth", "9", "--score", "-10000--9000"];
        let lines = list("tictactoe", &words);
        let is_lost = |line: &String| line.contains("# cp -99") && line.ends_with(" exact");
        assert!(
            lines.len() > 1 && lines[1..].iter().all(is_lost),
            "{lines:?}"
        );
    }

    #[test]
    fn a_win_in_n_plies_has_the_score_10000_less_n() {
        for (game, plies) in [("tictactoe", "4"), ("scorefour", "20")] {
            let words = ["--plies", plies, "--depth", "4", "--score", "+9999-+9999"];
            let lines = list(game, &[&words[..], &["--count", "3"]].concat());
            assert_eq!(lines.len(), 4, "{lines:?}");
            for line in &lines[1..] {
                let moves = line.split(" #").next().unwrap();
                let board = record::parse(&any::by_name(game).unwrap(), moves).unwrap();
                let wins = |m: &Move| {
                    let mut game = board.game.clone();
                    game.play(*m).unwrap();
                    game.final_score().is_some_and(Score::is_decided)
                };
                assert!(board.game.moves().iter().any(wins), "{line}");
            }
        }
    }

    #[test]
    fn within_is_the_range_from_zero() {
        let words = |range| ["--plies", "5", "--count", "6", "--depth", "4", range];
        let within = list("othello", &words("--within=200"));
        let range = list("othello", &words("--score=0-200"));
        assert_eq!(within[1..], range[1..]);
        assert!(within[0].contains(" --within 200 ") && range[0].contains(" --score 0-200 "));
    }

    #[test]
    fn ranges_are_parsed_and_written() {
        let range = |text: &str| text.parse::<ScoreRange>();
        for text in ["0-100", "400-800", "-400--200", "-200-+600", "+0-+5"] {
            assert_eq!(range(text).unwrap().to_string(), text);
        }
        assert_eq!(range("-200-600").unwrap(), range("-200-+600").unwrap());
        let both = range("400-800").unwrap();
        let distances = [-900, -800, -399, 0, 400, 1000].map(|score| both.distance(score));
        assert_eq!(distances, [100, 0, 1, 400, 0, 200]);
        let behind = range("-400--200").unwrap();
        assert_eq!([-300, 300].map(|score| behind.distance(score)), [0, 500]);
        for text in [
            "", "-", "5", "-5", "5-", "-5-", "5..6", "a-b", "1-2-3", "é-1",
        ] {
            assert!(range(text).is_err(), "{text}");
        }
        let error = range("300-100").unwrap_err();
        assert_eq!(error.to_string(), "300 exceeds 100");
    }

    #[test]
    fn engine_options_are_used_and_the_widest_window_accepts_all() {
        let words = [
            "--plies",
            "6",
            "--count",
            "4",
            "--depth",
            "4",
            "--within",
            "2147483647",
        ];
        let plain = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/games/score_four/eval/plain.txt"
        );
        let options = vec![("EvalFile".into(), plain.into())];
        let (built_in, other) = (
            list("scorefour", &words),
            list_with("scorefour", &words, options),
        );
        assert!(
            other[0].ends_with(&format!(" --seed 1 --option \"EvalFile={plain}\"")),
            "{}",
            other[0]
        );
        assert!(
            built_in.len() == 5 && other.len() == 5 && other[1..] != built_in[1..],
            "{other:?}"
        );
    }

    #[test]
    fn the_same_arguments_give_the_same_list() {
        let words = [
            "--plies", "4", "--count", "5", "--depth", "2", "--within", "300",
        ];
        let lines = list("othello", &words);
        assert_eq!(lines.len(), 6);
        assert_eq!(lines, list("othello", &words));
    }
}
