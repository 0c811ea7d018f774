//! Games outside the crate with the production search: Connect Four without an evaluation, and
//! Breakthrough, whose moves have a source and a target square.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::oracle::{value_from_start, value_of};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::game::{Game, Move, MoveList, Notation, NotationError, Player};
use nullwindow::games::perft::perft;
use nullwindow::search::core::context::Context;
use nullwindow::search::core::isa::Portable;
use nullwindow::search::core::policy::{Evaluate, Zero};
use nullwindow::search::deepening::think;
use nullwindow::search::generic_policy::GenericPolicy;
use nullwindow::search::production::{Mtdf, NegaScout, Production};
use nullwindow::search::searcher::Searcher;
use nullwindow::search::stop::SearchControl;
use nullwindow::search::table::Table;
use nullwindow::search::textbook::{TextbookContext, TextbookSearch};
use nullwindow::search::{
    Algorithm, Answer, Certainty, Clock, Goal, Limits, Observer, Progress, Stops,
};

/// Connect Four: seven columns of seven bits, the seventh always empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ConnectFour {
    own: u64,
    other: u64,
}

impl ConnectFour {
    const BOTTOM: u64 = 0x40810204081;

    fn has_line(stones: u64) -> bool {
        [1, 6, 7, 8].into_iter().any(|step| {
            let pairs = stones & stones >> step;
            pairs & pairs >> (2 * step) != 0
        })
    }
}

impl Game for ConnectFour {
    const NAME: &'static str = "connectfour";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 2;

    fn start() -> Self {
        ConnectFour { own: 0, other: 0 }
    }

    fn to_move(&self) -> Player {
        if self.stones() % 2 == 0 {
            Player::First
        } else {
            Player::Second
        }
    }

    fn moves(&self) -> MoveList {
        if Self::has_line(self.other) {
            return MoveList::new();
        }
        let top = Self::BOTTOM << 5;
        (0..7)
            .filter(|column| (self.own | self.other) & top & 0x7f << (7 * column) == 0)
            .map(Move::to)
            .collect()
    }

    fn play(&self, m: Move) -> Self {
        let all = self.own | self.other;
        let stone = (all + (1 << (7 * m.square()))) & (0x7f << (7 * m.square())) & !all;
        ConnectFour {
            own: self.other,
            other: self.own | stone,
        }
    }

    fn final_score(&self) -> Option<Score> {
        match Self::has_line(self.other) {
            true => Some(Score::lost_at(self.stones())),
            false => (self.stones() == 42).then_some(Score::ZERO),
        }
    }

    fn plies_left(&self) -> u8 {
        42 - self.stones() as u8
    }

    fn stones(&self) -> i32 {
        (self.own | self.other).count_ones() as i32
    }

    fn packed(&self) -> [u64; 2] {
        [self.own, self.other]
    }

    fn image(&self, symmetry: usize) -> Self {
        let mirrored =
            |set: u64| (0..7).fold(0, |image, column| image << 7 | set >> (7 * column) & 0x7f);
        if symmetry == 0 {
            *self
        } else {
            ConnectFour {
                own: mirrored(self.own),
                other: mirrored(self.other),
            }
        }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if symmetry == 1 && m.is_square(7) {
            Move::to(6 - m.square())
        } else {
            m
        }
    }
}

/// Breakthrough on 4x4 with one row of men each: a man moves one square forward, straight or
/// diagonally, and captures diagonally. The side that reaches the last row, captures the last man
/// or leaves the opponent without a move wins. The board is stored from the view of the side to
/// move, its own men at the bottom: square `4 * row + column`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Breakthrough {
    own: u16,
    other: u16,
    side: Player,
    played: u8,
}

impl Breakthrough {
    /// No man moves more than three times.
    const LONGEST: u8 = 24;

    /// The content of a square, from the first player's point of view.
    fn piece(&self, square: u8) -> char {
        let at = 1 << Self::seen(square, self.side);
        match (self.own & at != 0, self.other & at != 0, self.side) {
            (false, false, _) => '.',
            (true, _, Player::First) | (_, true, Player::Second) => 'x',
            _ => 'o',
        }
    }

    /// A square from the view of the first player, which moves and notation use.
    fn seen(square: u8, side: Player) -> u8 {
        if side == Player::First {
            square
        } else {
            15 - square
        }
    }
}

impl Game for Breakthrough {
    const NAME: &'static str = "breakthrough4";
    const GRAIN: i32 = 1;
    const SYMMETRIES: usize = 2;

    fn start() -> Self {
        Breakthrough {
            own: 0x000f,
            other: 0xf000,
            side: Player::First,
            played: 0,
        }
    }

    fn to_move(&self) -> Player {
        self.side
    }

    fn moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        if self.other & 0x000f != 0 {
            return moves;
        }
        for from in (0..12).filter(|from| self.own >> from & 1 != 0) {
            for (step, sideways) in [(3, -1), (4, 0), (5, 1)] {
                let column = from as i8 % 4 + sideways;
                let to = from + step;
                let blocked = if sideways == 0 {
                    self.own | self.other
                } else {
                    self.own
                };
                if (0..4).contains(&column) && blocked >> to & 1 == 0 {
                    moves.push(Move::from_to(
                        Self::seen(from, self.side),
                        Self::seen(to, self.side),
                    ));
                }
            }
        }
        moves
    }

    fn play(&self, m: Move) -> Self {
        debug_assert!(self.moves().contains(&m));
        let [from, to] = [m.origin(), m.square()].map(|square| 1 << Self::seen(square, self.side));
        Breakthrough {
            own: (self.other & !to).reverse_bits(),
            other: (self.own & !from | to).reverse_bits(),
            side: self.side.other(),
            played: self.played + 1,
        }
    }

    fn final_score(&self) -> Option<Score> {
        self.moves()
            .is_empty()
            .then(|| Score::lost_at(i32::from(self.played)))
    }

    fn plies_left(&self) -> u8 {
        Self::LONGEST - self.played
    }

    /// Plies, for games decided at a ply.
    fn stones(&self) -> i32 {
        i32::from(self.played)
    }

    fn packed(&self) -> [u64; 2] {
        [
            u64::from(self.own) << 16 | u64::from(self.other),
            u64::from(self.played),
        ]
    }

    fn image(&self, symmetry: usize) -> Self {
        let mirrored = |set: u16| {
            let set = (set & 0x5555) << 1 | set >> 1 & 0x5555;
            (set & 0x3333) << 2 | set >> 2 & 0x3333
        };
        if symmetry == 0 {
            *self
        } else {
            Breakthrough {
                own: mirrored(self.own),
                other: mirrored(self.other),
                ..*self
            }
        }
    }

    fn move_image(m: Move, symmetry: usize) -> Move {
        if symmetry == 0 || m.is_pass() || m == Move::NONE {
            m
        } else {
            Move::from_to(m.origin() ^ 3, m.square() ^ 3)
        }
    }
}

impl Notation for Breakthrough {
    const MOVE_SYNTAX: &'static str = "a1a2 to d4d3";

    fn parse_move(word: &str) -> Result<Move, NotationError> {
        match Self::parse_glued(word) {
            Ok((m, "")) => Ok(m),
            _ => Err(unreadable(word)),
        }
    }

    fn parse_glued(word: &str) -> Result<(Move, &str), NotationError> {
        let square = |column: u8, row: u8| {
            let (column, row) = (
                column.to_ascii_lowercase().wrapping_sub(b'a'),
                row.wrapping_sub(b'1'),
            );
            (column < 4 && row < 4).then(|| 4 * row + column)
        };
        let read = match word.as_bytes() {
            [a, b, c, d, ..] => square(*a, *b).zip(square(*c, *d)),
            _ => None,
        };
        let (from, to) = read.ok_or_else(|| unreadable(word))?;
        Ok((Move::from_to(from, to), &word[4..]))
    }

    fn write_move(m: Move) -> String {
        assert!(
            m != Move::NONE && !m.is_pass(),
            "this game has no such move"
        );
        let name = |square: u8| format!("{}{}", char::from(b'a' + square % 4), square / 4 + 1);
        name(m.origin()) + &name(m.square())
    }

    /// Sixteen pieces from a1 to d4, the side to move, and the plies played.
    fn parse_position(text: &str) -> Result<Self, NotationError> {
        let error = || NotationError::ImpossiblePosition(format!("no position: {text}"));
        let [board, side, played] = text.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(error());
        };
        let side = if side == "x" {
            Player::First
        } else {
            Player::Second
        };
        let set = |piece| {
            (0..)
                .zip(board.chars())
                .filter(|&(_, c)| c == piece)
                .fold(0, |set, (at, _)| set | 1u16 << at)
        };
        if board.len() != 16 || !board.chars().all(|c| matches!(c, 'x' | 'o' | '.')) {
            return Err(error());
        }
        let (own, other) = match side {
            Player::First => (set('x'), set('o')),
            Player::Second => (set('o').reverse_bits(), set('x').reverse_bits()),
        };
        Ok(Breakthrough {
            own,
            other,
            side,
            played: played.parse().map_err(|_| error())?,
        })
    }

    fn write_position(&self) -> String {
        let side = if self.side == Player::First { 'x' } else { 'o' };
        let board: String = (0..16).map(|square| self.piece(square)).collect();
        format!("{board} {side} {}", self.played)
    }

    fn diagram(&self) -> String {
        let row = |row: u8| {
            (0..4u8)
                .map(|column| self.piece(4 * row + column))
                .chain(['\n'])
                .collect::<String>()
        };
        (0..4).rev().map(row).collect()
    }
}

fn unreadable(word: &str) -> NotationError {
    NotationError::UnreadableMove {
        word: word.into(),
        expected: Breakthrough::MOVE_SYNTAX,
    }
}

/// The rows that the own men have advanced, less those of the other men.
#[derive(Clone, Copy, Default, Debug)]
struct Advance;

impl Evaluate<Breakthrough> for Advance {
    type Data = ();
    const GRAIN: i32 = 10;

    fn fresh(&self, _position: &Breakthrough) {}

    fn score(&self, position: &Breakthrough, _data: ()) -> Score {
        let rows = |set: u16| {
            (0..16)
                .filter(|square| set >> square & 1 != 0)
                .map(|square| 1 + square / 4)
                .sum::<i32>()
        };
        Score(10 * (rows(position.own) - rows(position.other.reverse_bits())))
    }
}

/// Searches by the production loop and collects what it reports; `stop_at` is the depth at which
/// the user stops it.
fn search<G: Game, E: Evaluate<G>>(
    position: G,
    evaluator: E,
    limits: &Limits,
    deepening: bool,
    stop_at: u8,
) -> (Answer, Vec<Progress>) {
    let (policy, table, control) = (
        GenericPolicy::new(evaluator, Portable::token()),
        Table::new(4),
        Arc::new(SearchControl::default()),
    );
    let mut searcher =
        Production::<Mtdf, _>::new(position, Context::new(&policy, Some(&table), &control));
    let mut told = Vec::new();
    let mut report = |progress: &Progress| {
        told.push(progress.clone());
        if progress.depth >= stop_at {
            control.stop();
        }
    };
    let mut observer = Observer {
        control: control.clone(),
        report: Some(&mut report),
        trace: None,
    };
    let answer = think(&mut searcher, limits, deepening, &mut observer);
    (answer, told)
}

/// A position after `plies` random plies, none of which ended the game.
fn random_position<G: Game>(plies: usize, rng: &mut Rng) -> G {
    loop {
        let mut position = G::start();
        for _ in 0..plies {
            let Some(&m) = rng.choose(&position.moves()) else {
                break;
            };
            position = position.play(m);
        }
        if position.final_score().is_none() && position.to_move() == after(plies) {
            return position;
        }
    }
}

fn after(plies: usize) -> Player {
    if plies.is_multiple_of(2) {
        Player::First
    } else {
        Player::Second
    }
}

#[test]
fn connect_four_has_its_known_number_of_move_sequences() {
    for (depth, count) in [(1, 7), (2, 49), (6, 117_649), (7, 823_536)] {
        assert_eq!(perft(&ConnectFour::start(), depth).leaves, count);
    }
}

#[test]
fn a_game_without_an_evaluation_deepens_and_stops() {
    let start = ConnectFour::start();
    let (answer, told) = search(start, Zero, &Limits::to_depth(8), true, u8::MAX);
    assert_eq!(
        told.iter()
            .map(|progress| progress.depth)
            .collect::<Vec<_>>(),
        [2, 4, 6, 8]
    );
    assert!(
        told.iter()
            .all(|progress| progress.pv.len() == usize::from(progress.depth)),
        "{told:?}"
    );
    assert_eq!((answer.depth, answer.stopped), (8, false));
    let (endless, ms) = (u8::MAX, Duration::from_millis);
    let timed = |time, clock| {
        Limits::new(
            Goal::BestMove,
            Stops {
                time,
                clock,
                ..Stops::default()
            },
        )
    };
    for (mut limits, deepening, stop_at) in [
        (Limits::default(), true, 6), // infinite, stopped by its user
        (Limits::to_find(Goal::Exact), true, 6),
        (Limits::to_depth(42), true, 6),
        (Limits::to_depth(42), false, 6),
        (Limits::to_nodes(50_000), true, endless),
        (timed(Some(ms(300)), None), true, endless),
        (timed(None, Some(Clock::of(ms(2_000)))), true, endless),
    ] {
        limits.stops.started = Instant::now();
        let (answer, told) = search(start, Zero, &limits, deepening, stop_at);
        assert!(
            answer.stopped && answer.depth > 0 && !told.is_empty(),
            "{limits:?}: {answer:?}"
        );
        assert!(
            start.moves().contains(&answer.best_move().unwrap()),
            "{limits:?}"
        );
        let line = &answer.best[0].pv;
        assert_eq!(
            line.len(),
            usize::from(answer.depth),
            "{limits:?}: {line:?}"
        );
        assert_eq!(answer.score(), Some(Score::ZERO), "{limits:?}");
    }
}

#[test]
fn connect_four_ends_have_their_exact_value() {
    let mut rng = Rng::new(19);
    for _ in 0..40 {
        let position: ConnectFour = random_position(28, &mut rng);
        let (answer, _) = search(position, Zero, &Limits::to_find(Goal::Exact), true, u8::MAX);
        assert_eq!(
            (answer.score(), answer.certainty),
            (Some(value_of(&position)), Certainty::Exact),
            "{position:?}"
        );
    }
}

/// The moves of Breakthrough by plain loops over the written board.
fn plain_moves(position: &Breakthrough) -> HashSet<String> {
    let text = position.write_position();
    let board: Vec<char> = text.chars().take(16).collect();
    let (own, ahead, home, enemy_goal) = if text.contains(" x ") {
        ('x', 1, 0, 'o')
    } else {
        ('o', -1, 3, 'x')
    };
    let mut moves = HashSet::new();
    if (0..4).any(|column| board[4 * home + column] == enemy_goal) {
        return moves;
    }
    for (from, _) in board.iter().enumerate().filter(|&(_, &piece)| piece == own) {
        for sideways in [-1, 0, 1] {
            let (row, column) = (from as i32 / 4 + ahead, from as i32 % 4 + sideways);
            if !(0..4).contains(&row) || !(0..4).contains(&column) {
                continue;
            }
            let target = board[(4 * row + column) as usize];
            if target == '.' || target != own && sideways != 0 {
                let name = |column: i32, row: i32| {
                    format!("{}{}", char::from(b'a' + column as u8), row + 1)
                };
                moves.insert(name(from as i32 % 4, from as i32 / 4) + &name(column, row));
            }
        }
    }
    moves
}

#[test]
fn breakthrough_is_written_read_and_counted() {
    assert_eq!(
        Breakthrough::start().write_position(),
        "xxxx........oooo x 0"
    );
    assert_eq!(Breakthrough::start().diagram(), "oooo\n....\n....\nxxxx\n");
    assert_eq!(
        [1, 2].map(|depth| perft(&Breakthrough::start(), depth).leaves),
        [10, 100]
    );
    assert_eq!(
        Breakthrough::parse_glued("A1b2c1c2"),
        Ok((Move::from_to(0, 5), "c1c2"))
    );
    for word in ["", "a1", "a1e2", "a1a2x", "pass", "a1a"] {
        assert!(Breakthrough::parse_move(word).is_err(), "{word}");
    }
    let mut rng = Rng::new(20);
    for _ in 0..200 {
        let mut position = Breakthrough::start();
        loop {
            let words: HashSet<_> = position
                .moves()
                .into_iter()
                .map(Breakthrough::write_move)
                .collect();
            assert_eq!(words, plain_moves(&position), "{position:?}");
            assert_eq!(
                Breakthrough::parse_position(&position.write_position()),
                Ok(position)
            );
            let Some(&m) = rng.choose(&position.moves()) else {
                break;
            };
            assert_eq!(
                Breakthrough::parse_move(&Breakthrough::write_move(m)),
                Ok(m)
            );
            let mirrored = position.image(1).play(Breakthrough::move_image(m, 1));
            assert_eq!(position.play(m).image(1), mirrored, "{position:?} {m:?}");
            position = position.play(m);
        }
        assert!(position.final_score().is_some());
    }
}

#[test]
fn every_algorithm_finds_minimaxs_value_of_breakthrough() {
    let mut rng = Rng::new(21);
    let policy = GenericPolicy::new(Advance, Portable::token());
    for round in 0..60 {
        let position: Breakthrough = random_position(round % 8, &mut rng);
        let depth = [1, 2, 3, 4, 5][round % 5];
        let control = Arc::new(SearchControl::default());
        let ask = |searcher: &mut dyn Searcher, depth| {
            let mut observer = Observer {
                control: control.clone(),
                ..Observer::default()
            };
            let answer = think(searcher, &Limits::to_depth(depth), true, &mut observer);
            assert!(position.moves().contains(&answer.best_move().unwrap()));
            answer.score().unwrap()
        };
        let textbook = |textbook, table: Option<&Table>| {
            ask(
                &mut TextbookSearch::new(
                    textbook,
                    position,
                    TextbookContext::new(&Advance, table, &control),
                ),
                depth,
            )
        };
        let value = textbook(Algorithm::Minimax, None);
        for algorithm in Algorithm::ALL
            .into_iter()
            .filter(|&algorithm| algorithm != Algorithm::Auto)
        {
            assert_eq!(
                textbook(algorithm, None),
                value,
                "{algorithm:?} {position:?} depth {depth}"
            );
            let table = Table::new(1);
            assert_eq!(
                textbook(algorithm, Some(&table)),
                value,
                "{algorithm:?} with a table, {position:?} depth {depth}"
            );
        }
        let mtdf = ask(
            &mut Production::<Mtdf, _>::new(position, Context::new(&policy, None, &control)),
            depth,
        );
        let scout = ask(
            &mut Production::<NegaScout, _>::new(position, Context::new(&policy, None, &control)),
            depth,
        );
        assert_eq!((mtdf, scout), (value, value), "{position:?} depth {depth}");
    }
}

#[test]
fn breakthrough_is_solved() {
    let value = value_from_start::<Breakthrough>();
    let exact = Limits::to_find(Goal::Exact);
    let (answer, told) = search(Breakthrough::start(), Advance, &exact, true, u8::MAX);
    assert_eq!(
        (answer.score(), answer.certainty),
        (Some(value), Certainty::Exact)
    );
    let end = told
        .last()
        .unwrap()
        .pv
        .iter()
        .fold(Breakthrough::start(), |position, &m| position.play(m));
    let score = end.final_score().unwrap();
    assert_eq!(
        if end.to_move() == Player::First {
            score
        } else {
            -score
        },
        value
    );
}
