//! RFC 3339 moments with `Z` and whole seconds, years 0000 to 9999.

/// Length of the text form.
pub const TEXT_BYTES: usize = 20;

/// The first second after the year 9999.
pub const END_SECONDS: i64 = 253_402_300_800;

/// Reads `2012-01-01T00:00:00Z` as seconds since 1970; `None` for any other form.
pub fn parse(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'Z')];
    if bytes.len() != TEXT_BYTES || separators.iter().any(|&(at, byte)| bytes[at] != byte) {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i64> {
        bytes[from..to]
            .iter()
            .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    if civil_from_days(days) != (year, month, day) {
        return None;
    }
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Appends the text form of `seconds` since 1970.
pub fn write(seconds: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let mut text = *b"0000-00-00T00:00:00Z";
    let mut put = |at: usize, digits: usize, mut value: i64| {
        for place in (at..at + digits).rev() {
            text[place] = b'0' + (value % 10) as u8;
            value /= 10;
        }
    };
    put(0, 4, year);
    put(5, 2, month);
    put(8, 2, day);
    put(11, 2, of_day / 3600);
    put(14, 2, of_day / 60 % 60);
    put(17, 2, of_day % 60);
    out.extend_from_slice(&text);
}

// Both directions count years from March, so that the leap day is a year's last:
// the method of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(seconds: i64) -> String {
        let mut out = Vec::new();
        write(seconds, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_moments() {
        for (seconds, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_325_376_000, "2012-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (END_SECONDS - 1, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(text(seconds), written);
            assert_eq!(parse(written), Some(seconds));
        }
    }

    #[test]
    fn every_day_of_four_centuries_survives_a_round_trip() {
        for day in 0..146_097 {
            assert_eq!(parse(&text(day * 86_400)), Some(day * 86_400));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in
            ["", "2012-01-01", "2012-01-01T00:00:00+00:00", "2012-13-01T00:00:00Z", "2012-02-30T00:00:00Z"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
