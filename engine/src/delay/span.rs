//! Lengths of time as they are written in arguments.

/// Units, longest name first where one ends like another.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

/// Nanoseconds of `5ms`, `1.5s`, `200us` or `100ns`.
///
/// # Errors
/// A line that says what is allowed.
pub fn parse_span(text: &str) -> Result<u64, String> {
    let nanoseconds = UNITS.iter().find_map(|(unit, nanoseconds)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some((number * nanoseconds).round())
    });
    match nanoseconds {
        Some(nanoseconds) if (0.0..=3.6e12).contains(&nanoseconds) => Ok(nanoseconds as u64),
        _ => Err(format!("{text:?} is no length of time from 0ns to 3600s, such as 5ms, 1.5s or 200us")),
    }
}

/// A number from 0 to 1.
///
/// # Errors
/// A line that says what is allowed.
pub fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("{text:?} is no share from 0 to 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_shares() {
        let spans = ["5ms", "1.5s", "200us", "7ns", "0s"].map(|text| parse_span(text).unwrap());
        assert_eq!(spans, [5_000_000, 1_500_000_000, 200_000, 7, 0]);
        for wrong in ["5", "ms", "-1s", "1h", "", "4000s", "nans"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
        assert_eq!((parse_share("0.25"), parse_share("1")), (Ok(0.25), Ok(1.0)));
        assert!(parse_share("1.1").is_err() && parse_share("x").is_err() && parse_share("nan").is_err());
    }
}
