//! Move generation and flips on two 64-bit bitboards, for all squares in parallel.
//!
//! Square `8 * row + column`, bit 0 is a1 (top left), bit 63 is h8. Portable arithmetic only: moves
//! by parallel prefix ("Kogge-Stone" fill along each line), flips by carry propagation along rays.
//! The kernels per instruction set (`kernel`) are tested against these functions; these in turn are
//! tested against the plain loops of `games::reversi`.
//!
//! A board with fewer squares is the same board with the missing squares always empty: [`flips`]
//! needs no change, and the result of [`legal`] is masked to the squares that exist.

/// The files b to g: a run of discs that is bracketed sideways or diagonally never holds a square
/// outside them.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The squares where `player` may place a disc: empty, and at least one straight run of `opponent`
/// discs is bracketed.
#[inline(always)]
pub const fn legal(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let brackets = ends::<1>(player, inner)
        | ends::<7>(player, inner)
        | ends::<8>(player, opponent)
        | ends::<9>(player, inner);
    brackets & !(player | opponent)
}

/// The squares just beyond a run of `opponent` discs that starts next to a `player` disc, both ways
/// along one kind of line. A run has at most six discs: one step, one step, then twice two steps
/// fill it.
#[inline(always)]
const fn ends<const STEP: u32>(player: u64, opponent: u64) -> u64 {
    let mut up = opponent & (player << STEP);
    let mut down = opponent & (player >> STEP);
    up |= opponent & (up << STEP);
    down |= opponent & (down >> STEP);
    let pairs_up = opponent & (opponent << STEP);
    let pairs_down = opponent & (opponent >> STEP);
    up |= pairs_up & (up << (2 * STEP));
    down |= pairs_down & (down >> (2 * STEP));
    up |= pairs_up & (up << (2 * STEP));
    down |= pairs_down & (down >> (2 * STEP));
    (up << STEP) | (down >> STEP)
}

/// The `opponent` discs that turn when `player` plays on the empty `square`; 0 exactly if the move
/// is illegal.
#[inline(always)]
pub const fn flips(player: u64, opponent: u64, square: u8) -> u64 {
    let rays = &RAYS[square as usize & 63].0;
    flips_up(player, opponent, rays[0])
        | flips_up(player, opponent, rays[1])
        | flips_up(player, opponent, rays[2])
        | flips_up(player, opponent, rays[3])
        | flips_down(player, opponent, rays[4])
        | flips_down(player, opponent, rays[5])
        | flips_down(player, opponent, rays[6])
        | flips_down(player, opponent, rays[7])
}

/// Along a ray towards higher squares: with ones off the ray, adding one carries to the first
/// square that the opponent does not hold; if the player holds it, the squares of the ray below it
/// turn.
#[inline(always)]
const fn flips_up(player: u64, opponent: u64, ray: u64) -> u64 {
    let bracket = (opponent | !ray).wrapping_add(1) & player & ray;
    bracket.wrapping_sub((bracket != 0) as u64) & ray
}

/// Along a ray towards lower squares: the first square that the opponent does not hold is the
/// highest one left.
#[inline(always)]
const fn flips_down(player: u64, opponent: u64, ray: u64) -> u64 {
    let free = ray & !opponent;
    let bracket = ((1 << 63) >> (free | 1).leading_zeros()) & player & ray;
    (bracket.wrapping_neg() << 1) & ray
}

/// The rays of a square to its east, south-west, south and south-east (higher squares), then west,
/// north-east, north and north-west, the square itself excluded.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub(super) struct Rays(pub(super) [u64; 8]);

pub(super) static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    const DIRECTIONS: [(i8, i8); 8] = [
        (0, 1),
        (1, -1),
        (1, 0),
        (1, 1),
        (0, -1),
        (-1, 1),
        (-1, 0),
        (-1, -1),
    ];
    let mut rays = [Rays([0; 8]); 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (down, right) = DIRECTIONS[direction];
            let mut row = (square / 8) as i8 + down;
            let mut column = (square % 8) as i8 + right;
            while row >= 0 && row < 8 && column >= 0 && column < 8 {
                rays[square].0[direction] |= 1u64 << (8 * row + column);
                row += down;
                column += right;
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

/// The image of a set of squares in the `size` x `size` corner at a1: bit 2 of `symmetry` mirrors
/// in the diagonal a1-h8, then bit 0 mirrors the columns and bit 1 the rows.
#[inline]
pub const fn image(mut set: u64, size: u32, symmetry: usize) -> u64 {
    if symmetry & 4 != 0 {
        set = transposed(set);
    }
    if symmetry & 1 != 0 {
        // Swapping bytes and reversing all bits leaves the bits of each byte (row) reversed.
        set = set.swap_bytes().reverse_bits() >> (8 - size);
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes() >> (8 * (8 - size));
    }
    set
}

/// Mirrored in the diagonal a1-h8, by three swaps of ever larger blocks.
const fn transposed(mut set: u64) -> u64 {
    let mut swap = (set ^ (set >> 7)) & 0x00aa_00aa_00aa_00aa;
    set ^= swap ^ (swap << 7);
    swap = (set ^ (set >> 14)) & 0x0000_cccc_0000_cccc;
    set ^= swap ^ (swap << 14);
    swap = (set ^ (set >> 28)) & 0x0000_0000_f0f0_f0f0;
    set ^ swap ^ (swap << 28)
}
