//! Alpha-beta for a question with two answers: does the attacker win within so many plies?
//!
//! An attacker's node is won if one move is, a defender's node if all are. A node plays all its moves first, follows forced
//! replies, judges what can be judged without a search and asks the table; only the rest is searched, the most promising move
//! first. So more than half of the nodes need no search at all.
//!
//! The plies are a bound only. Asked who wins, and no more, a search folds spare moves together (see [`super::shape`]) and its
//! table says nothing of plies. (Asked for few plies first, then more, the same positions cost ten times the nodes: a bound
//! cuts proofs off where the end of the line would come by itself.)

use super::cache::{Cache, Known, NEVER};
use super::settle::{Meter, Question, Settled};
use super::shape::Folding;
use crate::games::score_four::bitboard::{Board, OTHER_THREE};
use crate::search::context::Stopped;
use crate::search::isa::{Isa, Task};

/// The answer "not within the plies asked"; any other is a number of plies within which the attacker wins.
pub const NO: u8 = 0;

/// MiB of the table that a position is begun with: the memory of a large one would be touched all over, and is kept for the
/// next when it is done.
pub const SMALL: usize = 4;

/// What a move's rank is made from.
struct Weights {
    /// Each line through its cell with nobody's stone, with one of its own, with two.
    own: [u64; 3],
    /// Each line with one stone of the other side alone, with two.
    other: [u64; 2],
    /// Each sensible reply that the other side does not have, of sixteen.
    replies: u32,
    /// Each cell that newly completes a line.
    wins: u32,
    /// Each of these that lies above or below such a cell.
    stacked: u32,
    /// For a cell on the upper two levels.
    upper: u32,
    /// The history counts for its size over two to this power.
    history: u32,
}

/// For the attacker and the defender. Fitted to what it cost to search each move of some 5000 nodes of random quiet positions
/// to its end, so that the first move tried is cheap and enough; then tried around on the proven positions.
const WEIGHTS: [Weights; 2] = [
    Weights { own: [6, 18, 37], other: [10, 23], replies: 12, wins: 16, stacked: 16, upper: 0, history: 14 },
    Weights { own: [6, 18, 36], other: [10, 26], replies: 8, wins: 8, stacked: 24, upper: 8, history: 13 },
];

/// Ranks are below this.
const RANKS: u32 = 1 << 28;
/// How many moves are judged before the table is asked about one.
const DELAY: usize = 2;
/// Counts of the history are halved when one has come so far.
const FORGET: u32 = 1 << 20;

/// A search by alpha-beta with its table, which serves both sides' questions.
pub struct Search<'a, I> {
    isa: I,
    cache: Cache,
    /// Nodes and the reasons to stop.
    pub meter: Meter<'a>,
    /// Which positions are one. Where spare moves are folded, who wins is all that is asked; plies are no bound then.
    folding: Folding,
    /// How often a move on a cell has been enough, by weight: for the attacker, for the defender.
    history: [[u32; 64]; 2],
    /// Each ply's moves; a ply's are away while its node works with them.
    #[allow(clippy::vec_box)] // a list is moved out and in at every node: by its pointer
    lists: Vec<Box<List>>,
}

/// The moves of a node, as many as there are columns.
type List = [Candidate; 16];

/// A move with what it leads to.
#[derive(Clone, Copy)]
struct Candidate {
    /// The question behind it and behind the forced replies that follow.
    then: Question,
    /// The cells that complete a line for the side that moved, right after the move.
    wins: u64,
    cell: u8,
}

const EMPTY: Candidate = Candidate {
    then: Question::new(Board { own: 0, other: 0, own_wins: 0, other_wins: 0 }, false, 0),
    wins: 0,
    cell: 0,
};

struct Node<'s, 'a, I, const ATTACK: bool> {
    search: &'s mut Search<'a, I>,
    question: &'s Question,
}

impl<I: Isa, const ATTACK: bool> Task for Node<'_, '_, I, ATTACK> {
    type Output = Result<u8, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Node { search, question } = self;
        let mut list = search.lists.pop().unwrap_or_else(|| Box::new([EMPTY; 16]));
        let answer = body::<I, ATTACK>(search, question, &mut list);
        search.lists.push(list);
        answer
    }
}

struct Asked<'s, 'a, I> {
    search: &'s mut Search<'a, I>,
    question: Question,
}

impl<I: Isa> Task for Asked<'_, '_, I> {
    type Output = Result<u8, Stopped>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Asked { search, mut question } = self;
        let plies = question.left;
        let mut settled = question.chase(&mut search.meter.nodes);
        if settled == Settled::Open {
            settled = question.settle(search.folding, &mut search.meter.nodes);
        }
        match settled {
            Settled::Yes(found) => Ok(found + plies - question.left),
            Settled::No => Ok(NO),
            Settled::Open => {
                let answer = search.node(&question)?;
                Ok(if answer == NO { NO } else { answer + plies - question.left })
            }
        }
    }
}

impl<'a, I: Isa> Search<'a, I> {
    /// A search with an empty table of so many MiB; `folded`: only who wins will be asked, with all plies left.
    pub fn new(isa: I, mebibytes: usize, folded: bool, meter: Meter<'a>) -> Self {
        let kept = mebibytes > SMALL;
        let folding = Folding { spare: folded, symmetries: 0, until: 0 };
        Search { isa, cache: Cache::new(mebibytes, kept), meter, folding, history: [[0; 64]; 2], lists: Vec::new() }
    }

    /// Within how many plies the attacker wins, at most `plies`, or [`NO`]; `attack`: it is the side to move. Where only who
    /// wins is asked, `plies` are all that are left and the answer's size means nothing.
    pub fn ask(&mut self, board: &Board, attack: bool, plies: u8) -> Result<u8, Stopped> {
        let isa = self.isa;
        self.folding = Folding::of(board, self.folding.spare);
        isa.call(Asked { search: self, question: Question::new(*board, attack, plies) })
    }

    #[inline(always)]
    fn node(&mut self, question: &Question) -> Result<u8, Stopped> {
        let isa = self.isa;
        if question.attack {
            isa.call(Node::<I, true> { search: self, question })
        } else {
            isa.call(Node::<I, false> { search: self, question })
        }
    }

    /// How early a move shall be searched.
    #[inline(always)]
    fn rank<const ATTACK: bool>(&self, board: &Board, candidate: &Candidate) -> u32 {
        let weights = &WEIGHTS[usize::from(!ATTACK)];
        let cell = u32::from(candidate.cell);
        let (own, stones) = (board.own | 1 << cell, board.own | board.other | 1 << cell);
        let all_wins = candidate.wins;
        let playable = Board { own, ..*board }.playable();
        let forced = all_wins & playable != 0;
        let replies = if forced { 1 } else { (playable & !(all_wins >> 16)).count_ones() };
        let wins = all_wins & !board.own_wins & !stones;
        let stacked = wins & (board.own_wins << 16 | board.own_wins >> 16);
        on_lines(weights, board, cell)
            + weights.replies * (16 - replies)
            + weights.wins * wins.count_ones()
            + weights.stacked * stacked.count_ones()
            + weights.upper * (cell >> 5)
            + (self.history[usize::from(!ATTACK)][cell as usize & 63] >> weights.history)
    }

    /// Counts a move that was enough.
    #[inline(always)]
    fn remember<const ATTACK: bool>(&mut self, cell: u8, cells: u32) {
        let side = &mut self.history[usize::from(!ATTACK)];
        let count = &mut side[usize::from(cell) & 63];
        *count += cells * cells;
        if *count > FORGET {
            side.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// Stores a move that was enough for its side: the attacker wins by it within so many plies, or the defender holds.
    #[inline(always)]
    fn store_enough<const ATTACK: bool>(&mut self, question: &Question, plies: u8, cell: u8, work: u64) -> u8 {
        let known = self.cache.probe(question.key);
        let known = if ATTACK {
            Known { wins_in: if self.folding.spare { 1 } else { plies }, attack: cell & 15, ..known }
        } else {
            let no_loss_in = if self.folding.spare { ALWAYS } else { question.left.max(known.no_loss_in) };
            Known { no_loss_in, defence: cell & 15, ..known }
        };
        self.cache.store(question.key, known, work);
        if ATTACK { plies } else { NO }
    }

    /// Stores that no move was enough; all of the defender's lose within so many plies.
    #[inline(always)]
    fn store_none<const ATTACK: bool>(&mut self, question: &Question, longest: u8, work: u64) -> u8 {
        let known = self.cache.probe(question.key);
        let known = if ATTACK {
            let no_win_in = if self.folding.spare { ALWAYS } else { question.left.max(known.no_win_in) };
            Known { no_win_in, ..known }
        } else {
            Known { loses_in: if self.folding.spare { 1 } else { longest.min(known.loses_in) }, ..known }
        };
        self.cache.store(question.key, known, work);
        if ATTACK { NO } else { longest }
    }
}

/// More plies than any game has, and fewer than [`NEVER`].
const ALWAYS: u8 = NEVER - 1;

/// What lies on the lines through a cell. Without branches, so that it becomes vector code.
#[inline(always)]
fn on_lines(weights: &Weights, board: &Board, cell: u32) -> u32 {
    let mut sum = 0;
    for three in &OTHER_THREE[cell as usize & 63] {
        let (own, other) = (three & board.own, three & board.other);
        let several = |stones: u64| stones & stones.wrapping_sub(1) != 0;
        let mine = if own == 0 { weights.own[0] } else { weights.own[if several(own) { 2 } else { 1 }] };
        let theirs = weights.other[usize::from(several(other))];
        let alone = if other == 0 { mine } else { theirs };
        sum += if own != 0 && other != 0 { 0 } else { alone };
    }
    sum as u32
}

/// What is known about a question: the plies of a win, or that there is none.
#[inline(always)]
fn answer(known: &Known, question: &Question) -> Option<u8> {
    let (yes, no, never) = if question.attack {
        (known.wins_in, known.no_win_in, known.loses_in)
    } else {
        (known.loses_in, known.no_loss_in, known.wins_in)
    };
    if yes <= question.left {
        Some(yes)
    } else if no >= question.left || never < NEVER {
        Some(NO)
    } else {
        None
    }
}

/// Puts a key among the `count` before it, which are in order, the largest first.
#[inline(always)]
fn insert(order: &mut [u32; 16], count: usize, key: u32) {
    let mut place = count;
    while place > 0 && order[(place - 1) & 15] < key {
        order[place & 15] = order[(place - 1) & 15];
        place -= 1;
    }
    order[place & 15] = key;
}

#[inline(always)]
fn body<I: Isa, const ATTACK: bool>(
    search: &mut Search<'_, I>,
    question: &Question,
    list: &mut List,
) -> Result<u8, Stopped> {
    search.meter.check()?;
    let before = search.meter.nodes;
    let Question { board, left, .. } = question;
    let known = search.cache.probe(question.key);
    if let Some(answer) = answer(&known, question) {
        return Ok(answer);
    }
    let first = if ATTACK { known.attack } else { known.defence };
    let mut longest = NO;

    // 1. Play every move and what it forces.
    let mut count = 0;
    let mut moves = question.moves;
    while moves != 0 {
        let cell = moves.trailing_zeros();
        moves &= moves - 1;
        let candidate = &mut list[count & 15];
        let child = board.play(cell);
        candidate.cell = cell as u8;
        candidate.wins = child.other_wins;
        candidate.then = Question::new(child, !ATTACK, left - 1);
        match candidate.then.chase(&mut search.meter.nodes) {
            Settled::Open => count += 1,
            Settled::Yes(found) => {
                let found = found + left - candidate.then.left;
                if ATTACK {
                    return Ok(search.store_enough::<ATTACK>(question, found, cell as u8, 1));
                }
                longest = longest.max(found);
            }
            Settled::No if ATTACK => {}
            Settled::No => return Ok(search.store_enough::<ATTACK>(question, NO, cell as u8, 1)),
        }
    }

    // 2. The most promising first.
    let mut order = [0u32; 16];
    for index in 0..count {
        let candidate = &list[index & 15];
        let is_first = candidate.cell & 15 == first;
        let rank =
            if is_first { RANKS - 1 } else { search.history[usize::from(!ATTACK)][candidate.cell as usize & 63] };
        insert(&mut order, index, rank << 4 | (15 - index as u32));
    }

    // 3. Judge where they lead to, and ask the table, one behind so that its line has time to come.
    let mut open = 0;
    let mut asked = 0;
    for turn in 0..=count {
        if turn < count {
            let index = 15 - order[turn & 15] as usize % 16;
            let candidate = &mut list[index & 15];
            match candidate.then.settle(search.folding, &mut search.meter.nodes) {
                Settled::Open => {
                    search.cache.prefetch(candidate.then.key);
                    order[open & 15] = index as u32;
                    open += 1;
                }
                Settled::Yes(found) => {
                    let found = found + left - candidate.then.left;
                    if ATTACK {
                        return Ok(search.store_enough::<ATTACK>(question, found, candidate.cell, 1));
                    }
                    longest = longest.max(found);
                }
                Settled::No if ATTACK => {}
                Settled::No => return Ok(search.store_enough::<ATTACK>(question, NO, candidate.cell, 1)),
            }
        }
        while asked + usize::from(turn < count) * DELAY < open {
            let index = order[asked & 15];
            let candidate = &list[index as usize & 15];
            match answer(&search.cache.probe(candidate.then.key), &candidate.then) {
                None => asked += 1,
                Some(answer) => {
                    let found = answer + left - candidate.then.left;
                    if (answer != NO) == ATTACK {
                        return Ok(search.store_enough::<ATTACK>(question, found, candidate.cell, 1));
                    }
                    if !ATTACK {
                        longest = longest.max(found);
                    }
                    open -= 1;
                    order.copy_within((asked & 15) + 1..=(open & 15), asked & 15);
                }
            }
        }
    }

    // 4. Search what is left, the best first.
    if open > 1 {
        for turn in 0..open {
            let index = order[turn & 15];
            let candidate = &list[index as usize & 15];
            let is_first = candidate.cell & 15 == first;
            let rank = if is_first { RANKS - 1 } else { search.rank::<ATTACK>(board, candidate).min(RANKS - 2) };
            insert(&mut order, turn, rank << 4 | index);
        }
    }
    for turn in 0..open {
        let candidate = &list[order[turn & 15] as usize & 15];
        let answer = search.node(&candidate.then)?;
        let found = answer + left - candidate.then.left;
        if (answer != NO) == ATTACK {
            search.remember::<ATTACK>(candidate.cell, 64 - board.stones());
            let work = search.meter.nodes - before;
            return Ok(search.store_enough::<ATTACK>(question, found, candidate.cell, work));
        }
        if !ATTACK {
            longest = longest.max(found);
        }
    }
    Ok(search.store_none::<ATTACK>(question, longest, search.meter.nodes - before))
}
