//! The exact endgame: from a position to its score in discs, best move and line.
//!
//! Everything below the root is a null-window search. [`last`] are kernels for the last four empty squares, [`shallow`]
//! goes by parity, [`middle`] by mobility with a private table, [`deep`] has the transposition table and looks ahead to
//! order its moves. [`Endgame::solve`] closes in on the score by MTD(f) over the scores that games can have.
//!
//! It knows no learnt evaluation. The 8x8 game, which has one, is finished by [`super::midgame`], where evaluation and
//! statistical cuts guide the same [`middle`] search; this solver is for the other boards, and for those who want scores
//! that owe nothing to any weights.
//!
//! The first guess comes from a narrow search: the same search with only the three most promising moves at each deep node.
//! It costs a few percent, is mostly right within two discs, and leaves its best moves in the table for the exact search.
//!
//! # What was tried
//!
//! Millions of nodes, look ahead included, and user seconds at a loaded Zen 3 core; the set is 40 well-played positions
//! of 20 empty squares, the other column FFO #40-#44.
//!
//! | step | 40 positions | FFO #40-#44 |
//! |---|---|---|
//! | mobility, potential mobility, edges, parity; guess 0 | 334 | 390 |
//! | weights fitted to exact scores, look ahead of one ply from 13 empties | 264 | |
//! | two plies from 15, three from 18 | 230 | 219 |
//! | mobility order already with 6 empties, middle up to 11 instead of 12 | 190 | |
//! | look ahead with the best move's value less 6 discs as its floor | 175 | 200 |
//! | first guess from a narrow search of width 3 | **155** | **161** |
//! | width 2, 4, 5 | 175, 165, 181 | -, 180, - |
//! | width 3, then 4, or 5 | 155, 164 | 169, 179 |
//! | look ahead from 12, 11, 10 empties (before the narrow search) | 175, 170, 173 | time unchanged |
//! | capturing corners early | +2 % | |
//!
//! The weights of the order were then fitted anew, to our own games and for boards without the table of edges by themselves
//! (`tests/order_weights.rs`): forty other positions of 20 empty squares 223 -> 215, the 6x6 start 1,360 -> 957.
//!
//! # Where it stands
//!
//! This solver by itself, one thread, AVX2, table of 1 GiB, user time on a core shared with other work (nodes do not depend on
//! it). With the weights before the present ones: FFO #40-#49 all right in 1.55 G nodes and 54.7 s (28 M nodes/s; #40 by itself
//! reached 48 M nodes/s on a quiet core), half of both in #49, where the narrow search guesses 30 (width 5: 26), the score is 16, and
//! MTD(f) walks down by twos; FFO #20-#39 in 131 M nodes and 4.1 s. With the present ones: the 6x6 start is -4 after 957 M
//! nodes and 36 s.
//!
//! First moves cut in 94 to 99 % of the deep cut nodes; what is left is choosing, of several that cut, the one with the
//! smallest tree.

pub mod cache;
pub mod deep;
pub mod last;
pub mod middle;
pub mod order;
pub mod search;
pub mod shallow;

use crate::game::Move;
use crate::search::context::{Budget, Stopped, Watch};
use crate::search::table::Table;

use super::board::Board;
use super::kernel::{BoardKind, Flips, InstructionSet, Legal, OnBoard, OnSet, Stamped};
use cache::Cache;
use search::{ALL, Search};

/// How many moves a deep node of the narrow search looks at.
const NARROW: usize = 3;
/// With fewer empty squares the exact search is started at once, from a draw.
const NARROW_FROM: u32 = 15;

/// What to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The exact score.
    Exact,
    /// Whether the side to move wins, loses or draws.
    WinLossDraw,
}

/// What was found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The score for the side to move, in discs; of [`Goal::WinLossDraw`] 1, 0 or -1.
    pub score: i32,
    /// The best moves of both sides to the end of the game, passes included; of [`Goal::WinLossDraw`] only the first.
    /// Empty if the game is over.
    pub line: Vec<Move>,
    /// Nodes visited (see [`middle::Private::nodes`]).
    pub nodes: u64,
}

impl Solution {
    /// The best move, if the game is not over.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }
}

/// The endgame solver: an instruction set, a board and its tables.
pub struct Endgame<'t> {
    set: InstructionSet,
    board: BoardKind,
    table: &'t Table,
    cache: Cache,
}

impl<'t> Endgame<'t> {
    /// A solver that keeps what it learns in `table`. The table may be shared with other searches of the same game.
    pub fn new(set: InstructionSet, board: BoardKind, table: &'t Table) -> Self {
        Endgame { set, board, table, cache: Cache::default() }
    }

    /// Forgets what is not in the table, so that what follows is the same every time.
    pub fn clear(&mut self) {
        self.cache.clear();
    }

    /// Solves a position. `watch` and `budget` may stop it; `before` nodes were counted before and count towards it.
    ///
    /// ```
    /// use nullwindow::othello::endgame::{Endgame, Goal};
    /// use nullwindow::othello::kernel::{BoardKind, InstructionSet};
    /// use nullwindow::search::{context::{Budget, Watch}, table::Table};
    ///
    /// // Black (a1) takes b1 with c1 and has it all.
    /// let table = Table::new(1);
    /// let mut endgame = Endgame::new(InstructionSet::best(), BoardKind::Eight, &table);
    /// let solution = endgame.solve(1, 2, Goal::Exact, &Watch::default(), Budget::default(), 0).unwrap();
    /// assert_eq!((solution.score, solution.best().unwrap().0), (64, 2));
    /// ```
    pub fn solve(
        &mut self,
        player: u64,
        opponent: u64,
        goal: Goal,
        watch: &Watch,
        budget: Budget,
        before: u64,
    ) -> Result<Solution, Stopped> {
        let cx = Search::new(self.table, &mut self.cache, watch, budget, before);
        on(self.set, self.board, Solve { cx, player, opponent, goal })
    }

    /// Whether the score exceeds `alpha` (in discs): a fail-soft bound of the score, and the nodes visited.
    pub fn null_window(
        &mut self,
        player: u64,
        opponent: u64,
        alpha: i32,
        watch: &Watch,
        budget: Budget,
        before: u64,
    ) -> Result<(i32, u64), Stopped> {
        let cx = Search::new(self.table, &mut self.cache, watch, budget, before);
        on(self.set, self.board, NullWindow { cx, player, opponent, alpha })
    }
}

/// A computation that is generic over instruction set and board.
trait Job {
    type Output;
    fn run<K: Stamped, B: Board>(self, kernel: K) -> Self::Output;
}

/// Runs a job on a set and a board known only now.
fn on<J: Job>(set: InstructionSet, board: BoardKind, job: J) -> J::Output {
    struct WithBoard<J>(InstructionSet, J);
    struct WithSet<J, B>(J, std::marker::PhantomData<B>);
    impl<J: Job> OnBoard for WithBoard<J> {
        type Output = J::Output;
        fn run<B: Board>(self) -> J::Output {
            self.0.run(WithSet::<J, B>(self.1, std::marker::PhantomData))
        }
    }
    impl<J: Job, B: Board> OnSet for WithSet<J, B> {
        type Output = J::Output;
        fn run<K: Stamped>(self, kernel: K) -> J::Output {
            self.0.run::<K, B>(kernel)
        }
    }
    board.run(WithBoard(set, job))
}

struct NullWindow<'a> {
    cx: Search<'a>,
    player: u64,
    opponent: u64,
    alpha: i32,
}

impl Job for NullWindow<'_> {
    type Output = Result<(i32, u64), Stopped>;

    fn run<K: Stamped, B: Board>(mut self, kernel: K) -> Self::Output {
        let odd = B::odd_quadrants(B::empty(self.player, self.opponent));
        let score = kernel.deep::<B>(&mut self.cx, self.player, self.opponent, self.alpha, odd)?;
        Ok((score, self.cx.private.nodes))
    }
}

struct Solve<'a> {
    cx: Search<'a>,
    player: u64,
    opponent: u64,
    goal: Goal,
}

impl Job for Solve<'_> {
    type Output = Result<Solution, Stopped>;

    fn run<K: Stamped, B: Board>(mut self, kernel: K) -> Self::Output {
        let score = match self.goal {
            Goal::Exact => self.exact::<K, B>(kernel)?,
            Goal::WinLossDraw => self.sign::<K, B>(kernel)?,
        };
        let line = self.line::<K, B>(kernel, score)?;
        Ok(Solution { score, line, nodes: self.cx.private.nodes })
    }
}

impl Solve<'_> {
    fn null_window<K: Stamped, B: Board>(
        &mut self,
        kernel: K,
        (player, opponent): (u64, u64),
        alpha: i32,
    ) -> Result<i32, Stopped> {
        let odd = B::odd_quadrants(B::empty(player, opponent));
        kernel.deep::<B>(&mut self.cx, player, opponent, alpha, odd)
    }

    fn exact<K: Stamped, B: Board>(&mut self, kernel: K) -> Result<i32, Stopped> {
        let mut guess = 0;
        if B::empty(self.player, self.opponent).count_ones() >= NARROW_FROM {
            self.cx.width = NARROW;
            guess = self.mtdf::<K, B>(kernel, guess)?;
            self.cx.width = ALL;
        }
        self.mtdf::<K, B>(kernel, guess)
    }

    /// MTD(f): null windows from a guess towards the score, each bound the next guess.
    fn mtdf<K: Stamped, B: Board>(&mut self, kernel: K, mut guess: i32) -> Result<i32, Stopped> {
        let (mut lower, mut upper) = (-B::COUNT, B::COUNT);
        while lower < upper {
            let beta = if guess == lower { guess + B::STEP } else { guess };
            guess = self.null_window::<K, B>(kernel, (self.player, self.opponent), beta - 1)?;
            if guess >= beta {
                lower = guess;
            } else {
                upper = guess;
            }
        }
        Ok(guess)
    }

    fn sign<K: Stamped, B: Board>(&mut self, kernel: K) -> Result<i32, Stopped> {
        let root = (self.player, self.opponent);
        if self.null_window::<K, B>(kernel, root, 0)? > 0 {
            return Ok(1);
        }
        Ok(if self.null_window::<K, B>(kernel, root, -1)? < 0 { -1 } else { 0 })
    }

    /// The line: at each position a move that a null-window search proves to keep the score. Most proofs are in the table.
    fn line<K: Stamped, B: Board>(&mut self, kernel: K, score: i32) -> Result<Vec<Move>, Stopped> {
        let mut line = Vec::new();
        let (mut player, mut opponent, mut score) = (self.player, self.opponent, score);
        loop {
            let moves = kernel.call(Legal { kernel, player, opponent }) & B::SQUARES;
            if moves == 0 {
                if kernel.call(Legal { kernel, player: opponent, opponent: player }) & B::SQUARES == 0 {
                    return Ok(line);
                }
                line.push(Move::PASS);
            } else {
                let square = self.keeper::<K, B>(kernel, (player, opponent), moves, score)?;
                line.push(Move(square as u8));
                let flips = kernel.call(Flips { kernel, player, opponent, square });
                (player, opponent) = (player | flips | 1 << square, opponent ^ flips);
            }
            if self.goal == Goal::WinLossDraw {
                return Ok(line);
            }
            (player, opponent, score) = (opponent, player, -score);
        }
    }

    /// A move that keeps the score: the table's if it does, else the first.
    fn keeper<K: Stamped, B: Board>(
        &mut self,
        kernel: K,
        (player, opponent): (u64, u64),
        moves: u64,
        score: i32,
    ) -> Result<u32, Stopped> {
        let key = deep::key::<B>(player, opponent, B::empty(player, opponent).count_ones());
        let known = self.cx.table.probe(&key).map(|entry| entry.moves);
        let mut squares: Vec<(usize, u32)> = (0..64)
            .filter(|&square| moves >> square & 1 != 0)
            .map(|square| {
                let image = Move(deep::square_of::<B>(square, &key));
                (known.and_then(|known| known.iter().position(|&m| m == image)).unwrap_or(2), square)
            })
            .collect();
        squares.sort_unstable(); // by a plain value: one copy of the sort serves every kernel and board
        // A lost position keeps its score by any move; a won or drawn one by a move that is at least that good.
        let alpha = if self.goal == Goal::WinLossDraw && score < 0 { B::COUNT } else { -score };
        for &(_, square) in &squares {
            let flips = kernel.call(Flips { kernel, player, opponent, square });
            let child = (opponent ^ flips, player | flips | 1 << square);
            if self.null_window::<K, B>(kernel, child, alpha)? <= alpha {
                return Ok(square);
            }
        }
        debug_assert!(false, "no move keeps the score {score} of {player:x} {opponent:x}");
        Ok(squares[0].1)
    }
}
