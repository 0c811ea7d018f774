//! The kernels for x86-64: AVX2 with bit gathering, and AVX-512 where leading zeros are counted in
//! all lanes at once.
//!
//! Four directions run side by side in the 64-bit lanes of one register.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::last_flip::{LAST_FLIPS, PLACES};
use super::{FeatureWeights, Kernels, NEURONS, OFFSET};
use crate::games::reversi::Shape;
use crate::games::reversi::bitboard::RAYS;
use crate::games::reversi::lines::{STEPS, line_ends};
use crate::search::core::isa::{Avx2, Avx512};

/// The union of the four lanes.
#[inline(always)]
unsafe fn union(lanes: __m256i) -> u64 {
    // SAFETY: the caller holds a token of an ISA that has AVX2.
    unsafe {
        let pair = _mm_or_si128(
            _mm256_castsi256_si128(lanes),
            _mm256_extracti128_si256(lanes, 1),
        );
        _mm_cvtsi128_si64(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair))) as u64
    }
}

/// The intersection of the four lanes, in all of them.
#[inline(always)]
unsafe fn common(lanes: __m256i) -> __m256i {
    // SAFETY: the caller holds a token of an ISA that has AVX2.
    unsafe {
        let pairs = _mm256_and_si256(lanes, _mm256_permute4x64_epi64::<0x4e>(lanes));
        _mm256_and_si256(pairs, _mm256_shuffle_epi32::<0x4e>(pairs))
    }
}

/// Moves by parallel prefix along four directions and their opposites.
#[inline(always)]
unsafe fn legal(player: u64, opponent: u64) -> u64 {
    // SAFETY: the caller holds a token of an ISA that has AVX2.
    unsafe {
        let step = _mm256_set_epi64x(9, 8, 7, 1);
        let twice = _mm256_set_epi64x(18, 16, 14, 2);
        let inner = 0x7e7e_7e7e_7e7e_7e7e_u64 as i64;
        let own = _mm256_set1_epi64x(player as i64);
        let run = _mm256_and_si256(
            _mm256_set1_epi64x(opponent as i64),
            _mm256_set_epi64x(inner, -1, inner, inner),
        );
        let mut up = _mm256_and_si256(run, _mm256_sllv_epi64(own, step));
        let mut down = _mm256_and_si256(run, _mm256_srlv_epi64(own, step));
        up = _mm256_or_si256(up, _mm256_and_si256(run, _mm256_sllv_epi64(up, step)));
        down = _mm256_or_si256(down, _mm256_and_si256(run, _mm256_srlv_epi64(down, step)));
        let pairs_up = _mm256_and_si256(run, _mm256_sllv_epi64(run, step));
        let pairs_down = _mm256_srlv_epi64(pairs_up, step);
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
        down = _mm256_or_si256(
            down,
            _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)),
        );
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
        down = _mm256_or_si256(
            down,
            _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)),
        );
        union(_mm256_or_si256(
            _mm256_sllv_epi64(up, step),
            _mm256_srlv_epi64(down, step),
        )) & !(player | opponent)
    }
}

/// The last flip, each line gathered into a byte.
#[inline(always)]
unsafe fn last_flips(player: u64, square: u32) -> i32 {
    let square = square as usize & 63;
    let gather = |mask: u64| {
        // SAFETY: the caller holds a token of an ISA that has BMI2; eight bits at most are
        // gathered.
        unsafe { _pext_u64(player, mask) as usize & 0xff }
    };
    let [file, diagonal, anti] = &PLACES[square];
    let row = (player >> (square & 56)) as usize & 0xff;
    i32::from(LAST_FLIPS[square & 7][row])
        + i32::from(LAST_FLIPS[file.index as usize & 7][gather(file.mask)])
        + i32::from(LAST_FLIPS[diagonal.index as usize & 7][gather(diagonal.mask)])
        + i32::from(LAST_FLIPS[anti.index as usize & 7][gather(anti.mask)])
}

/// Full lines and growth, the four kinds of lines side by side (see the portable `stable_from`).
#[inline(always)]
unsafe fn stable_from<B: Shape>(player: u64, empty: u64, seed: u64) -> u64 {
    /// Which squares a fill may enter after steps of one, two and four: those that are that far
    /// from the edge it comes from.
    const fn open(up: bool) -> [[u64; 4]; 3] {
        let (a, h) = (0xfefe_fefe_fefe_fefe, 0x7f7f_7f7f_7f7f_7f7f);
        let first: [u64; 4] = if up { [a, h, !0, a] } else { [h, a, !0, h] };
        let mut all = [first; 3];
        let mut doubling = 1;
        while doubling < 3 {
            let mut kind = 0;
            while kind < 4 {
                let before = all[doubling - 1][kind];
                let step = STEPS[kind] << (doubling - 1);
                all[doubling][kind] = before & if up { before << step } else { before >> step };
                kind += 1;
            }
            doubling += 1;
        }
        all
    }
    #[inline(always)]
    const fn lanes(words: [u64; 4]) -> __m256i {
        // SAFETY: same size, every bit pattern is valid.
        unsafe { std::mem::transmute(words) }
    }
    // SAFETY: the caller holds a token of an ISA that has AVX2.
    unsafe {
        let mut step = const { lanes([1, 7, 8, 9]) };
        let mut higher = _mm256_set1_epi64x(empty as i64);
        let mut lower = higher;
        for doubling in 0..3 {
            let (up, down) = const { (open(true), open(false)) };
            higher = _mm256_or_si256(
                higher,
                _mm256_and_si256(lanes(up[doubling]), _mm256_sllv_epi64(higher, step)),
            );
            lower = _mm256_or_si256(
                lower,
                _mm256_and_si256(lanes(down[doubling]), _mm256_srlv_epi64(lower, step)),
            );
            step = _mm256_add_epi64(step, step);
        }
        let step = const { lanes([1, 7, 8, 9]) };
        let ends = const { lanes(line_ends(B::SQUARES)) };
        let reached = _mm256_or_si256(higher, lower);
        let safe = _mm256_or_si256(ends, _mm256_xor_si256(reached, _mm256_set1_epi64x(-1)));
        let own = _mm256_set1_epi64x(player as i64);
        let mut stable = _mm256_or_si256(
            _mm256_set1_epi64x(seed as i64),
            _mm256_and_si256(own, common(safe)),
        );
        loop {
            let beside = _mm256_or_si256(
                _mm256_sllv_epi64(stable, step),
                _mm256_srlv_epi64(stable, step),
            );
            let grown = _mm256_or_si256(
                stable,
                _mm256_and_si256(own, common(_mm256_or_si256(safe, beside))),
            );
            if _mm256_testc_si256(stable, grown) != 0 {
                return _mm256_extract_epi64::<0>(stable) as u64;
            }
            stable = grown;
        }
    }
}

/// The accumulator in registers of an ISA, by intrinsics because the compiler makes three times as
/// many instructions of a loop over bytes, with fewer loads in flight.
macro_rules! accumulator {
    (
        $register:ty,
        $zero:ident,
        $load:ident,
        $add_bytes:ident,
        $add:ident,
        $sub:ident,
        $set:ident,
        $right:ident,
        $left:ident
    ) => {
        /// 16-bit sums: those of all bytes in pairs, a pair being one number, and those of odd
        /// bytes.
        type Accumulator = [[$register; NEURONS / size_of::<$register>()]; 2];

        #[inline(always)]
        fn empty_accumulator(self) -> Self::Accumulator {
            // SAFETY: the token proves the ISA.
            unsafe { [[$zero(); NEURONS / size_of::<$register>()]; 2] }
        }

        #[inline(always)]
        fn accumulate(
            self,
            [mut pairs, mut odd]: Self::Accumulator,
            [a, b, c, d]: [&FeatureWeights; 4],
        ) -> Self::Accumulator {
            // By index: see `Network::value`.
            for part in 0..pairs.len() {
                // SAFETY: the token proves the ISA; the weights fill the registers and are aligned.
                unsafe {
                    let a = $load(std::ptr::from_ref(a).cast::<$register>().add(part));
                    let b = $load(std::ptr::from_ref(b).cast::<$register>().add(part));
                    let c = $load(std::ptr::from_ref(c).cast::<$register>().add(part));
                    let d = $load(std::ptr::from_ref(d).cast::<$register>().add(part));
                    // no byte overflows
                    let sum = $add_bytes($add_bytes(a, b), $add_bytes(c, d));
                    pairs[part] = $add(pairs[part], sum);
                    odd[part] = $add(odd[part], $right::<8>(sum));
                }
            }
            [pairs, odd]
        }

        #[inline(always)]
        fn sums(self, [mut pairs, mut odd]: Self::Accumulator, count: usize) -> [i16; NEURONS] {
            // SAFETY: the token proves the ISA; same size, every bit pattern is valid.
            unsafe {
                let offset = $set(i16::from(OFFSET) * count as i16);
                for part in 0..pairs.len() {
                    pairs[part] = $sub($sub(pairs[part], $left::<8>(odd[part])), offset);
                    odd[part] = $sub(odd[part], offset);
                }
                std::mem::transmute([pairs, odd])
            }
        }
    };
}

/// The kernels that both ISAs share; they differ in how they find flips.
macro_rules! shared_kernels {
    () => {
        #[inline(always)]
        fn legal(self, player: u64, opponent: u64) -> u64 {
            // SAFETY: the token proves the ISA; for AVX-512 the compiler turns the pairs of logic
            // into single instructions.
            unsafe { legal(player, opponent) }
        }

        #[inline(always)]
        fn last_flips(self, player: u64, square: u32) -> i32 {
            // SAFETY: the token proves the ISA.
            unsafe { last_flips(player, square) }
        }

        #[inline(always)]
        fn stable_from<B: Shape>(self, player: u64, empty: u64, seed: u64) -> u64 {
            // SAFETY: the token proves the ISA.
            unsafe { stable_from::<B>(player, empty, seed) }
        }
    };
}

impl Kernels for Avx2 {
    shared_kernels!();
    accumulator!(
        __m256i,
        _mm256_setzero_si256,
        _mm256_load_si256,
        _mm256_add_epi8,
        _mm256_add_epi16,
        _mm256_sub_epi16,
        _mm256_set1_epi16,
        _mm256_srli_epi16,
        _mm256_slli_epi16
    );

    /// Upwards the first square of a ray that the opponent does not hold is its lowest such bit.
    /// Downwards it is the highest: the bits below it are filled by three shifts, and what is left
    /// of the ray above them is the run.
    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64 {
        // SAFETY: the token proves the ISA; the table's rows are 64 bytes, aligned.
        unsafe {
            let rays = &RAYS[square as usize & 63];
            let own = _mm256_set1_epi64x(player as i64);
            let other = _mm256_set1_epi64x(opponent as i64);
            let zero = _mm256_setzero_si256();

            let ray = _mm256_load_si256(rays.0[..4].as_ptr().cast());
            let free = _mm256_andnot_si256(other, ray);
            let bracket =
                _mm256_and_si256(_mm256_and_si256(free, _mm256_sub_epi64(zero, free)), own);
            let below = _mm256_and_si256(_mm256_add_epi64(bracket, _mm256_set1_epi64x(-1)), ray);
            let up = _mm256_andnot_si256(_mm256_cmpeq_epi64(bracket, zero), below);

            let step = _mm256_set_epi64x(9, 8, 7, 1);
            let ray = _mm256_load_si256(rays.0[4..].as_ptr().cast());
            let mut shadow = _mm256_andnot_si256(other, ray);
            shadow = _mm256_or_si256(shadow, _mm256_srlv_epi64(shadow, step));
            shadow = _mm256_or_si256(
                shadow,
                _mm256_srlv_epi64(shadow, _mm256_set_epi64x(18, 16, 14, 2)),
            );
            shadow = _mm256_or_si256(
                shadow,
                _mm256_srlv_epi64(shadow, _mm256_set_epi64x(36, 32, 28, 4)),
            );
            let bracket = _mm256_and_si256(
                _mm256_andnot_si256(_mm256_srlv_epi64(shadow, step), shadow),
                own,
            );
            let above = _mm256_andnot_si256(shadow, ray);
            let down = _mm256_andnot_si256(_mm256_cmpeq_epi64(bracket, zero), above);

            union(_mm256_or_si256(up, down))
        }
    }
}

impl Kernels for Avx512 {
    shared_kernels!();
    accumulator!(
        __m512i,
        _mm512_setzero_si512,
        _mm512_load_si512,
        _mm512_add_epi8,
        _mm512_add_epi16,
        _mm512_sub_epi16,
        _mm512_set1_epi16,
        _mm512_srli_epi16,
        _mm512_slli_epi16
    );

    /// As with AVX2, but the sign is set if there is a bracket upwards, and downwards the
    /// highest bit is found by its leading zeros: 1 rotated by them is the square above it, where
    /// the run begins. A ray all of whose squares are the opponent's has 64 of them: bit 0, where
    /// no shifted disc of the player lies.
    #[inline(always)]
    fn flips(self, player: u64, opponent: u64, square: u32) -> u64 {
        /// `a & b & !c`; of plain operations the compiler makes a maximum, which is slower.
        const AND_AND_NOT: i32 = 0x40;
        // SAFETY: the token proves the ISA; the table's rows are 64 bytes, aligned.
        unsafe {
            let rays = &RAYS[square as usize & 63];
            let own = _mm256_set1_epi64x(player as i64);
            let other = _mm256_set1_epi64x(opponent as i64);
            let zero = _mm256_setzero_si256();

            let ray = _mm256_load_si256(rays.0[..4].as_ptr().cast());
            let free = _mm256_andnot_si256(other, ray);
            let bracket =
                _mm256_and_si256(_mm256_and_si256(free, _mm256_sub_epi64(zero, free)), own);
            let below = _mm256_add_epi64(bracket, _mm256_set1_epi64x(-1));
            let up =
                _mm256_ternarylogic_epi64::<AND_AND_NOT>(below, ray, _mm256_srai_epi64(below, 63));

            let ray = _mm256_load_si256(rays.0[4..].as_ptr().cast());
            let free = _mm256_andnot_si256(other, ray);
            let above = _mm256_rorv_epi64(_mm256_set1_epi64x(1), _mm256_lzcnt_epi64(free));
            let bracket = _mm256_and_si256(above, _mm256_add_epi64(own, own));
            let down = _mm256_and_si256(_mm256_sub_epi64(zero, bracket), ray);

            union(_mm256_or_si256(up, down))
        }
    }
}
