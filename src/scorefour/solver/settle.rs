//! What a position comes to without a search: wins in sight, forced replies to the end of their chain, and the two
//! arguments that need no search, dead lines and the second player's answers on top.

use std::cell::Cell;
use std::time::Instant;

use crate::scorefour::board::{Board, EVEN_LEVELS, holds_line};
use crate::search::context::{Budget, Stopped, Watch};

/// How many nodes pass between two looks at the stop flag and the clock.
const CHECK_EVERY: u64 = 1_000;

/// Counts nodes for all searches of a solver and tells them when to stop.
pub struct Meter<'a> {
    watch: &'a Watch,
    budget: Budget,
    nodes: Cell<u64>,
    /// The search that has its turn stops when so many nodes are counted.
    turn: Cell<u64>,
    next_check: Cell<u64>,
    spent: Cell<bool>,
}

impl<'a> Meter<'a> {
    /// A meter that stands at `before` nodes.
    pub fn new(watch: &'a Watch, budget: Budget, before: u64) -> Meter<'a> {
        Meter {
            watch,
            budget,
            nodes: Cell::new(before),
            turn: Cell::new(u64::MAX),
            next_check: Cell::new(0),
            spent: Cell::new(false),
        }
    }

    /// Nodes so far: positions played.
    #[inline(always)]
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// Gives the search that comes next so many nodes.
    pub fn give(&self, nodes: u64) {
        self.turn.set(self.nodes().saturating_add(nodes));
        self.next_check.set(0);
    }

    /// Whether all has to stop, and not only the search whose turn is over.
    pub fn is_spent(&self) -> bool {
        self.spent.get()
    }

    #[inline(always)]
    fn count(&self) {
        self.nodes.set(self.nodes.get() + 1);
    }

    /// Fails when the search has to stop.
    #[inline(always)]
    pub fn check(&self) -> Result<(), Stopped> {
        if self.nodes() >= self.next_check.get() { self.look() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn look(&self) -> Result<(), Stopped> {
        let nodes = self.nodes();
        self.watch.count(nodes);
        let late = self.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let over = self.budget.nodes.is_some_and(|limit| nodes > limit);
        self.spent.set(self.spent.get() || self.watch.stopped() || late || over);
        if self.is_spent() || nodes > self.turn.get() {
            self.next_check.set(0); // whatever is asked next stops too
            return Err(Stopped);
        }
        let limit = self.budget.nodes.map_or(u64::MAX, |limit| limit + 1);
        self.next_check.set((nodes + CHECK_EVERY).min(limit));
        Ok(())
    }
}

/// What a position comes to.
#[derive(Clone, Copy, Debug)]
pub enum Settled {
    /// The attacker wins within so many plies.
    Yes(u8),
    /// It does not within the plies asked.
    No,
    /// It has to be searched, from where its forced replies lead to.
    Open {
        /// The position at the end of the chain; it has at least two sensible moves.
        board: Board,
        /// Whether the attacker is to move there.
        attack: bool,
        /// The plies left there.
        left: u8,
    },
}

/// Settles the question whether the attacker wins within `plies`, as far as that needs no search; `attack`: it is to move.
#[inline(always)]
pub fn settle(board: &Board, attack: bool, plies: u8, meter: &Meter<'_>) -> Settled {
    let (mut board, mut attack, mut left) = (*board, attack, plies);
    loop {
        meter.count();
        // 1. A win in sight, of either side; or no plies for one.
        let playable = board.playable();
        if board.own_wins & playable != 0 {
            return if attack && left > 0 { Settled::Yes(plies - left + 1) } else { Settled::No };
        }
        if playable == 0 || left < 2 {
            return Settled::No;
        }
        let moves = board.sensible(playable);
        if moves == 0 {
            return if attack { Settled::No } else { Settled::Yes(plies - left + 2) };
        }
        if left < 3 || !attack && left < 4 {
            return Settled::No;
        }
        // 2. A forced reply.
        if moves & (moves - 1) == 0 {
            board = board.play(moves.trailing_zeros());
            attack = !attack;
            left -= 1;
            continue;
        }
        // 3. Lines that nobody can complete any more.
        let stones = board.own | board.other;
        let first_moves = board.stones().is_multiple_of(2);
        let (attacker, defender) = if attack { (board.own, board.other) } else { (board.other, board.own) };
        if first_moves == attack {
            if Board::first_is_held(attacker, stones, playable) {
                return Settled::No;
            }
        } else if !holds_line(!defender) {
            return Settled::No;
        } else if first_moves {
            // The second player attacks by answering on top: it gets the even levels above what can be played now, some
            // time before the board is full, if the first player gets no line by the same course of play.
            let cells = 64 - board.stones() as u8;
            let line = holds_line(attacker | !stones & EVEN_LEVELS & !playable);
            if left >= cells && line && Board::first_is_held(defender, stones, playable) {
                return Settled::Yes(plies - left + cells);
            }
        }
        return Settled::Open { board, attack, left };
    }
}
