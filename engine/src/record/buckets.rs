//! A small histogram's buckets: log-linear, 64 to a power of two, so that a bucket's middle is within 1% of what it holds.

/// Buckets to a power of two, as a power of two. Below 2 × 64 ns every nanosecond has its own.
const BUCKET_BITS: u32 = 6;

/// Nothing is told apart above 2^42 ns, about 73 minutes.
const HIGHEST_BIT: u32 = 42;

/// How many there are.
pub(super) const BUCKETS: usize = ((HIGHEST_BIT - BUCKET_BITS + 1) << BUCKET_BITS) as usize;

/// The bucket of a duration.
#[inline]
pub(super) fn bucket_of(nanoseconds: u64) -> usize {
    let capped = nanoseconds.min((1 << HIGHEST_BIT) - 1);
    // Small values have their own buckets: there is nothing to shift.
    let shift = (u64::BITS - capped.leading_zeros()).saturating_sub(BUCKET_BITS + 1);
    ((u64::from(shift) << BUCKET_BITS) + (capped >> shift)) as usize
}

/// What a bucket stands for.
pub(super) fn middle_of(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    let shift = (bucket >> BUCKET_BITS).saturating_sub(1);
    let lowest = (bucket - (shift << BUCKET_BITS)) << shift;
    lowest + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_within_one_percent() {
        let mut last = 0;
        for exponent in 0..1400 {
            let value = 1.02_f64.powi(exponent) as u64;
            let bucket = bucket_of(value);
            assert!(bucket >= last && bucket < BUCKETS);
            last = bucket;
            if value < 1 << HIGHEST_BIT {
                let error = middle_of(bucket as u16).abs_diff(value) as f64 / value.max(1) as f64;
                assert!(error < 0.01, "{value}: {error}");
            }
        }
        assert_eq!((bucket_of(0), bucket_of(u64::MAX)), (0, BUCKETS - 1));
    }
}
