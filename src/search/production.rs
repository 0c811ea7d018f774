//! The production search as a [`Searcher`]: searches the root by MTD(f) or NegaScout and
//! reconstructs the principal variation from the table.

use std::cmp::Reverse;
use std::marker::PhantomData;

use crate::game::score::{Score, Window};
use crate::game::{Game, Move, to_front};

use super::answer::{Certainty, RootMove};
use super::core::context::Context;
use super::core::isa::Isa;
/// The algorithm at the root, by the kind of its nodes: null windows only, from a first guess, or a
/// full or an aspiration window. It is a type, so that MTD(f) does not compile the search of PV nodes.
pub use super::core::nega_scout::{NodeKind as Driver, NonPvNode as Mtdf, PvNode as NegaScout};
use super::core::nega_scout::{NonPvNode, can_split, null_window, pv_window, splits_at};
use super::core::parallel::search_rest;
use super::core::policy::{Candidate, Candidates, Policy, SearchParams, TABLE_MOVE};
use super::mtdf::{mtdf, variation};
use super::schedule::{Iteration, Objective};
use super::searcher::{BoundReport, ProofSearch, Root, RootBound, Searcher, static_answer};
use super::stats::SearchStats;
use super::stop::{Budget, Stopped};
use super::table::Draft;
use super::trace::ReturnReason;

/// A production search of one position.
pub struct Production<'a, D: Driver, P: Policy> {
    /// The context: policy, table, counters.
    pub cx: Context<'a, P>,
    position: P::Game,
    node: P::Node,
    /// All legal moves; the best move of the last search is first.
    root_moves: Vec<Move>,
    driver: PhantomData<D>,
}

impl<'a, D: Driver, P: Policy> Production<'a, D, P> {
    /// A search of `position` with the context's policy.
    pub fn new(position: P::Game, cx: Context<'a, P>) -> Self {
        let node = cx.policy.root(&position);
        Production {
            node,
            position,
            root_moves: position.moves().to_vec(),
            cx,
            driver: PhantomData,
        }
    }

    /// Returns the value of the best of `moves` in this iteration, and that move; a bound if the
    /// value lies outside `bounds`. `guess` is the first guess of MTD(f) or the center of the
    /// aspiration window.
    pub fn value(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<(Score, Move), Stopped> {
        let params = SearchParams::root(iteration);
        self.cx.step = self.cx.policy.step(&self.position, iteration.depth);
        let first = self.root_moves.iter().copied().find(|m| moves.contains(m));
        let mut best = first.unwrap_or(moves[0]);
        let score = if D::PV {
            let (score, m) = self.aspire(guess, bounds, params, moves)?;
            best = m;
            score
        } else {
            mtdf(guess, self.cx.step, bounds, |window, proven| {
                self.cx.counters.null_windows += 1;
                // A score that the search has reached is most often the value.
                let predicts_all_node = window.alpha == proven.alpha && proven.alpha > bounds.alpha;
                let (score, m) = self.search_root(window, params, moves, predicts_all_node)?;
                if score >= window.beta {
                    best = m;
                }
                let nodes = self.cx.counters.nodes;
                bound(
                    RootBound {
                        score,
                        bound: window.classify(score),
                        m: best,
                        nodes,
                    },
                    &|| self.cx.stats(),
                );
                Ok(score)
            })?
        };
        to_front(&mut self.root_moves, best);
        Ok((score, best))
    }

    /// Aspiration search: a window around the guess, widened on the side on which the search fails.
    fn aspire(
        &mut self,
        guess: Score,
        bounds: Window,
        params: SearchParams,
        moves: &[Move],
    ) -> Result<(Score, Move), Stopped> {
        let Some(mut margin) = P::ASPIRATION else {
            return self.search_root(bounds, params, moves, false);
        };
        let clamped = |score: Score| score.clamp(bounds.alpha, bounds.beta);
        let mut window = Window {
            alpha: clamped(guess - margin),
            beta: clamped(guess + margin),
        };
        loop {
            if window.alpha >= window.beta {
                window = bounds; // the guess lies outside the bounds
            }
            let (score, m) = self.search_root(window, params, moves, false)?;
            margin *= 2;
            if score <= window.alpha && window.alpha > bounds.alpha {
                window = Window {
                    alpha: clamped(score - margin),
                    beta: window.alpha + self.cx.step,
                };
            } else if score >= window.beta && window.beta < bounds.beta {
                window = Window {
                    alpha: window.beta - self.cx.step,
                    beta: clamped(score + margin),
                };
            } else {
                return Ok((score, m));
            }
        }
    }

    /// Searches the root. Returns the fail-soft score and the best (or refuting) move.
    fn search_root(
        &mut self,
        window: Window,
        params: SearchParams,
        moves: &[Move],
        predicts_all_node: bool,
    ) -> Result<(Score, Move), Stopped> {
        let cx = &mut self.cx;
        cx.enter(0)?;
        cx.trace_enter(window, params.depth);
        let mut best = -Score::INFINITE;
        let mut best_move = Move::NONE;
        let mut reason = ReturnReason::Searched;
        let order: Vec<Move> = self
            .root_moves
            .iter()
            .copied()
            .filter(|m| moves.contains(m))
            .collect();
        let split_team = cx
            .team
            .filter(|_| !D::PV && can_split::<P>(params, &self.position));
        for (index, &m) in order.iter().enumerate() {
            if let Some(team) = split_team
                && splits_at(index, order.len(), predicts_all_node)
            {
                let policy = cx.policy;
                let child = |&m| (m, make_child(policy, &self.node, m));
                let rest = order[index..].iter().map(child).collect();
                let first = (index > 0).then_some(best);
                let (score, m) = search_rest(cx, team, rest, first, window, params)?;
                if m != Move::NONE {
                    best_move = m;
                }
                best = score;
                break;
            }
            cx.stop.control.begin_root_move(params.depth, m, index);
            let child = make_child(cx.policy, &self.node, m);
            let below = params.child(P::Game::cost(m));
            let raised = Window {
                alpha: window.alpha.max(best),
                ..window
            };
            cx.trace_next(m, false);
            let score = if D::PV {
                pv_window(cx, m, &child, raised, below, index == 0)?
            } else {
                null_window(cx, m, &child, raised, below, 0)?
            };
            if score > best {
                (best, best_move) = (score, m);
                if score >= window.beta {
                    reason = ReturnReason::Cut;
                    cx.trace_skip(order[index + 1..].iter().copied());
                    break;
                }
            }
        }
        cx.trace_leave(best, reason);
        if best > window.alpha {
            to_front(&mut self.root_moves, best_move); // the next window searches it first
        }
        Ok((best, best_move))
    }

    /// Reconstructs the principal variation of a root move; `score` is exact inside `bounds`.
    ///
    /// Each next move keeps the value, as proven by the table or, if the entry was overwritten, by
    /// a null-window search ([`Production::pv_move`]). If statistical cuts leave no such move, the
    /// PV continues with the first move and its own value. The PV is as long as the iteration is
    /// deep, unless the search is stopped.
    fn principal_variation(
        &mut self,
        first: Move,
        score: Score,
        iteration: Iteration,
        bounds: Window,
    ) -> Vec<Move> {
        let (policy, team) = (self.cx.policy, self.cx.team);
        let child = (
            make_child(policy, &self.node, first),
            SearchParams::root(iteration).child(P::Game::cost(first)),
        );
        let next = |(node, params): &(P::Node, SearchParams), value: Score, window| {
            if params.depth == 0 || policy.position(node).final_score().is_some() {
                return None;
            }
            let mut found = self.pv_move(node, value, *params, window);
            // `begin_line` extends the limits of this thread, not those of its helpers: go on
            // without them.
            if found.is_err() && self.cx.team.take().is_some() {
                found = self.pv_move(node, value, *params, window);
            }
            let (next, is_proven) = found.ok()?;
            let forced = policy.forced(node) == Some(next.m);
            let params = params.child(if forced { 0 } else { P::Game::cost(next.m) });
            let other = match is_proven {
                true => None,
                false => self
                    .revalue(&next.node, -value, params, window.flipped())
                    .ok(),
            };
            Some((next.m, (next.node, params), other))
        };
        let (mut pv, (node, params)) = variation(first, child, score, bounds, next);
        self.follow_table(node, params, &mut pv);
        self.cx.team = team;
        pv
    }

    /// Extends a PV by forced moves and table moves, without searching.
    fn follow_table(&self, mut node: P::Node, mut params: SearchParams, pv: &mut Vec<Move>) {
        let policy = self.cx.policy;
        while params.depth > 0 && policy.position(&node).final_score().is_none() {
            let moves = policy.position(&node).moves();
            let forced = policy.forced(&node);
            let known = || {
                let key = policy.key(&node, params.depth);
                let best = self.cx.table.and_then(|table| table.probe(&key))?.moves[0];
                moves
                    .iter()
                    .copied()
                    .find(|&m| P::Game::move_image(m, usize::from(key.symmetry)) == best)
            };
            let Some(m) = forced
                .or_else(|| moves.first().copied().filter(|m| m.is_pass()))
                .or_else(known)
            else {
                return;
            };
            params = params.child(if forced.is_some() {
                0
            } else {
                P::Game::cost(m)
            });
            node = make_child(policy, &node, m);
            pv.push(m);
        }
    }

    /// Searches a node by MTD(f). Returns its value; a bound if it lies outside `bounds`.
    fn revalue(
        &mut self,
        node: &P::Node,
        guess: Score,
        params: SearchParams,
        bounds: Window,
    ) -> Result<Score, Stopped> {
        let step = self.cx.step;
        mtdf(guess, step, bounds, |window, _| {
            self.cx.policy.isa().search::<NonPvNode, P>(
                &mut self.cx,
                node,
                window.alpha,
                window.beta,
                params,
            )
        })
    }

    /// Returns a move that keeps the value of an unfinished node, and `true`; if there is none, the
    /// first move and `false`. If the value is at most the lower bound, every move keeps it.
    fn pv_move(
        &mut self,
        node: &P::Node,
        value: Score,
        params: SearchParams,
        bounds: Window,
    ) -> Result<(Candidate<P::Node>, bool), Stopped> {
        let policy = self.cx.policy;
        if let Some(m) = policy.forced(node) {
            return Ok((
                Candidate {
                    m,
                    rank: 0,
                    node: policy.child(node, m),
                },
                true,
            ));
        }
        let moves = policy.position(node).moves();
        let mut candidates: Candidates<P::Node> = moves
            .iter()
            .map(|&m| Candidate {
                m,
                rank: 0,
                node: make_child(policy, node, m),
            })
            .collect();
        if moves[0].is_pass() || value <= bounds.alpha {
            return Ok((candidates[0], true));
        }
        let key = policy.key(node, params.depth);
        if let Some(entry) = self.cx.table.and_then(|table| table.probe(&key)) {
            for candidate in &mut candidates {
                let image = P::Game::move_image(candidate.m, usize::from(key.symmetry));
                candidate.rank = TABLE_MOVE * i32::from(image == entry.moves[0]);
            }
        }
        let cx = &mut self.cx;
        policy.isa().call(
            #[inline(always)]
            || P::order(cx, node, &mut candidates, bounds, params),
        )?;
        cx.enter_many(0)?; // move ordering counts the nodes of shallow searches
        candidates.sort_by_key(|candidate| Reverse(candidate.rank)); // stable
        let mut known = candidates.iter();
        if let Some(known) = known.find(|known| self.keeps_value(known, value, params, bounds)) {
            return Ok((*known, true));
        }
        for candidate in &candidates {
            let below = params.child(P::Game::cost(candidate.m));
            let beta = -value + self.cx.step;
            let child = policy.isa().search::<NonPvNode, P>(
                &mut self.cx,
                &candidate.node,
                -value,
                beta,
                below,
            )?;
            if child <= -value {
                return Ok((*candidate, true));
            }
        }
        Ok((candidates[0], false))
    }

    /// Whether the table proves that the move keeps the value: the child's value is at most its
    /// negation.
    fn keeps_value(
        &self,
        candidate: &Candidate<P::Node>,
        value: Score,
        params: SearchParams,
        bounds: Window,
    ) -> bool {
        let policy = self.cx.policy;
        let position = policy.position(&candidate.node);
        if let Some(score) = position.final_score() {
            return (-score).clamp(bounds.alpha, bounds.beta) == value;
        }
        let depth = params.depth - P::Game::cost(candidate.m);
        let draft = Draft {
            depth: depth.min(position.plies_left()),
            selectivity: params.selectivity,
        };
        let entry = self
            .cx
            .table
            .and_then(|table| table.probe(&policy.key(&candidate.node, depth)));
        entry.is_some_and(|entry| entry.draft == draft && entry.upper <= -value)
    }
}

/// The child after a move. The root is not multiversioned, so every intrinsic of its kernels would
/// be a call.
fn make_child<P: Policy>(policy: &P, node: &P::Node, m: Move) -> P::Node {
    policy.isa().call(
        #[inline(always)]
        || policy.child(node, m),
    )
}

impl<D: Driver, P: Policy> ProofSearch for Production<'_, D, P> {
    fn proven_move(&mut self, line: &[Move], score: Score) -> Result<Option<Move>, Stopped> {
        let policy = self.cx.policy;
        let node = line
            .iter()
            .fold(self.node, |node, &m| make_child(policy, &node, m));
        let position = policy.position(&node);
        let params = SearchParams {
            ply: line.len() as u8, // the policy derives the size of the tree from it
            ..SearchParams::root(Iteration::full(position.plies_left()))
        };
        self.cx.step = policy.step(position, params.depth);
        let (found, is_proven) = self.pv_move(&node, score, params, Window::FULL)?;
        Ok(is_proven.then_some(found.m))
    }

    fn nodes(&self) -> u64 {
        self.cx.counters.nodes
    }
}

impl<D: Driver, P: Policy> Searcher for Production<'_, D, P> {
    fn root(&self) -> Root {
        Root::of(&self.position)
    }

    fn schedule(&self, depth: u8, objective: Objective) -> Vec<Iteration> {
        self.cx.policy.schedule(&self.position, depth, objective)
    }

    fn evaluate(&mut self, moves: &[Move]) -> RootMove {
        let policy = self.cx.policy;
        self.cx.enter_static();
        static_answer(&self.position, moves, |position| {
            let node = policy.root(position);
            let score = policy.isa().call(
                #[inline(always)]
                || policy.evaluate(&node),
            );
            self.cx.leaf(score)
        })
    }

    fn search(
        &mut self,
        iteration: Iteration,
        guess: Score,
        bounds: Window,
        moves: &[Move],
        bound: &mut BoundReport<'_>,
    ) -> Result<RootMove, Stopped> {
        self.cx.trace_iteration(iteration, guess);
        let (score, m) = self.value(iteration, guess, bounds, moves, bound)?;
        self.cx.trace_variation();
        // A null window proves a bound, and a bound has no PV.
        if bounds.is_null(self.cx.step) {
            return Ok(RootMove::heuristic(m, score, vec![m]));
        }
        let is_proven = iteration.depth >= self.position.plies_left() || score.is_decided();
        if is_proven && iteration.selectivity == Draft::FULL {
            self.cx.stop.begin_line();
        }
        let pv = self.principal_variation(m, score, iteration, bounds);
        self.cx.end_line(&pv);
        Ok(RootMove::heuristic(m, score, pv))
    }

    fn leads_to_end(&self, root: &RootMove, claim: Certainty) -> bool {
        root.leads_to_end(&self.position, claim)
    }

    fn nodes_to_solve(&self, plies_left: u8) -> Option<f64> {
        P::SOLVING_COST.map(|cost| cost.at(plies_left))
    }

    fn set_budget(&mut self, budget: Budget) {
        self.cx.stop.set_budget(budget);
    }

    fn release_helpers(&mut self) {
        if let Some(team) = self.cx.team {
            team.end();
        }
    }

    fn stats(&self) -> SearchStats {
        self.cx.stats()
    }
}
