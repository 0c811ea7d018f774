//! The invariants of `Game` on random walks through every game, the fast rules compared with slow
//! reference rules, and special positions: wipe-outs, forced passes, full boards.

use std::collections::HashSet;

use crate::common::plain_loops::{PlainLoops, PlainOthello};
use nullwindow::game::rng::Rng;
use nullwindow::game::score::Score;
use nullwindow::game::{Game, Move, Notation, Outcome, Player, outcome, squares};
use nullwindow::games::any::{AnyPosition, NAMES, by_name};
use nullwindow::games::record::play_all;
use nullwindow::games::reversi::{
    Diamond, Diamond2, DiamondCrossed, DiamondParallel, Eight, Four, Othello4, Othello6, Reversi,
    Shape, Six,
};
use nullwindow::games::reversi::{Othello, bitboard};
use nullwindow::games::score_four::{LINES, ScoreFour, lines_through};
use nullwindow::games::spec::GameSpec;
use nullwindow::games::tictactoe::TicTacToe;

/// A random game, from the start to its end.
fn random_game<G: Game>(rng: &mut Rng) -> (Vec<G>, Vec<Move>) {
    let (mut positions, mut moves) = (vec![G::start()], Vec::new());
    loop {
        let position = *positions.last().unwrap();
        let legal = position.moves();
        if legal.is_empty() {
            return (positions, moves);
        }
        let m = legal[rng.next_u64() as usize % legal.len()];
        positions.push(position.play(m));
        moves.push(m);
    }
}

fn laws<G: GameSpec>(start: G) {
    let games = 1_200 / u64::from(start.plies_left());
    for seed in 0..games {
        let (positions, moves) = random_game::<G>(&mut Rng::for_stream(1, seed));
        let mut plies_to_come = moves.iter().map(|&m| u32::from(G::cost(m))).sum::<u32>();
        for (n, position) in positions.iter().enumerate() {
            let text = position.write_position();
            let legal = position.moves();
            assert_eq!(legal.is_empty(), position.final_score().is_some(), "{text}");
            assert_eq!(outcome(position).is_some(), legal.is_empty());
            assert!(u32::from(position.plies_left()) >= plies_to_come, "{text}");
            if legal.contains(&Move::PASS) {
                assert_eq!(legal.len(), 1, "a pass beside other moves: {text}");
            }
            if let Some(score) = position.final_score() {
                assert_eq!(score.0 % G::GRAIN, 0, "{text}");
                assert_eq!(n, moves.len());
            }
            for &m in &legal {
                let next = position.play(m);
                assert_eq!(
                    next.plies_left() + G::cost(m),
                    position.plies_left(),
                    "{text}"
                );
                assert_eq!(next.to_move(), position.to_move().other());
                assert_eq!(next.stones(), position.stones() + i32::from(G::cost(m)));
                assert_ne!(next.packed(), position.packed());
            }
            symmetries(position);
            notation(position);
            if let Some(&m) = moves.get(n) {
                plies_to_come -= u32::from(G::cost(m));
            }
        }
    }
}

/// Moves and `play` commute with every symmetry, and the outcome is invariant.
fn symmetries<G: Game>(position: &G) {
    assert_eq!(position.image(0), *position);
    for symmetry in 0..G::SYMMETRIES {
        let image = position.image(symmetry);
        assert_eq!(image.final_score(), position.final_score());
        assert_eq!(image.to_move(), position.to_move());
        let mut expected: Vec<_> = position
            .moves()
            .iter()
            .map(|&m| G::move_image(m, symmetry))
            .collect();
        let mut legal = image.moves().to_vec();
        expected.sort();
        legal.sort();
        assert_eq!(legal, expected);
        for m in position.moves() {
            assert_eq!(
                image.play(G::move_image(m, symmetry)),
                position.play(m).image(symmetry)
            );
        }
    }
}

/// Written moves and positions are parsed back, in the game's own notation and in that of UCI
/// clients.
fn notation<G: GameSpec>(position: &G) {
    let text = position.write_position();
    assert_eq!(G::parse_position(&text).as_ref(), Ok(position), "{text}");
    let fen = position.write_uci_position(0);
    assert_eq!(G::parse_position(&fen).as_ref(), Ok(position), "{fen}");
    for m in position.moves() {
        let word = G::write_move(m);
        assert_eq!(G::parse_move(&word), Ok(m));
        assert_eq!(G::parse_move(&word.to_uppercase()), Ok(m));
        assert_eq!(G::parse_move(&position.write_uci_move(m)), Ok(m));
        assert_eq!(G::parse_glued(&format!("{word}x")), Ok((m, "x")));
    }
    let diagram = position.diagram();
    assert!(diagram.ends_with('\n'));
    let playable = position.moves().iter().filter(|m| !m.is_pass()).count();
    assert_eq!(diagram.matches('+').count(), playable, "{diagram}");
}

#[test]
fn every_game_obeys_the_invariants_of_the_game_trait() {
    for name in NAMES {
        match by_name(name).unwrap().position() {
            AnyPosition::Othello(start) => laws(start),
            AnyPosition::Othello6(start) => laws(start),
            AnyPosition::Othello4(start) => laws(start),
            AnyPosition::Diamond(start) => laws(start),
            AnyPosition::Diamond2(start) => laws(start),
            AnyPosition::TicTacToe(start) => laws(start),
            AnyPosition::ScoreFour(start) => laws(start),
        }
    }
}

#[test]
fn all_games_are_found_by_name_and_undo_their_moves() {
    let mut rng = Rng::new(7);
    for name in NAMES {
        let mut game = by_name(&name.to_uppercase()).unwrap();
        assert_eq!(game.name(), name);
        let start = game.write_position();
        let mut texts = Vec::new();
        while game.final_score().is_none() {
            texts.push((game.write_position(), game.hash()));
            let legal = game.moves();
            game.play(legal[rng.next_u64() as usize % legal.len()])
                .unwrap();
        }
        assert!(game.outcome().is_some());
        assert!(
            game.play(Move::to(0)).is_err()
                && game.play(Move::PASS).is_err()
                && game.play(Move::NONE).is_err()
        );
        while let Some((text, hash)) = texts.pop() {
            assert!(game.undo());
            assert_eq!((game.write_position(), game.hash()), (text, hash));
        }
        assert!(!game.undo());
        assert_eq!(game.write_position(), start);
        game.set_position(" StartPos ").unwrap();
        assert_eq!(game.write_position(), start);
        assert!(game.set_position("nonsense").is_err());
        assert_eq!(game.write_position(), start);
    }
    assert!(by_name("chess").is_none());
}

#[test]
fn fast_flips_and_moves_equal_the_plain_loops_on_any_discs() {
    type Plain = PlainLoops<Eight>;
    let mut rng = Rng::new(3);
    for round in 0..4000 {
        // From crowded boards to nearly empty ones.
        let (mut discs, colors) = (rng.next_u64(), rng.next_u64());
        match round % 4 {
            0 => discs |= rng.next_u64(),
            1 => discs |= rng.next_u64() | rng.next_u64(),
            2 => discs &= rng.next_u64(),
            _ => {}
        }
        let (player, opponent) = (discs & colors, discs & !colors);
        assert_eq!(
            bitboard::legal(player, opponent),
            Plain::legal(player, opponent),
            "{player:x} {opponent:x}"
        );
        for square in squares(!discs) {
            let plain = Plain::flips(player, opponent, square);
            assert_eq!(
                bitboard::flips(player, opponent, square),
                plain,
                "{player:x} {opponent:x} {square}"
            );
        }
    }
}

#[test]
fn othello_plays_as_the_plain_loops_do() {
    for seed in 0..50 {
        let (positions, moves) = random_game::<Othello>(&mut Rng::for_stream(2, seed));
        let mut plain = PlainOthello::start();
        for (n, position) in positions.iter().enumerate() {
            assert_eq!(position.packed(), plain.packed());
            assert_eq!(position.moves(), plain.moves());
            assert_eq!(position.final_score(), plain.final_score());
            assert_eq!(position.to_move(), plain.to_move());
            if let Some(&m) = moves.get(n) {
                plain = plain.play(m);
            }
        }
    }
}

fn plays_as_plain<S: Shape>() {
    for seed in 0..100 {
        let (positions, moves) = random_game::<Reversi<S>>(&mut Rng::for_stream(4, seed));
        let mut plain = Reversi::<PlainLoops<S>>::start();
        for (n, position) in positions.iter().enumerate() {
            assert_eq!(
                (position.packed(), position.moves()),
                (plain.packed(), plain.moves())
            );
            assert_eq!((position.player | position.opponent) & !S::SQUARES, 0);
            if let Some(&m) = moves.get(n) {
                plain = plain.play(m);
            }
        }
    }
}

#[test]
fn small_boards_play_as_the_plain_loops_do() {
    plays_as_plain::<Six>();
    plays_as_plain::<Four>();
    plays_as_plain::<DiamondCrossed>();
    plays_as_plain::<DiamondParallel>();
}

#[test]
fn reversi_games_have_their_start_positions() {
    assert_eq!(Othello::start().write_position(), "8/8/8/3ox3/3xo3/8/8/8 x");
    assert_eq!(PlainOthello::start().packed(), Othello::start().packed());
    assert_eq!(Othello6::start().write_position(), "6/6/2ox2/2xo2/6/6 x");
    assert_eq!(Othello4::start().write_position(), "4/1ox1/1xo1/4 x");
    assert_eq!(
        Diamond::start().write_position(),
        "**2**/*4*/2ox2/2xo2/*4*/**2** x"
    );
    assert_eq!(
        Diamond2::start().write_position(),
        "**2**/*4*/2ox2/2ox2/*4*/**2** x"
    );
    assert_eq!(
        (
            DiamondCrossed::SQUARES.count_ones(),
            Six::SQUARES.count_ones()
        ),
        (24, 36)
    );
    let first = |m: &Move| Othello::write_move(*m);
    let mut moves: Vec<_> = Othello::start().moves().iter().map(first).collect();
    moves.sort();
    assert_eq!(moves, ["c4", "d3", "e6", "f5"]);
}

#[test]
fn a_wipe_out_ends_the_game_at_once() {
    // The shortest game: after nine plies White has no disc left and 51 squares are empty.
    let mut game = by_name("othello").unwrap();
    play_all(&mut game, "e6f4e3f6g5d6e7f5").unwrap();
    assert_eq!(game.final_score(), None);
    play_all(&mut game, "c5").unwrap();
    assert_eq!(game.final_score(), Some(Score(-6400)));
    assert_eq!(game.outcome(), Some(Outcome::FirstWins));
    assert!(game.moves().is_empty());
    let discs = game.discs().unwrap();
    assert_eq!(
        (discs.black.count_ones(), discs.white.count_ones()),
        (13, 0)
    );
    // Discs only: no empty square counts.
    for (text, score) in [("4/1xx1/1xx1/4 o", -400), ("4/1xx1/1xx1/4 x", 400)] {
        assert_eq!(
            Othello4::parse_position(text).unwrap().final_score(),
            Some(Score(score))
        );
    }
    assert_eq!(
        Othello6::parse_position("6/6/2oo2/2oo2/6/6 x")
            .unwrap()
            .final_score(),
        Some(Score(-3600))
    );
}

#[test]
fn passes_are_forced_cost_no_depth_and_change_the_side() {
    let position = Othello::parse_position("8/8/8/8/8/8/ox6/8 x").unwrap();
    assert_eq!(position.moves().as_slice(), [Move::PASS]);
    let next = position.play(Move::PASS);
    assert_eq!(next.plies_left(), position.plies_left());
    assert_eq!(next.to_move(), Player::Second);
    assert_eq!(
        next.moves().as_slice(),
        [Othello::parse_move("c7").unwrap()]
    );
    // Neither side has a legal move although squares are empty: the winner gets them.
    let dead = Othello::parse_position("xx6/8/8/8/8/8/8/6oo x").unwrap();
    assert!(dead.moves().is_empty());
    assert_eq!(dead.final_score(), Some(Score(0)));
    let dead = Othello::parse_position("xxx5/8/8/8/8/8/8/6oo o").unwrap();
    assert_eq!(dead.final_score(), Some(Score(-100 * (3 - 2 + 59))));
}

#[test]
fn full_boards_have_their_final_score() {
    let rows = |a: &str, b: &str| format!("{a}/{a}/{a}/{a}/{b}/{b}/{b}/{b} x");
    let draw = Othello::parse_position(&rows("xxxxxxxx", "oooooooo")).unwrap();
    assert_eq!(
        (draw.final_score(), outcome(&draw)),
        (Some(Score(0)), Some(Outcome::Draw))
    );
    let won = Othello::parse_position(&rows("xxxxxxxx", "ooooooox")).unwrap();
    assert_eq!(won.final_score(), Some(Score(800)));
    let draw = TicTacToe::parse_position("xox/xxo/oxo o").unwrap();
    assert_eq!((draw.final_score(), draw.plies_left()), (Some(Score(0)), 0));
    // The last stone can still win.
    let won = TicTacToe::parse_position("xxx/oox/oxo o").unwrap();
    assert_eq!(won.final_score(), Some(Score::lost_at(9)));
}

#[test]
fn tic_tac_toe_has_as_many_positions_as_published() {
    let naive_win = |text: &str, piece: char| {
        let cells: Vec<char> = text
            .chars()
            .filter(|c| matches!(c, 'x' | 'o' | '.'))
            .collect();
        let line = |a: usize, b: usize, c: usize| [a, b, c].iter().all(|&n| cells[n] == piece);
        (0..3).any(|n| line(3 * n, 3 * n + 1, 3 * n + 2) || line(n, n + 3, n + 6))
            || line(0, 4, 8)
            || line(2, 4, 6)
    };
    let (mut seen, mut canonical, mut stack) =
        (HashSet::new(), HashSet::new(), vec![TicTacToe::start()]);
    while let Some(position) = stack.pop() {
        if !seen.insert(position) {
            continue;
        }
        canonical.insert(
            (0..8)
                .map(|symmetry| position.image(symmetry).packed())
                .min(),
        );
        let drawn: String = position
            .diagram()
            .lines()
            .take(3)
            .flat_map(|row| row[1..].chars())
            .collect();
        let drawn = drawn.replace('+', ".");
        let mover = if position.to_move() == Player::First {
            'x'
        } else {
            'o'
        };
        let other = if mover == 'x' { 'o' } else { 'x' };
        assert!(!naive_win(&drawn, mover));
        let expected = match (naive_win(&drawn, other), drawn.contains('.')) {
            (true, _) => Some(Score(position.stones() - 10_000)),
            (false, false) => Some(Score(0)),
            (false, true) => None,
        };
        assert_eq!(position.final_score(), expected);
        stack.extend(position.moves().iter().map(|&m| position.play(m)));
    }
    let over = seen
        .iter()
        .filter(|position| position.final_score().is_some())
        .count();
    assert_eq!((seen.len(), canonical.len(), over), (5478, 765, 958));
}

/// Four in a line through walking from every cell in every direction.
fn naive_line(stones: u64) -> bool {
    let owns = |x: i32, y: i32, z: i32| {
        (0..4).contains(&x)
            && (0..4).contains(&y)
            && (0..4).contains(&z)
            && stones >> (16 * z + 4 * y + x) & 1 != 0
    };
    (0..64).any(|cell| {
        (0..27).filter(|&d| d != 13).any(|d| {
            let (dx, dy, dz) = (d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
            (0..4).all(|n| owns(cell % 4 + n * dx, cell / 4 % 4 + n * dy, cell / 16 + n * dz))
        })
    })
}

#[test]
fn score_four_detects_the_76_lines_and_no_other() {
    assert_eq!(LINES.iter().collect::<HashSet<_>>().len(), 76);
    for line in LINES {
        assert!(line.count_ones() == 4 && naive_line(line));
    }
    let through: Vec<_> = (0..64).map(|cell| lines_through(cell).count()).collect();
    assert_eq!(through.iter().filter(|&&n| n == 7).count(), 16);
    assert_eq!(through.iter().filter(|&&n| n == 4).count(), 48);
    let mut ends = HashSet::new();
    for seed in 0..300 {
        let (positions, _) = random_game::<ScoreFour>(&mut Rng::for_stream(5, seed));
        for position in &positions {
            let [own, other] = position.packed();
            assert!(!naive_line(own));
            assert_eq!(
                position.final_score().is_some(),
                naive_line(other) || own | other == u64::MAX
            );
        }
        ends.insert(outcome(positions.last().unwrap()));
    }
    assert!(ends.contains(&Some(Outcome::FirstWins)) && ends.contains(&Some(Outcome::SecondWins)));
}

#[test]
fn score_four_stones_fall_to_the_lowest_free_cell() {
    let mut position = ScoreFour::start();
    for level in 0..4 {
        assert_eq!(position.landing(5), 16 * level + 5);
        assert!(position.playable() >> position.landing(5) & 1 != 0);
        position = position.play(Move::to(5));
    }
    assert!(!position.moves().contains(&Move::to(5)));
    assert_eq!(position.moves().len(), 15);
}

#[test]
fn a_full_score_four_board_is_a_draw() {
    // Both sides play at random but never complete a line where another move is left; some game
    // fills the board.
    let drawn = (0..2000).find_map(|seed| {
        let mut rng = Rng::for_stream(6, seed);
        let mut position = ScoreFour::start();
        while position.final_score().is_none() {
            let quiet: Vec<_> = position
                .moves()
                .into_iter()
                .filter(|&m| !position.play(m).moves().is_empty())
                .collect();
            let choice = if quiet.is_empty() {
                position.moves().to_vec()
            } else {
                quiet
            };
            position = position.play(choice[rng.next_u64() as usize % choice.len()]);
        }
        (position.final_score() == Some(Score(0))).then_some(position)
    });
    let drawn = drawn.expect("a drawn game");
    assert_eq!(
        (drawn.stones(), drawn.plies_left(), outcome(&drawn)),
        (64, 0, Some(Outcome::Draw))
    );
    assert!(!naive_line(drawn.packed()[0]) && !naive_line(drawn.packed()[1]));
    assert_eq!(
        ScoreFour::parse_position(&drawn.write_position()),
        Ok(drawn)
    );
}
