//! The production search without one of its techniques ([`SearchVariant`]): iterations by
//! [`Production::value`](crate::search::production::Production::value), under a deepening loop that
//! can leave out what [`crate::search::deepening`] always does. One thread, no principal variation,
//! no solver of Score Four.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::engine::options::Options;
use crate::game::score::{Score, Window};
use crate::game::{Game, Move};
use crate::games::any::AnyPosition;
use crate::games::spec::GameSpec;
use crate::platform::cpu_time::thread_time;
use crate::search::Limits;
use crate::search::core::context::Context;
use crate::search::core::isa::with_isa;
use crate::search::core::policy::Policy;
use crate::search::levels;
use crate::search::production::{Driver, Mtdf, NegaScout, Production};
use crate::search::schedule::{Objective, deepen};
use crate::search::stats::Counters;
use crate::search::stop::{Budget, SearchControl};
use crate::search::table::{Draft, Table};

/// The production search, or a variant of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchVariant {
    /// What is different.
    pub name: &'static str,
    /// Iterations are driven by NegaScout with an aspiration window instead of MTD(f).
    pub nega_scout: bool,
    /// All iterations of the schedule are searched, not the last one alone. Required to choose a
    /// move within a node budget.
    pub deepening: bool,
    /// The value of the previous iteration is the first guess of the next one, otherwise 0.
    guess: bool,
    /// The best moves of earlier iterations, in the table and at the root, are searched first.
    /// Entries of earlier iterations rarely cut: they are too shallow.
    ordering: bool,
    /// A transposition table is used.
    table: bool,
    /// The selectivity level, if it is not that of the options.
    selectivity: Option<u8>,
}

/// The production search as it is.
pub(super) const BASELINE: SearchVariant = SearchVariant {
    name: "production search",
    nega_scout: false,
    deepening: true,
    guess: true,
    ordering: true,
    table: true,
    selectivity: None,
};

/// The production search, then its variants. The last one uses statistical cuts (and the reductions
/// that go with them) where the production search does not use them, and the other way round;
/// `is_selective`: whether it does.
pub(super) fn variants(is_selective: bool) -> [SearchVariant; 8] {
    let (name, selectivity) = if is_selective {
        ("no statistical cuts (full width)", Some(Draft::FULL))
    } else {
        ("statistical cuts at 73 %", Some(levels::DEFAULT.number))
    };
    [
        BASELINE,
        SearchVariant {
            name: "NegaScout instead of MTD(f)",
            nega_scout: true,
            ..BASELINE
        },
        SearchVariant {
            name: "first guess 0",
            guess: false,
            ..BASELINE
        },
        SearchVariant {
            name: "no ordering by earlier iterations",
            ordering: false,
            ..BASELINE
        },
        SearchVariant {
            name: "no iterative deepening",
            deepening: false,
            guess: false,
            ordering: false,
            ..BASELINE
        },
        SearchVariant {
            name: "no transposition table",
            table: false,
            ..BASELINE
        },
        SearchVariant {
            name: "no table, no deepening",
            table: false,
            deepening: false,
            guess: false,
            ordering: false,
            ..BASELINE
        },
        SearchVariant {
            name,
            selectivity,
            ..BASELINE
        },
    ]
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(super) struct VariantResult {
    /// The move of the last finished iteration; any move if none finished.
    pub m: Move,
    /// Its score.
    pub score: Score,
    /// Whether an iteration of the whole schedule uses statistical cuts.
    pub is_selective: bool,
    /// Whether the last iteration was full width.
    pub is_full_width: bool,
    /// Finished iterations.
    pub iterations: usize,
    /// What was counted.
    pub counters: Counters,
    /// The CPU time.
    pub cpu: Duration,
}

impl SearchVariant {
    /// Searches an unfinished position to a depth, or until this many nodes are visited or a win or
    /// loss is found.
    pub fn search(
        self,
        position: AnyPosition,
        options: &Options,
        limits: &Limits,
        table: &mut Table,
    ) -> Result<VariantResult> {
        Ok(match position {
            AnyPosition::Othello(position) => self.search_typed(position, options, limits, table),
            AnyPosition::ScoreFour(position) => self.search_typed(position, options, limits, table),
            other => bail!("{}: ablation is for othello and scorefour", other.name()),
        })
    }

    fn search_typed<G: GameSpec>(
        self,
        position: G,
        options: &Options,
        limits: &Limits,
        table: &mut Table,
    ) -> VariantResult {
        let settings = &options.settings;
        let selectivity = self.selectivity.or(settings.selectivity);
        with_isa!(settings.isa, isa => {
            let policy = G::policy(G::evaluator(settings.weights.as_ref()), isa, selectivity);
            if self.nega_scout {
                search_variant::<NegaScout, _>(&policy, position, self, limits, table)
            } else {
                search_variant::<Mtdf, _>(&policy, position, self, limits, table)
            }
        })
    }
}

/// Searches by a variant. Ends at the depth limit, or with a win or loss or at the node limit if
/// there is one.
fn search_variant<D: Driver, P: Policy>(
    policy: &P,
    position: P::Game,
    variant: SearchVariant,
    limits: &Limits,
    table: &mut Table,
) -> VariantResult {
    let depth = limits.stops.depth.unwrap_or(u8::MAX);
    let mut schedule = policy.schedule(
        &position,
        depth.min(position.plies_left()),
        Objective::BestMove,
    );
    let moves = position.moves();
    let control = SearchControl::default();
    let started = thread_time();
    let mut result = VariantResult {
        m: moves[0],
        score: Score::ZERO,
        is_selective: schedule
            .iter()
            .any(|iteration| iteration.selectivity != Draft::FULL),
        is_full_width: false,
        iterations: 0,
        counters: Counters::default(),
        cpu: Duration::ZERO,
    };
    if !variant.deepening {
        schedule.drain(..schedule.len().saturating_sub(1));
    }
    table.new_search();
    // Without ordering by earlier iterations, each begins with an empty table and the moves as
    // generated.
    let memory = if variant.ordering {
        schedule.len().max(1)
    } else {
        1
    };
    for iterations in schedule.chunks(memory) {
        if !variant.ordering {
            table.clear();
        }
        let mut cx = Context::new(policy, variant.table.then_some(&*table), &control);
        let nodes = limits
            .stops
            .nodes
            .map(|nodes| nodes.saturating_sub(result.counters.nodes));
        cx.stop.set_budget(Budget {
            nodes,
            ..Budget::default()
        });
        let mut search = Production::<D, _>::new(position, cx);
        let deepened = deepen(
            iterations.iter().copied(),
            result.score,
            |iteration, guess| {
                let guess = if variant.guess { guess } else { Score::ZERO };
                search.value(iteration, guess, Window::FULL, &moves, &mut |_, _| ())
            },
        );
        let mut unfinished = iterations.len();
        for (iteration, score, m) in deepened {
            (result.score, result.m) = (score, m);
            result.is_full_width = iteration.selectivity == Draft::FULL;
            result.iterations += 1;
            unfinished -= 1;
            if nodes.is_some() && score.is_decided() {
                break;
            }
        }
        result.counters += search.cx.counters;
        if unfinished > 0 || nodes.is_some() && result.score.is_decided() {
            break;
        }
    }
    result.cpu = thread_time() - started;
    result
}
