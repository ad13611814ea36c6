//! The random numbers of a dataset: a pure function of seed, id, field and place.

/// The `field` that decides whether an id holds a row.
const GAP_FIELD: u64 = 0xFFFF;

/// One step of SplitMix64 (Steele, Lea, Flood 2014).
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The draws of one row.
#[derive(Clone, Copy, Debug)]
pub struct RowDraws {
    base: u64,
}

impl RowDraws {
    /// `mixed_seed` is `mix(seed)`, which is the same for every row.
    #[inline]
    pub fn new(mixed_seed: u64, id: u64) -> RowDraws {
        RowDraws { base: mix(mixed_seed.wrapping_add(id)) }
    }

    /// Draw number `n` of the field at place `field`.
    #[inline]
    pub fn draw(self, field: u64, n: u64) -> u64 {
        mix(self.base.wrapping_add(field << 32).wrapping_add(n))
    }

    /// The draw that is compared with the share of gaps.
    #[inline]
    pub fn gap(self) -> u64 {
        self.draw(GAP_FIELD, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_splitmix64() {
        let mut state: u64 = 1_234_567;
        let mut outputs = Vec::new();
        for _ in 0..5 {
            outputs.push(mix(state));
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        }
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(outputs, published);
    }

    #[test]
    fn a_draw_is_three_mixes() {
        let (seed, id, field, n) = (7_u64, 99_u64, 3_u64, 5_u64);
        let expected = mix(mix(mix(seed) + id).wrapping_add(field << 32).wrapping_add(n));
        assert_eq!(RowDraws::new(mix(seed), id).draw(field, n), expected);
    }
}
