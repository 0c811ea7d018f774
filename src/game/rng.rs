//! A random number generator whose stream never changes, since records, hash keys and tests depend
//! on seeds.
//!
//! xoshiro256** seeded by SplitMix64 (D. Blackman and S. Vigna, "Scrambled linear pseudorandom
//! number generators", 2018; both in the public domain). Not cryptographically secure.

use std::ops::RangeInclusive;

/// One step of SplitMix64: advances `state` and returns a well-mixed word.
pub const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The generator: xoshiro256**, period 2^256 - 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The generator of a seed; every seed is valid, including zero.
    pub const fn new(seed: u64) -> Rng {
        let mut state = seed;
        Rng([
            split_mix(&mut state),
            split_mix(&mut state),
            split_mix(&mut state),
            split_mix(&mut state),
        ])
    }

    /// The generator of one of many independent streams of a seed, one for each part of a job
    /// (game, worker).
    pub const fn for_stream(seed: u64, stream: u64) -> Rng {
        let mut state = seed;
        let base = split_mix(&mut state);
        let mut other = stream ^ 0x6a09_e667_f3bc_c908;
        Rng::new(base ^ split_mix(&mut other))
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform number below `bound` (rejection by D. Lemire's method); `0` if `bound` is zero.
    pub const fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = (self.next_u64() as u128) * (bound as u128);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A uniform number of the range, which must not be the full range of `u64`.
    pub const fn within(&mut self, range: &RangeInclusive<u64>) -> u64 {
        *range.start() + self.below(*range.end() - *range.start() + 1)
    }

    /// A uniform number in `0.0 .. 1.0` with 53 random bits.
    pub const fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A uniformly chosen item; `None` if there are none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }

    /// The place of an item chosen with a probability proportional to its weight; `None` if there are
    /// none. Weights are at least `0.0`, their sum is finite.
    pub fn choose_weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let mut drawn = self.unit() * weights.iter().sum::<f64>();
        let found = weights.iter().position(|weight| {
            drawn -= weight;
            drawn < 0.0
        });
        found.or(weights.len().checked_sub(1)) // after rounding, the last
    }

    /// Shuffles the items (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut state = 1_234_567;
        let words: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        assert_eq!(
            words,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
        let mut rng = Rng([1, 2, 3, 4]);
        let words: Vec<u64> = (0..6).map(|_| rng.next_u64()).collect();
        assert_eq!(
            words,
            [
                11_520,
                0,
                1_509_978_240,
                1_215_971_899_390_074_240,
                1_216_172_134_540_287_360,
                607_988_272_756_665_600
            ]
        );
    }

    #[test]
    fn bounded_numbers_are_uniform_and_shuffles_keep_every_item() {
        let mut rng = Rng::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&count| (9_500..10_500).contains(&count)),
            "{counts:?}"
        );
        assert_eq!(rng.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.unit())));
        let mut items: Vec<u32> = (0..100).collect();
        rng.shuffle(&mut items);
        assert!(items.windows(2).any(|pair| pair[0] > pair[1]));
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
        assert_eq!(rng.choose::<u8>(&[]), None);
    }

    #[test]
    fn weighted_choices_are_proportional_to_the_weights() {
        let mut rng = Rng::new(3);
        let mut counts = [0u32; 4];
        for _ in 0..60_000 {
            counts[rng.choose_weighted(&[0.5, 0.0, 1.5, 1.0]).unwrap()] += 1;
        }
        let expected = [10_000, 0, 30_000, 20_000];
        let differ = |(count, expected): (&u32, u32)| count.abs_diff(expected);
        assert!(
            counts.iter().zip(expected).map(differ).all(|d| d < 500),
            "{counts:?}"
        );
        assert_eq!(counts[1], 0);
        assert_eq!(rng.choose_weighted(&[0.0, 0.0]), Some(1));
        assert_eq!(rng.choose_weighted(&[]), None);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(
            Rng::for_stream(1, 0).next_u64(),
            Rng::for_stream(1, 1).next_u64()
        );
        assert_eq!(Rng::for_stream(9, 4), Rng::for_stream(9, 4));
    }
}
