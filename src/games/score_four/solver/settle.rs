//! What a position comes to without a search: wins in sight, forced replies to the end of their chain, and the arguments that
//! need no search, dead lines, zugzwang and answers on top ([`following`]).

use super::follow::{Following, following};
use super::shape::{Folding, Key, shape};
use crate::games::score_four::bitboard::Board;
use crate::search::stop::{Budget, StopCheck, Stopped, Watch};

/// Counts the nodes of a solver and stops it.
#[derive(Clone)]
pub struct Meter<'a> {
    /// Nodes so far: positions played.
    pub nodes: u64,
    watch: &'a Watch,
    /// For the whole solver.
    budget: Budget,
    /// With what is left of a turn.
    stop: StopCheck<'a>,
}

impl<'a> Meter<'a> {
    /// A meter that stands at `before` nodes.
    pub const fn new(watch: &'a Watch, budget: Budget, before: u64) -> Meter<'a> {
        Meter { nodes: before, watch, budget, stop: StopCheck::new(watch, budget) }
    }

    /// Lets the next search stop after so many nodes.
    pub fn give(&mut self, nodes: u64) {
        let limit = self.nodes.saturating_add(nodes);
        let limit = self.budget.nodes.map_or(limit, |all| all.min(limit));
        self.stop.set_budget(Budget { nodes: Some(limit), ..self.budget });
    }

    /// Whether all has to stop, and not only the search whose turn is over.
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent(self.watch, self.nodes)
    }

    /// Fails when the search has to stop.
    #[inline(always)]
    pub fn check(&mut self) -> Result<(), Stopped> {
        self.stop.check(self.nodes)
    }
}

/// What a position comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// The attacker wins within so many plies.
    Yes(u8),
    /// It does not within the plies that are left.
    No,
    /// That has to be searched.
    Open,
}

/// A question on its way through forced replies: does the attacker win within the plies left?
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The position.
    pub board: Board,
    /// Whether the attacker is to move.
    pub attack: bool,
    /// The plies left.
    pub left: u8,
    /// The position's hashes; from [`Question::judge`] on.
    pub key: Key,
    /// The moves worth searching, at least two where the question is open; from [`Question::judge`] on.
    pub moves: u64,
}

impl Question {
    /// The question as it is asked.
    #[inline(always)]
    pub const fn new(board: Board, attack: bool, left: u8) -> Question {
        Question { board, attack, left, key: Key { place: 0, check: 0 }, moves: 0 }
    }

    #[inline(always)]
    fn play(&mut self, move_: u64) {
        *self = Question::new(self.board.play(move_.trailing_zeros()), !self.attack, self.left - 1);
    }

    /// Plays forced replies until somebody has a win in sight or there is a choice. An open question has at least two moves
    /// that do not lose at once.
    #[inline(always)]
    pub fn chase(&mut self, nodes: &mut u64) -> Settled {
        loop {
            *nodes += 1;
            let playable = self.board.playable();
            if self.board.own_wins & playable != 0 {
                return if self.attack && self.left > 0 { Settled::Yes(1) } else { Settled::No };
            }
            if playable == 0 || self.left < 2 {
                return Settled::No;
            }
            let moves = self.board.sensible(playable);
            if moves == 0 {
                return if self.attack { Settled::No } else { Settled::Yes(2) };
            }
            if self.left < 3 || !self.attack && self.left < 4 {
                return Settled::No;
            }
            if moves & (moves - 1) != 0 {
                return Settled::Open;
            }
            self.play(moves);
        }
    }

    /// What the position comes to by argument, after [`Question::chase`] left it open; `folding` says which positions are one.
    /// Sets the key and the moves.
    #[inline(always)]
    pub fn judge(&mut self, folding: Folding) -> Settled {
        let board = &self.board;
        // 1. Answers on top. A win by them may take all the cells that are left.
        let cells = 64 - board.stones() as u8;
        let (attacker, defender, wins, losses) = if self.attack {
            (board.own, board.other, board.own_wins, board.other_wins)
        } else {
            (board.other, board.own, board.other_wins, board.own_wins)
        };
        let empty = !(attacker | defender);
        let to_move = self.attack;
        if following(attacker, defender, losses, !to_move) != Following::Open
            || losses & empty != 0 && following(attacker, defender, 0, !to_move) != Following::Open
        {
            return Settled::No;
        }
        if !to_move && self.left >= cells && following(defender, attacker, wins, false) == Following::Wins {
            return Settled::Yes(cells);
        }
        // 2. Lines that nobody can complete any more.
        let shape = shape(board, folding);
        if !(if self.attack { shape.own_lives } else { shape.other_lives }) {
            return Settled::No;
        }
        // 3. Zugzwang: only moves are left below a cell that wins for the other side.
        let moves = shape.moves & !(board.other_wins >> 16) | shape.spare;
        if moves == 0 {
            return if self.attack || shape.moves == 0 { Settled::No } else { Settled::Yes(cells) };
        }
        (self.key, self.moves) = (shape.key, moves);
        Settled::Open
    }

    /// Goes on from [`Question::judge`] where that leaves one move only, until there is a choice.
    #[inline(always)]
    pub fn settle(&mut self, folding: Folding, nodes: &mut u64) -> Settled {
        loop {
            match self.judge(folding) {
                Settled::Open if self.moves & (self.moves - 1) == 0 => self.play(self.moves),
                settled => return settled,
            }
            match self.chase(nodes) {
                Settled::Open => {}
                settled => return settled,
            }
        }
    }
}
