//! Goodness of fit, for tests of arrivals.

/// The Kolmogorov–Smirnov test at the level 0.01: true if the sorted samples may be uniform on (0, 1).
pub(crate) fn kolmogorov_smirnov(samples: &[f64]) -> bool {
    let count = samples.len() as f64;
    let distance = samples
        .iter()
        .enumerate()
        .map(|(place, &share)| {
            (share - place as f64 / count).abs().max(((place + 1) as f64 / count - share).abs())
        })
        .fold(0.0, f64::max);
    // The asymptotic distribution's 0.99 quantile.
    distance < 1.628 / count.sqrt()
}

/// True if the gaps of ascending starts may be exponential with this rate.
pub(crate) fn exponential_fits(starts_ns: &[u64], per_second: f64) -> bool {
    let mut shares: Vec<f64> = starts_ns
        .windows(2)
        .map(|pair| 1.0 - (-((pair[1] - pair[0]) as f64 / 1e9) * per_second).exp())
        .collect();
    shares.sort_by(f64::total_cmp);
    kolmogorov_smirnov(&shares)
}

#[test]
fn a_wrong_shape_is_told_apart() {
    let even: Vec<f64> = (0..1000).map(|place| (f64::from(place) + 0.5) / 1000.0).collect();
    assert!(kolmogorov_smirnov(&even));
    let squared: Vec<f64> = even.iter().map(|share| share * share).collect();
    assert!(!kolmogorov_smirnov(&squared));
}
