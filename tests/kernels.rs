//! The bitboard kernels of the disc games compared with plain rules, on every instruction set of
//! this CPU.

use nullwindow::game::rng::Rng;
use nullwindow::game::squares;
use nullwindow::games::reversi::Shape;
use nullwindow::games::reversi::bitboard;
use nullwindow::games::reversi::kernel::{FeatureWeights, Kernels, MAX_WEIGHT, NEURONS};
use nullwindow::games::reversi::stability;
use nullwindow::games::reversi::{DiamondCrossed, Eight, Four, Six};
use nullwindow::search::core::isa::{IsaChoice, Portable};

use crate::common::instruction_sets;
use crate::common::with_isa::with_isa;

/// A position with `empties` empties after random moves; `None` if the game ends before.
fn random_position<B: Shape>(rng: &mut Rng, empties: u32) -> Option<(u64, u64)> {
    let (mut player, mut opponent) = (B::BLACK, B::WHITE);
    while B::empty(player, opponent).count_ones() > empties {
        let moves = B::legal(player, opponent);
        if moves == 0 {
            if B::legal(opponent, player) == 0 {
                return None;
            }
        } else {
            let squares: Vec<u8> = squares(moves).collect();
            let square = squares[rng.below(squares.len() as u64) as usize];
            let flips = B::flips(player, opponent, square);
            (player, opponent) = (player | flips | 1 << square, opponent ^ flips);
        }
        (player, opponent) = (opponent, player);
    }
    Some((player, opponent))
}

fn kernels_equal_the_rules_on<K: Kernels>(kernel: K) {
    let mut rng = Rng::new(6);
    for _ in 0..20_000 {
        // Random words of random density, then positions from games.
        let (a, b, c) = (rng.next_u64(), rng.next_u64(), rng.next_u64());
        let filled = match c % 4 {
            0 => a | b,
            1 => a & b,
            2 => a,
            _ => a | b | rng.next_u64() | rng.next_u64(),
        };
        check_kernels(kernel, filled & c, filled & !c);
    }
    for empties in 0..60 {
        for _ in 0..20 {
            if let Some((player, opponent)) = random_position::<Eight>(&mut rng, empties) {
                check_kernels(kernel, player, opponent);
            }
        }
    }
    // Every content of a row, a file and both long diagonals.
    let lines = [
        0xff,
        0xff << 24,
        0x0101_0101_0101_0101,
        0x8040_2010_0804_0201,
        0x0102_0408_1020_4080,
    ];
    for line in lines {
        let squares: Vec<u8> = squares(line).collect();
        for code in 0..3u32.pow(8) {
            let (mut player, mut opponent) = (0, 0);
            for (digit, &square) in squares.iter().enumerate() {
                match code / 3u32.pow(digit as u32) % 3 {
                    1 => player |= 1 << square,
                    2 => opponent |= 1 << square,
                    _ => {}
                }
            }
            check_kernels(kernel, player, opponent);
        }
    }
}

fn check_kernels<K: Kernels>(kernel: K, player: u64, opponent: u64) {
    assert_eq!(
        kernel.legal(player, opponent),
        bitboard::legal(player, opponent),
        "legal {player:x} {opponent:x}"
    );
    for square in squares(!(player | opponent)) {
        let flips = bitboard::flips(player, opponent, square);
        let at = u32::from(square);
        assert_eq!(
            kernel.flips(player, opponent, at),
            flips,
            "flips {player:x} {opponent:x} {square}"
        );
        let full = !player & !(1 << square);
        let last = 2 * bitboard::flips(player, full, square).count_ones() as i32;
        assert_eq!(
            kernel.last_flips(player, at),
            last,
            "last flip {player:x} {square}"
        );
    }
    let empty = !(player | opponent);
    for seed in [0, player & player.rotate_left(7)] {
        let stable = Portable::token().stable_from::<Eight>(player, empty, seed);
        assert_eq!(
            kernel.stable_from::<Eight>(player, empty, seed),
            stable,
            "stable {player:x} {opponent:x} {seed:x}"
        );
    }
}

#[test]
fn kernels_equal_the_rules() {
    for choice in instruction_sets() {
        with_isa!(choice, isa => kernels_equal_the_rules_on(isa));
        println!("kernels of {} equal the rules", choice.name());
    }
}

fn sums_are_those_of_plain_integers_on<K: Kernels>(kernel: K) {
    let mut rng = Rng::new(1);
    let mut random = || rng.below(2 * MAX_WEIGHT as u64 + 1) as i8 - MAX_WEIGHT;
    for fours in 0..=64 {
        let (mut accumulator, mut expected) = (kernel.empty_accumulator(), [0_i16; NEURONS]);
        for four in 0..fours {
            let rows: [[i8; NEURONS]; 4] = match four % 4 {
                0 => [[-MAX_WEIGHT; NEURONS]; 4],
                1 if fours % 2 == 0 => [[MAX_WEIGHT; NEURONS]; 4],
                _ => [[0; NEURONS]; 4].map(|row| row.map(|_: i8| random())),
            };
            let [a, b, c, d] = rows.map(|row| FeatureWeights::new(&row));
            assert_eq!([a, b, c, d].map(|row| row.weights()), rows);
            accumulator = kernel.accumulate(accumulator, [&a, &b, &c, &d]);
            let weights = rows.iter().flat_map(|row| row.iter().enumerate());
            weights.for_each(|(neuron, &weight)| expected[neuron] += i16::from(weight));
        }
        assert_eq!(kernel.sums(accumulator, 4 * fours), expected);
    }
}

#[test]
fn accumulators_equal_plain_sums() {
    for choice in instruction_sets() {
        with_isa!(choice, isa => sums_are_those_of_plain_integers_on(isa));
    }
}

fn stable_on<B: Shape>(choice: IsaChoice, player: u64, opponent: u64) -> u64 {
    with_isa!(choice, isa => stability::stable::<_, B>(isa, player, opponent))
}

/// The stable discs of `player` are the same on all instruction sets and are never flipped in
/// random continuations.
fn stability_holds<B: Shape>(seed: u64) {
    let mut rng = Rng::new(seed);
    let mut found = 0;
    for round in 0..600 {
        let empties = 1 + round % (B::COUNT as u32 - 8);
        let Some((player, opponent)) = random_position::<B>(&mut rng, empties) else {
            continue;
        };
        let stable = stable_on::<B>(IsaChoice::Portable, player, opponent);
        for choice in IsaChoice::available() {
            assert_eq!(
                stable_on::<B>(choice, player, opponent),
                stable,
                "{}",
                choice.name()
            );
        }
        assert_eq!(stable & !player, 0);
        found += stable.count_ones();
        for _ in 0..20 {
            let (mut own, mut other, mut swapped) = (player, opponent, false);
            loop {
                assert_eq!(
                    stable & !(if swapped { other } else { own }),
                    0,
                    "{player:x} {opponent:x}"
                );
                let moves = B::legal(own, other);
                if moves == 0 && B::legal(other, own) == 0 {
                    break;
                }
                if moves != 0 {
                    let squares: Vec<u8> = squares(moves).collect();
                    let square = squares[rng.below(squares.len() as u64) as usize];
                    let flips = B::flips(own, other, square);
                    (own, other) = (own | flips | 1 << square, other ^ flips);
                }
                (own, other, swapped) = (other, own, !swapped);
            }
        }
    }
    assert!(found > 500, "only {found} stable discs were seen");
}

#[test]
fn stable_discs_stay() {
    stability_holds::<Eight>(1);
    stability_holds::<Six>(2);
    stability_holds::<Four>(3);
    stability_holds::<DiamondCrossed>(4);
}
