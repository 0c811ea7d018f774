//! Alpha-beta search of a yes-or-no question: does the attacker win within a given number of plies?
//!
//! An attacker's node is won if one move wins, a defender's node if all moves lose. A node first
//! plays all its moves and the forced replies to them, then tries the static proofs and the table
//! on the children. More than half of the nodes end there. The other children are searched, the
//! most promising first.
//!
//! If the question is who wins, all plies left are allowed: the table ignores plies, and spare
//! moves cancel out ([`super::shape`]). Why this is not a policy of the production loop:
//! measurements.md#solver-as-a-policy.

use std::sync::Arc;

use super::limits::SolverLimits;
use super::ordering::{History, insert, score_child, score_move};
use super::proof::{NO, Question, proven};
use super::shape::Equivalence;
use super::split::ProofSplit;
use super::table::{NEVER, NO_MOVE, ProofTable};
use crate::games::score_four::bitboard::Bitboards;
use crate::search::core::isa::Isa;
use crate::search::core::parallel::{Team, TeamMember};
use crate::search::stats::Counters;
use crate::search::stop::{SearchControl, Stopped};

/// The ordering score of the table's move; all others are lower.
const TABLE_MOVE: u32 = (1 << 28) - 1;
/// Children between the prefetch of a bucket and its probe.
const PREFETCH_DISTANCE: usize = 2; // tuned: see measurements.md#solver
/// A node is split after its moves have taken this many nodes: the remaining moves may take as
/// many.
const SPLIT_NODES: u64 = 10_000; // tuned: see measurements.md#threads
/// The history is halved when an entry exceeds this.
const HISTORY_LIMIT: u32 = 1 << 20;

/// A search with its table, which serves questions about both sides.
pub struct Search<'a, I> {
    isa: I,
    table: ProofTable,
    /// Nodes, and when to stop.
    pub limits: SolverLimits<'a>,
    /// Which positions share an entry. If spare moves cancel out, the question is who wins and
    /// plies are not stored.
    equivalence: Equivalence,
    /// History heuristic by cell: cutoffs of the attacker, of the defender, weighted by the cells
    /// left.
    history: History,
    /// The threads of this search; `None` if it has only one.
    team: Option<&'a Team<ProofSplit>>,
    /// Free move lists; a node takes one and puts it back.
    #[allow(clippy::vec_box)] // moved at every node: by pointer
    lists: Vec<Box<List>>,
}

/// The moves of a node.
type List = [ProofMove; 16];

/// A move and its child.
#[derive(Clone, Copy)]
struct ProofMove {
    /// The question after the move and the forced replies to it.
    child: Question,
    /// The threats of the side that moved, right after the move.
    threats: u64,
    cell: u8,
}

const EMPTY: ProofMove = ProofMove {
    child: Question::new(
        Bitboards {
            own: 0,
            other: 0,
            own_threats: 0,
            other_threats: 0,
        },
        false,
        0,
    ),
    threats: 0,
    cell: 0,
};

impl<'a, I: Isa> Search<'a, I> {
    /// A search with an empty table; `who_wins`: all questions allow all plies left.
    pub fn new(
        isa: I,
        table: ProofTable,
        who_wins: bool,
        limits: SolverLimits<'a>,
        team: Option<&'a Team<ProofSplit>>,
    ) -> Self {
        let equivalence = Equivalence {
            spare_moves: who_wins,
            symmetries: 0,
            symmetric_until: 0,
        };
        Search {
            isa,
            table,
            limits,
            equivalence,
            history: [[0; 64]; 2],
            team,
            lists: Vec::new(),
        }
    }

    /// The search of a helper; table and question come with the split points.
    pub fn helper(isa: I, control: &'a SearchControl, team: &'a Team<ProofSplit>) -> Self {
        let limits = SolverLimits::of_helper(control);
        Search::new(isa, ProofTable::smallest(), true, limits, Some(team))
    }

    /// The same team and limits with an empty table of `mebibytes` MiB.
    pub fn restarted(&self, mebibytes: usize, who_wins: bool) -> Self {
        Search::new(
            self.isa,
            ProofTable::new(mebibytes),
            who_wins,
            self.limits.clone(),
            self.team,
        )
    }

    /// Within how many plies, at most `plies`, the attacker wins, or [`NO`]; `attack`: it is the
    /// side to move. In a search for who wins, `plies` are all that are left, and the answer is
    /// [`NO`] or some other number.
    pub fn ask(&mut self, board: &Bitboards, attack: bool, plies: u8) -> Result<u8, Stopped> {
        self.equivalence = Equivalence::of(board, self.equivalence.spare_moves);
        let mut question = Question::new(*board, attack, plies);
        self.isa.call(
            #[inline(always)]
            move || {
                let mut answer = question.play_forced(&mut self.limits.nodes);
                if answer.is_none() {
                    answer = question.resolve(self.equivalence, &mut self.limits.nodes);
                }
                let answer = match answer {
                    Some(answer) => answer,
                    None => self.node(&question)?,
                };
                Ok(if answer == NO {
                    NO
                } else {
                    answer + plies - question.left
                })
            },
        )
    }

    /// Searches the last moves of a node, in order, together with idle threads: the plies of the
    /// cutoff and its cell, or, of a defender, the longest loss.
    #[cold]
    #[inline(never)]
    fn search_rest(
        &mut self,
        team: &Team<ProofSplit>,
        question: &Question,
        list: &List,
        order: &[u32],
        longest: u8,
    ) -> Result<(u8, Option<u8>), Stopped> {
        let rest = |&index: &u32| {
            let candidate = &list[index as usize & 15];
            (candidate.cell, candidate.child)
        };
        let state = (self.table.clone(), self.equivalence, self.history);
        let split = Arc::new(ProofSplit::new(
            self.limits.stop.split.clone(),
            question,
            order.iter().map(rest).collect(),
            longest,
            state,
        ));
        let searched = team.search(self, &split);
        let (found, cutoff) = split.result();
        if cutoff.is_none() {
            searched?;
        }
        Ok((found, cutoff))
    }

    #[inline(always)]
    fn node(&mut self, question: &Question) -> Result<u8, Stopped> {
        if question.attack {
            self.node_of::<true>(question)
        } else {
            self.node_of::<false>(question)
        }
    }

    #[inline(always)]
    fn node_of<const ATTACK: bool>(&mut self, question: &Question) -> Result<u8, Stopped> {
        self.isa.call(
            #[inline(always)]
            move || {
                let mut list = self.lists.pop().unwrap_or_else(|| Box::new([EMPTY; 16]));
                let answer = search_node::<I, ATTACK>(self, question, &mut list);
                self.lists.push(list);
                answer
            },
        )
    }

    /// Counts a cutoff in the history; `cells`: the empty cells.
    #[inline(always)]
    fn update_history<const ATTACK: bool>(&mut self, cell: u8, cells: u32) {
        let side = &mut self.history[usize::from(!ATTACK)];
        let count = &mut side[usize::from(cell) & 63];
        *count += cells * cells;
        if *count > HISTORY_LIMIT {
            side.iter_mut().for_each(|count| *count /= 2);
        }
    }

    /// Stores the answer of a node and returns it. By the cell of a `cutoff` the attacker wins within
    /// `plies`, or the defender holds. Without one, the attacker does not win, or all moves of the
    /// defender lose within `plies`, which is ignored where the attacker does not win.
    #[inline(always)]
    fn store<const ATTACK: bool>(
        &mut self,
        question: &Question,
        plies: u8,
        cutoff: Option<u8>,
        nodes: u64,
    ) -> u8 {
        let who_wins = self.equivalence.spare_moves;
        let wins = cutoff.is_some() == ATTACK;
        let place = self.table.place(question.key);
        let mut entry = place.entry;
        let proof = if ATTACK {
            &mut entry.attack
        } else {
            &mut entry.defence
        };
        if wins {
            proof.wins_in = if who_wins {
                1
            } else {
                plies.min(proof.wins_in)
            };
        } else {
            proof.no_win_in = if who_wins {
                ALWAYS
            } else {
                question.left.max(proof.no_win_in)
            };
        }
        if let Some(cell) = cutoff {
            proof.best = cell & 15;
        }
        place.store(entry, nodes);
        if wins { plies } else { NO }
    }
}

impl<I: Isa> TeamMember for Search<'_, I> {
    type Split = ProofSplit;

    fn search_moves(&mut self, split: &ProofSplit) -> Result<(), Stopped> {
        let outer = self.limits.stop.set_split_point(Some(split.point.clone()));
        if outer.is_none() {
            (self.table, self.equivalence, self.history) = split.state();
        }
        let mut result = Ok(());
        while let Some(index) = split.point.take() {
            match self.node(&split.moves[index].1) {
                Ok(answer) => split.report(index, answer),
                Err(stopped) => {
                    result = Err(stopped);
                    break;
                }
            }
        }
        self.limits.stop.set_split_point(outer);
        result
    }

    fn check(&mut self) -> Result<(), Stopped> {
        self.limits.stop.test(self.limits.nodes)
    }

    fn take_counters(&mut self) -> (Counters, u8) {
        let nodes = std::mem::take(&mut self.limits.nodes);
        self.limits.stop.end_of_split(nodes);
        Default::default() // those of helpers are counted by the search's control
    }
}

/// More plies than any game has, and fewer than [`NEVER`].
const ALWAYS: u8 = NEVER - 1;

/// The answer of a question that static proofs leave unknown.
#[inline(always)]
#[expect(clippy::too_many_lines, reason = "one node, in the order of its steps")]
fn search_node<I: Isa, const ATTACK: bool>(
    search: &mut Search<'_, I>,
    question: &Question,
    list: &mut List,
) -> Result<u8, Stopped> {
    search.limits.stop.check(search.limits.nodes)?;
    let before = search.limits.nodes;
    let Question { board, left, .. } = question;
    let entry = search.table.probe(question.key);
    if let Some(answer) = proven(&entry, question) {
        return Ok(answer);
    }
    // The table move of this question, otherwise that of the opposite question: few games are
    // drawn, so a move that avoids a loss often wins.
    let (proof, opposite) = entry.of(ATTACK);
    let table_move = if proof.best == NO_MOVE {
        opposite.best
    } else {
        proof.best
    };
    let mut longest = NO; // a defender's longest loss

    // 1. Play every move and the forced replies to it.
    let mut count = 0;
    let mut moves = question.moves;
    while moves != 0 {
        let cell = moves.trailing_zeros();
        moves &= moves - 1;
        let candidate = &mut list[count & 15];
        let child = board.play(cell);
        candidate.cell = cell as u8;
        candidate.threats = child.other_threats;
        candidate.child = Question::new(child, !ATTACK, left - 1);
        match candidate.child.play_forced(&mut search.limits.nodes) {
            None => count += 1,
            Some(answer) => {
                let found = answer + left - candidate.child.left;
                if (answer != NO) == ATTACK {
                    return Ok(search.store::<ATTACK>(question, found, Some(cell as u8), 1));
                }
                if !ATTACK {
                    longest = longest.max(found);
                }
            }
        }
    }

    // 2. Order them: the table's move, then by the history.
    let mut order = [0u32; 16];
    for index in 0..count {
        let candidate = &list[index & 15];
        let is_table_move = candidate.cell & 15 == table_move;
        let score = if is_table_move {
            TABLE_MOVE
        } else {
            search.history[usize::from(!ATTACK)][candidate.cell as usize & 63]
        };
        insert(&mut order, index, score << 4 | (15 - index as u32));
    }

    // 3. Static proofs and table probes for the children, the probes a little later than the
    //    prefetches.
    let mut open = 0;
    let mut probed = 0;
    for turn in 0..=count {
        if turn < count {
            let index = 15 - order[turn & 15] as usize % 16;
            let candidate = &mut list[index & 15];
            match candidate
                .child
                .resolve(search.equivalence, &mut search.limits.nodes)
            {
                None => {
                    search.table.prefetch(candidate.child.key);
                    order[open & 15] = index as u32;
                    open += 1;
                }
                Some(answer) => {
                    let found = answer + left - candidate.child.left;
                    if (answer != NO) == ATTACK {
                        return Ok(search.store::<ATTACK>(
                            question,
                            found,
                            Some(candidate.cell),
                            1,
                        ));
                    }
                    if !ATTACK {
                        longest = longest.max(found);
                    }
                }
            }
        }
        while probed + usize::from(turn < count) * PREFETCH_DISTANCE < open {
            let index = order[probed & 15];
            let candidate = &list[index as usize & 15];
            match proven(&search.table.probe(candidate.child.key), &candidate.child) {
                None => probed += 1,
                Some(answer) => {
                    let found = answer + left - candidate.child.left;
                    if (answer != NO) == ATTACK {
                        return Ok(search.store::<ATTACK>(
                            question,
                            found,
                            Some(candidate.cell),
                            1,
                        ));
                    }
                    if !ATTACK {
                        longest = longest.max(found);
                    }
                    open -= 1;
                    order.copy_within((probed & 15) + 1..=(open & 15), probed & 15);
                }
            }
        }
    }

    // 4. Search the children that are left, the most promising first.
    if open > 1 {
        for turn in 0..open {
            let index = order[turn & 15];
            let candidate = &list[index as usize & 15];
            let is_table_move = candidate.cell & 15 == table_move;
            let score = if is_table_move {
                TABLE_MOVE
            } else {
                let of_move =
                    score_move::<ATTACK>(&search.history, board, candidate.cell, candidate.threats);
                (of_move + score_child::<ATTACK>(&candidate.child)).min(TABLE_MOVE - 1)
            };
            insert(&mut order, turn, score << 4 | index);
        }
    }
    for turn in 0..open {
        if let Some(team) = search.team
            && search.limits.nodes - before >= SPLIT_NODES
            && turn + 1 < open
        {
            let (found, cutoff) =
                search.search_rest(team, question, list, &order[turn..open], longest)?;
            if let Some(cell) = cutoff {
                search.update_history::<ATTACK>(cell, 64 - board.stones());
            }
            let nodes = search.limits.nodes - before;
            return Ok(search.store::<ATTACK>(question, found, cutoff, nodes));
        }
        let candidate = &list[order[turn & 15] as usize & 15];
        let answer = search.node(&candidate.child)?;
        let found = answer + left - candidate.child.left;
        if (answer != NO) == ATTACK {
            search.update_history::<ATTACK>(candidate.cell, 64 - board.stones());
            let nodes = search.limits.nodes - before;
            return Ok(search.store::<ATTACK>(question, found, Some(candidate.cell), nodes));
        }
        if !ATTACK {
            longest = longest.max(found);
        }
    }
    Ok(search.store::<ATTACK>(question, longest, None, search.limits.nodes - before))
}
