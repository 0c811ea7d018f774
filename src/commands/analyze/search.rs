//! Searches the positions of one game, from the last to the first, with one table: what was found
//! about a position helps the search of the position before it.
//!
//! Best move and played move are scored by the same iteration of one search (MultiPV and
//! [`Limits::extra_moves`]), so that their difference is not one of depth.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::plan::SearchPlan;
use super::result::{MoveAnalysis, PositionAnalysis, PositionSearch, ScoredLine};
use crate::engine::options::Options;
use crate::game::score::Score;
use crate::game::{Game, Move};
use crate::games::any::{AnyGame, AnyPosition};
use crate::games::dispatch;
use crate::games::reversi::accuracy::AccuracyTable;
use crate::search::stop::SearchControl;
use crate::search::table::Table;
use crate::search::{Answer, Certainty, Goal, Limits, Observer, RootMove, Stops};

/// Analyzes games one by one with the same table.
pub struct GameAnalyzer {
    pub options: Options,
    pub plan: SearchPlan,
    pub table: Table,
}

impl GameAnalyzer {
    /// Analyzes the moves of a game, the last one first, and passes each one to `take`.
    /// `next_control` yields a control for each search until the run is over; then the result is
    /// `None`.
    ///
    /// # Errors
    /// The first error of `take`.
    pub fn analyze(
        &mut self,
        game: &AnyGame,
        mut next_control: impl FnMut() -> Option<Arc<SearchControl>>,
        mut take: impl FnMut(&MoveAnalysis) -> Result<()>,
    ) -> Result<Option<Vec<MoveAnalysis>>> {
        self.table.clear();
        let accuracy = self.accuracy(game);
        let plies: Vec<(AnyPosition, Move)> = game.plies().collect();
        let mut moves: Vec<MoveAnalysis> = Vec::with_capacity(plies.len()); // the last one first
        for (index, &(position, played)) in plies.iter().enumerate().rev() {
            let ply = index + 1;
            let Some(control) = next_control() else {
                return Ok(None);
            };
            let forced = match position.moves().len() {
                1 => forced_line(&position, played, moves.last(), game),
                _ => None,
            };
            let search = forced.or_else(|| self.search(&position, played, accuracy, &control));
            if control.stopped() {
                return Ok(None); // the search may be incomplete
            }
            let analysis = search
                .and_then(|search| MoveAnalysis::of(&position, ply, played, search))
                .with_context(|| format!("ply {ply}: the search has no score"))?;
            take(&analysis)?;
            moves.push(analysis);
        }
        moves.reverse();
        Ok(Some(moves))
    }

    /// Scores all legal moves of the present position, best first.
    ///
    /// # Errors
    /// If the game is over.
    pub fn score_moves(&mut self, game: &AnyGame) -> Result<PositionAnalysis> {
        let moves = game.moves();
        let first = moves.first().filter(|_| game.outcome().is_none());
        let &first = first.context("position: the game is over")?;
        self.plan.multi_pv = moves.len();
        let accuracy = self.accuracy(game);
        let position = game.position();
        let search = self.search(&position, first, accuracy, &Arc::default());
        Ok(PositionAnalysis {
            variant: game.name(),
            position: position.write_position(),
            search: search.context("ply 1: the search has no score")?,
        })
    }

    /// The accuracy table that is valid for the searches of this game.
    fn accuracy(&self, game: &AnyGame) -> Option<&'static AccuracyTable> {
        let weights = self.options.settings.weights.as_ref();
        dispatch::accuracy(game.position(), weights).ok()
    }

    /// Searches one position; `None` if the search ended before it scored the move played.
    fn search(
        &self,
        position: &AnyPosition,
        played: Move,
        accuracy: Option<&AccuracyTable>,
        control: &Arc<SearchControl>,
    ) -> Option<PositionSearch> {
        let started = Instant::now();
        let plies_left = position.plies_left();
        let is_exact = plies_left <= self.plan.exact;
        let goal = match position.discs() {
            _ if !is_exact => Goal::BestMove,
            Some(_) => Goal::Exact,
            None => Goal::WinLossDraw,
        };
        let limited = if is_exact {
            Stops::default()
        } else {
            self.plan.stops.clone()
        };
        let stops = Stops { started, ..limited };
        let limits = Limits {
            multi_pv: self.plan.multi_pv,
            extra_moves: vec![played],
            ..Limits::new(goal, stops)
        };
        let think = |limits: &Limits| {
            let mut observer = Observer {
                control: control.clone(),
                ..Observer::default()
            };
            dispatch::think(
                *position,
                &self.options.settings,
                &self.table,
                limits,
                &mut observer,
            )
        };
        let mut answer = think(&limits);
        if answer.extra.is_empty() && !control.stopped() {
            // The limit ended the first iteration.
            let mut first = limits.clone();
            first.stops = Stops {
                depth: Some(1),
                started,
                ..Stops::default()
            };
            answer = think(&first);
        }
        let (lines, proven) = scored_lines(position, &answer, played, goal == Goal::WinLossDraw)?;
        let measured = accuracy.and_then(|table| {
            Some(
                table
                    .row(plies_left, answer.depth, answer.selectivity)?
                    .errors
                    .mean,
            )
        });
        Some(PositionSearch {
            depth: answer.depth,
            selectivity: answer.selectivity,
            proven,
            expected_error: if proven { Some(0.0) } else { measured },
            nodes: answer.counters.nodes,
            seconds: started.elapsed().as_secs_f64(),
            lines,
        })
    }
}

/// The lines of a search and of the move played, best first, and whether all of them are proven;
/// `None` if that move has no score.
fn scored_lines(
    position: &AnyPosition,
    answer: &Answer,
    played: Move,
    win_loss_draw: bool,
) -> Option<(Vec<ScoredLine>, bool)> {
    let stones = position.stones();
    let score_of = |root: &RootMove| match root.certainty {
        Certainty::WinLossDraw if win_loss_draw && !root.score.is_decided() => {
            root.score.0.signum() * Score::DECIDED.0
        }
        _ => root.score.seen_from(stones).0,
    };
    let mut roots: Vec<&RootMove> = answer.best.iter().collect();
    let own = answer.extra.iter().find(|root| root.m == played)?;
    if roots.iter().all(|root| root.m != played) {
        roots.push(own);
    }
    // Statistical cuts can give the played move a higher score than the best one.
    roots.sort_by_key(|root| std::cmp::Reverse(score_of(root)));
    let is_proven = |root: &&RootMove| root.certainty != Certainty::Heuristic;
    let proven = answer.certainty != Certainty::Heuristic && roots.iter().all(is_proven);
    let line = |root: &RootMove| ScoredLine {
        score: score_of(root),
        pv: position.write_moves(&root.pv),
    };
    Some((roots.into_iter().map(line).collect(), proven))
}

/// The line of a forced move, from the analysis of the next position or the result of the game;
/// `None` if there is neither.
fn forced_line(
    position: &AnyPosition,
    played: Move,
    next: Option<&MoveAnalysis>,
    game: &AnyGame,
) -> Option<PositionSearch> {
    let is_win_at_distance = |score: i32| {
        position.discs().is_none() && Score(score).is_decided() && score.abs() < Score::DECIDED.0
    };
    let mut pv = vec![position.write_move(played)];
    let (score, known) = match next {
        Some(next) => {
            let mut score = -next.best_score;
            if is_win_at_distance(score) {
                score -= score.signum(); // one ply farther from the end
            }
            let known = next.search.clone();
            pv.extend_from_slice(&known.lines.first()?.pv);
            let depth = known.depth.saturating_add(AnyPosition::cost(played));
            (score, PositionSearch { depth, ..known })
        }
        None => {
            let score = -game.final_score()?.seen_from(position.stones());
            let proven = PositionSearch {
                depth: position.plies_left(),
                selectivity: 100,
                proven: true,
                expected_error: Some(0.0),
                ..PositionSearch::default()
            };
            (score.0, proven)
        }
    };
    Some(PositionSearch {
        nodes: 0,
        seconds: 0.0,
        lines: vec![ScoredLine { score, pv }],
        ..known
    })
}
