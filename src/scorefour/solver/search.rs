//! Alpha-beta for a question with two answers: does the attacker win within so many plies?
//!
//! An attacker's node is won if one move is, a defender's node if all are. A node plays all its moves first and lets
//! [`settle`] and the table decide what they can; only the rest is searched, the most promising move first. The plies are a
//! bound only: a question without one asks for as many as the board has cells left. (Asked for few plies first, then more,
//! the same positions cost ten times the nodes: a bound cuts proofs off where the end of the line would come by itself.)

use super::cache::{Cache, Known, NEVER};
use super::settle::{Meter, Settled, settle};
use crate::games::score_four::lines_through;
use crate::scorefour::board::Board;
use crate::search::context::Stopped;
use crate::search::isa::{Isa, Task};

/// The answer "not within the plies asked"; any other is a number of plies within which the attacker wins.
pub const NO: u8 = 0;

/// What a move's rank is made from.
struct Weights {
    /// What lies on the lines through its cell ([`WORTH`]).
    lines: i32,
    /// Each sensible reply that the other side does not have, of sixteen.
    replies: i32,
    /// Each cell that newly completes a line.
    wins: i32,
    /// The history counts for its size over two to this power.
    history: u32,
}

/// For the attacker and the defender, by trial on the proven positions: what is not here costs up to ten times the nodes.
const WEIGHTS: [Weights; 2] =
    [Weights { lines: 4, replies: 12, wins: 16, history: 14 }, Weights { lines: 4, replies: 8, wins: 8, history: 13 }];

/// What a line is worth to the one who plays on it, by own and other stones there.
const WORTH: [[i32; 4]; 4] = [[1, 2, 8, 32], [2, 0, 0, 0], [8, 0, 0, 0], [32, 0, 0, 0]];

/// Counts of the history are halved when one has come so far.
const FORGET: u32 = 1 << 20;

/// A search by alpha-beta with its table, which serves both sides' questions.
pub struct Search<'a, I> {
    isa: I,
    cache: Cache,
    meter: &'a Meter<'a>,
    /// How often a move on a cell has been enough, by weight: for the attacker, for the defender.
    history: [[u32; 64]; 2],
}

/// A move with what it leads to.
#[derive(Clone, Copy)]
struct Candidate {
    /// The position behind it and behind the forced replies that follow.
    board: Board,
    rank: i32,
    cell: u8,
    /// Whether the attacker is to move there.
    attack: bool,
    /// The plies left there.
    left: u8,
}

const EMPTY: Candidate = Candidate {
    board: Board { own: 0, other: 0, own_wins: 0, other_wins: 0 },
    rank: 0,
    cell: 0,
    attack: false,
    left: 0,
};

struct Node<'s, 'a, I, const ATTACK: bool> {
    search: &'s mut Search<'a, I>,
    board: &'s Board,
    plies: u8,
}

impl<I: Isa, const ATTACK: bool> Task for Node<'_, '_, I, ATTACK> {
    type Output = Result<u8, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        body::<I, ATTACK>(self.search, self.board, self.plies)
    }
}

struct Question<'s, 'a, I> {
    search: &'s mut Search<'a, I>,
    board: &'s Board,
    attack: bool,
    plies: u8,
}

impl<I: Isa> Task for Question<'_, '_, I> {
    type Output = Result<u8, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Question { search, board, attack, plies } = self;
        match settle(board, attack, plies, search.meter) {
            Settled::Yes(plies) => Ok(plies),
            Settled::No => Ok(NO),
            Settled::Open { board, attack, left } => {
                let answer = search.node(&board, attack, left)?;
                Ok(if answer == NO { NO } else { answer + plies - left })
            }
        }
    }
}

impl<'a, I: Isa> Search<'a, I> {
    /// A search with an empty table of so many MiB.
    pub fn new(isa: I, mebibytes: usize, meter: &'a Meter<'a>) -> Self {
        Search { isa, cache: Cache::new(mebibytes), meter, history: [[0; 64]; 2] }
    }

    /// Within how many plies the attacker wins, at most `plies`, or [`NO`]; `attack`: it is the side to move.
    pub fn ask(&mut self, board: &Board, attack: bool, plies: u8) -> Result<u8, Stopped> {
        let isa = self.isa;
        isa.call(Question { search: self, board, attack, plies })
    }

    #[inline(always)]
    fn node(&mut self, board: &Board, attack: bool, plies: u8) -> Result<u8, Stopped> {
        let isa = self.isa;
        if attack {
            isa.call(Node::<I, true> { search: self, board, plies })
        } else {
            isa.call(Node::<I, false> { search: self, board, plies })
        }
    }

    /// How early a move shall be searched.
    #[inline(always)]
    fn rank<const ATTACK: bool>(&self, board: &Board, cell: u32, child: &Board) -> i32 {
        let weights = &WEIGHTS[usize::from(!ATTACK)];
        let replies = child.sensible(child.playable()).count_ones() as i32;
        let wins = child.other_wins & !board.own_wins & !(child.own | child.other);
        weights.lines * on_lines(board, cell)
            + weights.replies * (16 - replies)
            + weights.wins * wins.count_ones() as i32
            + (self.history[usize::from(!ATTACK)][cell as usize & 63] >> weights.history) as i32
    }

    /// Counts a move that was enough.
    #[inline(always)]
    fn remember<const ATTACK: bool>(&mut self, cell: u8, plies: u8) {
        let side = &mut self.history[usize::from(!ATTACK)];
        let count = &mut side[usize::from(cell) & 63];
        *count += u32::from(plies) * u32::from(plies);
        if *count > FORGET {
            side.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// What lies on the lines through a cell.
#[inline(always)]
fn on_lines(board: &Board, cell: u32) -> i32 {
    let mut sum = 0;
    for &line in lines_through(cell as u8) {
        let own = (line & board.own).count_ones() as usize;
        let other = (line & board.other).count_ones() as usize;
        sum += WORTH[own & 3][other & 3];
    }
    sum
}

/// What is known about the question of a node: the plies of a win, and those without one.
#[inline(always)]
fn answers(known: &Known, attack: bool, plies: u8) -> Option<u8> {
    let (yes, no, never) = if attack {
        (known.wins_in, known.no_win_in, known.loses_in)
    } else {
        (known.loses_in, known.no_loss_in, known.wins_in)
    };
    if yes <= plies {
        Some(yes)
    } else if no >= plies || never < NEVER {
        Some(NO)
    } else {
        None
    }
}

#[inline(always)]
fn body<I: Isa, const ATTACK: bool>(search: &mut Search<'_, I>, board: &Board, plies: u8) -> Result<u8, Stopped> {
    search.meter.check()?;
    let before = search.meter.nodes();
    let key = board.key();
    let known = search.cache.probe(key);
    if let Some(answer) = answers(&known, ATTACK, plies) {
        return Ok(answer);
    }
    let win = |plies: u8, cell: u8, known: Known| Known { wins_in: plies, attack: cell & 15, ..known };
    let hold = |cell: u8, known: Known| Known { no_loss_in: plies.max(known.no_loss_in), defence: cell & 15, ..known };
    let first = if ATTACK { known.attack } else { known.defence };

    // 1. Play every move: some settle themselves.
    let mut list = [EMPTY; 16];
    let mut count = 0;
    let mut longest = NO;
    let mut moves = board.sensible(board.playable());
    while moves != 0 {
        let cell = moves.trailing_zeros();
        moves &= moves - 1;
        let child = board.play(cell);
        match settle(&child, !ATTACK, plies - 1, search.meter) {
            Settled::Yes(found) if ATTACK => {
                search.cache.store(key, win(found + 1, cell as u8, known), 1);
                return Ok(found + 1);
            }
            Settled::No if !ATTACK => {
                search.cache.store(key, hold(cell as u8, known), 1);
                return Ok(NO);
            }
            Settled::Yes(found) => longest = longest.max(found + 1),
            Settled::No => {}
            Settled::Open { board: then, attack, left } => {
                search.cache.prefetch(then.key());
                let best = (cell & 15) as u8 == first;
                let rank = if best { i32::MAX } else { search.rank::<ATTACK>(board, cell, &child) };
                list[count & 15] = Candidate { board: then, rank, cell: cell as u8, attack, left };
                count += 1;
            }
        }
    }

    // 2. The table settles others.
    let mut open = 0;
    for index in 0..count {
        let candidate = list[index & 15];
        let gone = plies - candidate.left;
        match answers(&search.cache.probe(candidate.board.key()), candidate.attack, candidate.left) {
            None => {
                list[open & 15] = candidate;
                open += 1;
            }
            Some(NO) if ATTACK => {}
            Some(NO) => {
                search.cache.store(key, hold(candidate.cell, known), 1);
                return Ok(NO);
            }
            Some(found) if ATTACK => {
                search.cache.store(key, win(found + gone, candidate.cell, known), 1);
                return Ok(found + gone);
            }
            Some(found) => longest = longest.max(found + gone),
        }
    }

    // 3. Search what is left, the best first.
    for index in 0..open {
        let mut best = index;
        for other in index + 1..open {
            if list[other & 15].rank > list[best & 15].rank {
                best = other;
            }
        }
        list.swap(index & 15, best & 15);
        let candidate = list[index & 15];
        let answer = search.node(&candidate.board, candidate.attack, candidate.left)?;
        let found = answer + plies - candidate.left;
        if (answer != NO) == ATTACK {
            search.remember::<ATTACK>(candidate.cell, plies);
            let known = search.cache.probe(key);
            let known = if ATTACK { win(found, candidate.cell, known) } else { hold(candidate.cell, known) };
            search.cache.store(key, known, search.meter.nodes() - before);
            return Ok(if ATTACK { found } else { NO });
        }
        if !ATTACK {
            longest = longest.max(found);
        }
    }
    let known = search.cache.probe(key);
    let known = if ATTACK {
        Known { no_win_in: plies.max(known.no_win_in), ..known }
    } else {
        Known { loses_in: longest.min(known.loses_in), ..known }
    };
    search.cache.store(key, known, search.meter.nodes() - before);
    Ok(if ATTACK { NO } else { longest })
}
