//! `nullwindow lab selfplay`: plays Othello or Score Four from random openings at a fixed depth and
//! writes a record per position. Othello's last 12 empties are solved; Score Four ends when a
//! search finds a decided score.
//!
//! Games that begin with fewer random moves would be alike. Othello's positions of the first plies
//! are therefore games of one record: the score of a deeper search is the result.
//!
//! A game depends on its seed and number alone: the search table is cleared before each game, and
//! exact scores do not depend on the contents of the solver's table. Games are written in the order
//! of their numbers, so the file is resumable and independent of the number of threads.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::game_file::{GameFileHeader, GameFileWriter, PositionRecord};
use super::training_game::TrainingGame;
use crate::commands::jobs::JobRunner;
use crate::commands::{report_resumable, threads};
use crate::game::rng::Rng;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::reversi::eval::mobility::Mobility;
use crate::games::reversi::policy::ReversiPolicy;
use crate::games::reversi::{Eight, Othello};
use crate::games::score_four::ScoreFour;
use crate::games::score_four::policy::ScoreFourPolicy;
use crate::games::spec::GameSpec;
use crate::logging::progress::ProgressLine;
use crate::platform::interrupt;
use crate::search::core::context::Context;
use crate::search::core::isa::{Isa, Portable, with_isa};
use crate::search::core::policy::Policy;
use crate::search::production::{Driver, Mtdf, Production};
use crate::search::schedule::{Iteration, deepen};
use crate::search::stop::SearchControl;
use crate::search::table::{Draft, Table};
use crate::setup::{EVAL, GAME, Setup, check_record, positive, uses};

/// The interval between two progress lines without a terminal.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

/// The engine options that have an effect on it.
pub const SELFPLAY_OPTIONS: &[&[&str]] = &[GAME, EVAL];

#[derive(clap::Args, Debug)]
#[command(args = uses(SELFPLAY_OPTIONS), after_help = "Games: othello and scorefour.")]
pub struct Args {
    /// Self-play file to create or resume
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Total number of games in the file
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive::<u64>)]
    games: u64,

    /// Search depth in plies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=20))]
    depth: u8,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads())]
    threads: u16,

    /// Use the mobility evaluation, for the first generation (default: option EvalFile)
    #[arg(long)]
    mobility: bool,
}

/// Plays the game of a number.
type Play = Box<dyn FnMut(u64) -> PlayedGame>;

/// The players of a game.
pub struct Players {
    /// The name of the game.
    pub game: &'static str,
    /// The header of their files.
    pub header: GameFileHeader,
    /// Makes the player of a thread.
    pub player: Box<dyn Fn() -> Play + Sync>,
}

impl Players {
    /// The players of the selected game, which search to this depth.
    ///
    /// # Errors
    /// If the game has no trainable evaluation.
    pub fn new(depth: u8, seed: u64, mobility: bool, setup: &Setup) -> Result<Players> {
        let options = setup.options()?;
        let weights = options.settings.weights.as_ref();
        Ok(match options.game {
            // Only the first generation plays by mobility: one copy of the search, the portable
            // one, is enough.
            Othello::NAME if mobility => Players::of(depth, seed, 0, || {
                ReversiPolicy::<Eight, _, _>::new(Mobility, Portable::token(), Some(Draft::FULL))
            }),
            Othello::NAME => {
                let evaluator = Othello::evaluator(weights);
                with_isa!(options.settings.isa, isa => Players::of(depth, seed, evaluator.id(), move || {
                    ReversiPolicy::<Eight, _, _>::new(evaluator.clone(), isa, Some(Draft::FULL))
                }))
            }
            ScoreFour::NAME => {
                ensure!(
                    !mobility,
                    "--mobility does not apply to Score Four: use --option \
                     EvalFile=src/games/score_four/eval/plain.txt"
                );
                let evaluator = ScoreFour::evaluator(weights);
                with_isa!(options.settings.isa, isa => Players::of(depth, seed, evaluator.id(), move || {
                    ScoreFourPolicy::new(evaluator.clone(), isa, None)
                }))
            }
            other => bail!(
                "{other} has no trainable evaluation: expected {} or {}",
                Othello::NAME,
                ScoreFour::NAME
            ),
        })
    }

    /// The players with this policy; `weights` is the checksum of its evaluation.
    fn of<P: Policy<Game: TrainingGame> + 'static>(
        depth: u8,
        seed: u64,
        weights: u64,
        policy: impl Fn() -> P + Sync + 'static,
    ) -> Players {
        let player = move || -> Play {
            let mut player = SelfPlayer::new(policy(), depth);
            Box::new(move |number| player.play_game(seed, number))
        };
        let header = GameFileHeader {
            game: P::Game::NUMBER,
            seed,
            weights,
            depth,
        };
        Players {
            game: P::Game::NAME,
            header,
            player: Box::new(player),
        }
    }
}

/// Plays on all threads, with one player each, and writes the games.
pub fn run(args: &Args, setup: &Setup, out: &mut dyn Write) -> Result<bool> {
    let players = Players::new(args.depth, args.seed, args.mobility, setup)?;
    check_record("--out", &args.out, [])?;
    let mut writer = GameFileWriter::open(&args.out, players.header, args.games)?;
    let bar = ProgressLine::bar(args.games, "games");
    bar.begin_at(writer.games);
    let (first, first_position, started) = (writer.games, writer.positions, Instant::now());
    let progress = |writer: &GameFileWriter, out: &mut dyn Write| -> Result<()> {
        let (games, positions) = (writer.games, writer.positions);
        let seconds = started.elapsed().as_secs_f64().max(1e-9);
        writeln!(
            out,
            "{games} of {} games, {positions} positions; {:.0} games/s, {:.0} positions/s",
            args.games,
            (games - first) as f64 / seconds,
            (positions - first_position) as f64 / seconds
        )?;
        Ok(out.flush()?)
    };
    let (mut nodes, mut last_progress) = ([0; 2], started);
    let interrupt = interrupt::channel()?;
    let runner = JobRunner {
        threads: args.threads.into(),
        in_order: true,
        interrupt: &interrupt,
    };
    runner.run(
        first..args.games,
        |_| (players.player)(),
        || (),
        |game| {
            let Some(game) = game else { return Ok(()) };
            writer.append(&game.records)?;
            bar.inc();
            nodes = [nodes[0] + game.nodes[0], nodes[1] + game.nodes[1]];
            if bar.is_hidden() && last_progress.elapsed() >= PROGRESS_INTERVAL {
                last_progress = Instant::now();
                progress(&writer, out)?;
            }
            Ok(())
        },
    )?;
    progress(&writer, out)?;
    if writer.games < args.games {
        report_resumable(None);
        return Ok(false);
    }
    let games = (writer.games - first).max(1) as f64;
    let [search, solver] = nodes.map(|nodes| nodes as f64 / games / 1e3);
    writeln!(
        out,
        "per game: {search:.1} k search nodes, {solver:.1} k solver nodes"
    )?;
    Ok(true)
}

/// Percentage of games with a short opening.
const SHORT_OPENING_PERCENT: u64 = 65;
/// The depth of the search of a position of the first plies.
const FIRST_PLIES_DEPTH: u8 = 8;
/// Percentage of random moves among the solved positions.
const RANDOM_MOVE_PERCENT: u64 = 30;
/// Bytes of the solver's table.
const SOLVER_TABLE_BYTES: usize = 1 << 20;

/// The result of a search.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub score: Score,
    pub best: Move,
    pub nodes: u64,
}

/// Searches a position by MTD(f) in these iterations, each with the score of the previous one as
/// its first guess.
pub fn search<P: Policy>(
    policy: &P,
    table: &Table,
    position: P::Game,
    iterations: impl IntoIterator<Item = Iteration>,
    guess: Score,
) -> Found {
    search_with::<Mtdf, P>(policy, &mut None, table, position, iterations, guess)
}

/// The same by any driver, with the state that an earlier search of this policy left, if there was
/// one.
fn search_with<D: Driver, P: Policy>(
    policy: &P,
    state: &mut Option<P::State>,
    table: &Table,
    position: P::Game,
    iterations: impl IntoIterator<Item = Iteration>,
    guess: Score,
) -> Found {
    let control = SearchControl::default();
    let left = state.take().unwrap_or_default();
    let cx = Context::with_state(policy, left, Some(table), &control);
    let mut search = Production::<D, _>::new(position, cx);
    let moves = position.moves();
    let deepened = deepen(iterations, guess, |iteration, guess| {
        search.value(iteration, guess, Window::FULL, &moves, &mut |_, _| ())
    });
    // The search is never stopped.
    let (score, best) = deepened
        .last()
        .map_or((guess, moves[0]), |(_, score, m)| (score, m));
    let nodes = search.cx.counters.nodes;
    *state = Some(search.cx.state);
    Found { score, best, nodes }
}

/// The static value of a position. It is computed by the code of the policy's instruction set.
pub fn static_value<P: Policy>(policy: &P, position: &P::Game) -> Score {
    policy.isa().call(
        #[inline(always)]
        || policy.evaluate(&policy.root(position)),
    )
}

/// A game of self-play.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The searched positions.
    pub records: Vec<PositionRecord>,
    /// Nodes of the search and of the solver.
    pub nodes: [u64; 2],
}

/// Plays both sides of a game.
pub struct SelfPlayer<P: Policy> {
    policy: P,
    depth: u8,
    table: Table,
    solver_table: Table,
    /// What the searches of the current game left.
    state: Option<P::State>,
    /// The positions of the first plies so far.
    first_plies: HashMap<P::Game, PlayedGame>,
}

impl<P: Policy<Game: TrainingGame>> SelfPlayer<P> {
    /// A player that searches to this depth.
    pub fn new(policy: P, depth: u8) -> SelfPlayer<P> {
        let [table, solver_table] =
            [P::Game::TABLE_BYTES, SOLVER_TABLE_BYTES].map(Table::with_bytes);
        SelfPlayer {
            policy,
            depth,
            table,
            solver_table,
            state: None,
            first_plies: HashMap::new(),
        }
    }

    /// Plays game `number` of a seed.
    pub fn play_game(&mut self, seed: u64, number: u64) -> PlayedGame {
        let mut rng = Rng::for_stream(seed, number);
        self.state = None;
        if P::Game::FIRST_PLIES_PERCENT > 0 && rng.below(100) < P::Game::FIRST_PLIES_PERCENT {
            let plies = rng.below(*P::Game::OPENINGS[0].start());
            if let Some(position) = after_random_moves(plies, &mut rng) {
                return self.first_ply(position);
            }
        }
        let mut position: P::Game = opening(&mut rng);
        let (mut records, mut nodes) = (Vec::new(), [0; 2]);
        let is_solved = |position: &P::Game| position.plies_left() <= P::Game::SOLVED;
        self.table.clear();
        let mut guesses = [Score::ZERO; 2];
        let mut score = loop {
            if position.final_score().is_some() || is_solved(&position) {
                break self.solve(position, guesses[0], &mut nodes[1]);
            }
            let Found {
                score,
                best,
                nodes: visited,
            } = self.search(position, self.depth, guesses[0]);
            nodes[0] += visited;
            records.push(PositionRecord::new(
                &position,
                score,
                score.is_decided(),
                records.is_empty(),
            ));
            if score.is_decided() {
                break score;
            }
            guesses = if best.is_pass() {
                [-score, -guesses[1]]
            } else {
                [guesses[1], score]
            };
            position = position.play(best);
        };
        // The exact score is the result of all positions before it.
        for record in &mut records {
            record.result = P::Game::result(if record.side == position.to_move() {
                score
            } else {
                -score
            });
        }
        while position.final_score().is_none() && is_solved(&position) {
            records.push(PositionRecord::new(
                &position,
                score,
                true,
                records.is_empty(),
            ));
            let moves = position.moves();
            let m = if rng.below(100) < RANDOM_MOVE_PERCENT {
                rng.choose(&moves)
            } else {
                moves.iter().min_by_key(|m| self.value(position.play(**m)))
            };
            let Some(&m) = m else { break };
            position = position.play(m);
            score = self.solve(position, -score, &mut nodes[1]);
        }
        PlayedGame { records, nodes }
    }

    /// Searches a position to a depth.
    fn search(&mut self, position: P::Game, depth: u8, guess: Score) -> Found {
        let iterations = iteration_depths(depth).map(Iteration::full);
        search_with::<<P::Game as TrainingGame>::Driver, _>(
            &self.policy,
            &mut self.state,
            &self.table,
            position,
            iterations,
            guess,
        )
    }

    /// A position of the first plies, as a game of one record.
    fn first_ply(&mut self, position: P::Game) -> PlayedGame {
        if let Some(known) = self.first_plies.get(&position) {
            return known.clone();
        }
        self.table.clear();
        let found = self.search(position, FIRST_PLIES_DEPTH, Score::ZERO);
        let game = PlayedGame {
            records: vec![PositionRecord::new(&position, found.score, false, true)],
            nodes: [found.nodes, 0],
        };
        self.first_plies.insert(position, game.clone());
        game
    }

    /// The final score of a position, or its static value.
    fn value(&self, position: P::Game) -> Score {
        position
            .final_score()
            .unwrap_or_else(|| static_value(&self.policy, &position))
    }

    /// The exact score by MTD(f) from a first guess.
    fn solve(&mut self, position: P::Game, guess: Score, nodes: &mut u64) -> Score {
        if let Some(score) = position.final_score() {
            return score;
        }
        let to_the_end = [Iteration::full(position.plies_left())];
        let found = search_with::<Mtdf, _>(
            &self.policy,
            &mut self.state,
            &self.solver_table,
            position,
            to_the_end,
            guess,
        );
        *nodes += found.nodes;
        found.score
    }
}

/// The depths of iterative deepening: one shallow iteration for move ordering and the first guess,
/// then the full depth, at least 1.
fn iteration_depths(depth: u8) -> impl Iterator<Item = u8> {
    let shallow = depth.saturating_sub(2).max(1);
    [shallow, depth].into_iter().skip(usize::from(depth == 1))
}

/// A position after random moves in which the game is open.
fn opening<G: TrainingGame>(rng: &mut Rng) -> G {
    let [short, long] = G::OPENINGS;
    loop {
        let is_short = rng.below(100) < SHORT_OPENING_PERCENT;
        let plies = rng.within(if is_short { &short } else { &long });
        if let Some(position) = after_random_moves(plies, rng) {
            return position;
        }
    }
}

/// The position after this many random moves, if the game is open.
fn after_random_moves<G: TrainingGame>(plies: u64, rng: &mut Rng) -> Option<G> {
    (0..plies)
        .try_fold(G::start(), |position, _| position.random_child(rng))
        .filter(|position| position.final_score().is_none())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::search::production::NegaScout;
    use crate::search::textbook::{TextbookContext, fail_soft};

    fn othello(depth: u8) -> SelfPlayer<ReversiPolicy<Eight, Mobility, Portable>> {
        SelfPlayer::new(
            ReversiPolicy::new(Mobility, Portable::token(), Some(Draft::FULL)),
            depth,
        )
    }

    fn score_four() -> SelfPlayer<ScoreFourPolicy<Portable>> {
        SelfPlayer::new(
            ScoreFourPolicy::new(ScoreFour::evaluator(None), Portable::token(), None),
            4,
        )
    }

    #[test]
    fn the_last_iteration_has_the_full_depth() {
        for depth in 1..9 {
            assert_eq!(iteration_depths(depth).last(), Some(depth));
        }
    }

    /// The games of fresh players. Each is played twice more by one player: a table that was not
    /// cleared would know its positions the second time.
    fn repeated<P: Policy<Game: TrainingGame>>(
        player: impl Fn() -> SelfPlayer<P>,
        count: u64,
    ) -> Vec<PlayedGame> {
        let mut other = player();
        let games: Vec<_> = (0..count)
            .map(|number| player().play_game(3, number))
            .collect();
        for (number, game) in games.iter().enumerate().rev() {
            for _ in 0..2 {
                let PlayedGame { records, nodes } = other.play_game(3, number as u64);
                assert!(
                    (&records, nodes[0]) == (&game.records, game.nodes[0]),
                    "game {number}"
                );
            }
        }
        games
    }

    #[test]
    fn games_depend_on_seed_and_number_alone() {
        assert!(
            repeated(|| othello(6), 3)
                .iter()
                .any(|game| game.records.len() > 20)
        );
    }

    #[test]
    fn first_plies_have_the_score_of_their_search_as_the_result() {
        let mut player = othello(1);
        let games = (0..200).map(|number| player.play_game(5, number).records);
        let first_plies: Vec<_> = games.filter(|game| game.len() == 1).collect();
        let mut stones = HashSet::new();
        for record in first_plies.iter().map(|game| game[0]) {
            let position: Othello = record.position();
            assert!(record.first && !record.exact && position.plies_left() > 54);
            assert_eq!(i32::from(record.score), 100 * i32::from(record.result));
            let iterations = [6, 8].map(Iteration::full);
            player.table.clear();
            let found = search_with::<NegaScout, _>(
                &player.policy,
                &mut None,
                &player.table,
                position,
                iterations,
                Score::ZERO,
            );
            assert_eq!(i32::from(record.score), found.score.0);
            stones.insert(position.plies_left());
        }
        assert_eq!(stones.len(), 6, "{} positions", first_plies.len());
    }

    #[test]
    fn results_are_those_of_the_side_to_move_and_exact_ones_are_correct() {
        let control = SearchControl::default();
        for number in 0..8 {
            let game = othello(1).play_game(4, number).records;
            let Some(solved) = game.iter().find(|record| record.exact) else {
                continue;
            };
            for record in game.iter().filter(|record| !record.exact) {
                let sign = if record.side == solved.side { 1 } else { -1 };
                assert_eq!(record.result, sign * solved.result);
            }
            for record in game.iter().filter(|record| record.exact) {
                let position: Othello = record.position();
                let left = position.plies_left();
                if left <= 8 {
                    let mut cx = TextbookContext::new(&Mobility, None, &control);
                    let value = fail_soft(&mut cx, &position, left, 0, Window::FULL).unwrap();
                    assert_eq!(100 * i32::from(record.result), value.0);
                }
            }
        }
    }

    #[test]
    fn games_of_score_four_end_with_a_decided_score() {
        let games = repeated(score_four, 4);
        for PlayedGame { records: game, .. } in &games {
            let last = game.last().unwrap();
            assert!(last.exact == (i32::from(last.score).abs() > 9_000));
            assert!(!last.exact || i32::from(last.result) == i32::from(last.score).signum());
            assert!(
                game.windows(2)
                    .all(|pair| pair[0].result == -pair[1].result)
            );
        }
        assert!(
            games
                .iter()
                .any(|game| game.records.iter().any(|record| record.result != 0))
        );
    }
}
