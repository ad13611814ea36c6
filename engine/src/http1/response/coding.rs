//! Content codings, as far as they are told by name.

/// How a body is coded (RFC 9110, section 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Br,
    /// RFC 8878.
    Zstd,
    /// RFC 1950.
    Deflate,
    /// One that has none of these names.
    Unknown,
    /// More than one, one around the other.
    Several,
}

impl Coding {
    const NAMES: [(&'static str, Coding); 6] = [
        ("gzip", Coding::Gzip),
        ("br", Coding::Br),
        ("zstd", Coding::Zstd),
        ("deflate", Coding::Deflate),
        ("coded in a way of unknown name", Coding::Unknown),
        ("coded more than once", Coding::Several),
    ];

    /// What a Content-Encoding says; `None`: that there is no coding.
    pub fn of(value: &[u8]) -> Option<Coding> {
        let names = value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        names.fold(None, |outer, name| match name {
            b"" => outer,
            _ if name.eq_ignore_ascii_case(b"identity") => outer,
            _ => Coding::and(outer, Some(Coding::named(name).unwrap_or(Coding::Unknown))),
        })
    }

    /// That of a head with two Content-Encodings.
    pub fn and(one: Option<Coding>, other: Option<Coding>) -> Option<Coding> {
        if one.is_some() && other.is_some() { Some(Coding::Several) } else { one.or(other) }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Coding::NAMES[self as usize].0
    }

    fn named(name: &[u8]) -> Option<Coding> {
        match name {
            _ if name.eq_ignore_ascii_case(b"x-gzip") => Some(Coding::Gzip),
            _ => Coding::NAMES[..4]
                .iter()
                .find_map(|(known, coding)| name.eq_ignore_ascii_case(known.as_bytes()).then_some(*coding)),
        }
    }
}

/// The codings that a request asks for: those of its Accept-Encoding (RFC 9110, section 12.5.3). None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// By place in [`Coding::NAMES`].
    known: [bool; 4],
}

impl Accepted {
    /// Of a request's headers. One that is a template may ask for any.
    pub fn of(headers: &[(String, String)]) -> Accepted {
        let asked: Vec<&str> = headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"))
            .flat_map(|(_, value)| value.split(','))
            .collect();
        let others = is_accepted(&asked, |name| name == "*" || name.contains("{{")).unwrap_or(false);
        let known = [0, 1, 2, 3].map(|place| {
            let coding = Some(Coding::NAMES[place].1);
            is_accepted(&asked, |name| Coding::named(name.as_bytes()) == coding).unwrap_or(others)
        });
        Accepted { known }
    }

    /// True if the request asks for any.
    pub fn is_any(self) -> bool {
        self.known.contains(&true)
    }

    /// True if the request asks for this one.
    pub fn has(self, coding: Coding) -> bool {
        self.known.get(coding as usize).copied().unwrap_or(false)
    }
}

/// By the first entry whose name is wanted, whether it has a weight above 0; `None`: there is none.
fn is_accepted(entries: &[&str], is_wanted: impl Fn(&str) -> bool) -> Option<bool> {
    entries.iter().find_map(|entry| {
        let (name, parameter) = entry.split_once(';').unwrap_or((*entry, ""));
        let weight = parameter.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f64>().ok());
        is_wanted(name.trim()).then_some(weight != Some(0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_are_told_by_name() {
        for (value, coding) in [
            ("gzip", Some(Coding::Gzip)),
            (" X-GZIP ", Some(Coding::Gzip)),
            ("br", Some(Coding::Br)),
            ("zstd,", Some(Coding::Zstd)),
            ("identity, deflate", Some(Coding::Deflate)),
            ("", None),
            ("Identity", None),
            ("gzipped", Some(Coding::Unknown)),
            ("utf-8", Some(Coding::Unknown)),
            ("gzip, br", Some(Coding::Several)),
            ("gzip, gzip", Some(Coding::Several)),
            ("utf-8, gzip", Some(Coding::Several)),
        ] {
            assert_eq!(Coding::of(value.as_bytes()), coding, "{value:?}");
        }
        assert_eq!(Coding::and(Some(Coding::Br), Some(Coding::Br)), Some(Coding::Several));
        assert_eq!(Coding::and(None, Some(Coding::Br)), Some(Coding::Br));
    }

    #[test]
    fn a_request_asks_for_the_codings_that_it_accepts() {
        let accepted = |values: &[&str]| {
            let headers = values.iter().map(|value| ("accept-Encoding".to_owned(), (*value).to_owned()));
            let accepted = Accepted::of(&headers.collect::<Vec<_>>());
            [Coding::Gzip, Coding::Br, Coding::Zstd, Coding::Deflate].map(|coding| accepted.has(coding))
        };
        assert_eq!(accepted(&[]), [false; 4]);
        assert_eq!(accepted(&["identity"]), [false; 4]);
        assert_eq!(accepted(&["gzip, deflate;q=0.5"]), [true, false, false, true]);
        assert_eq!(accepted(&["br;q=1", "ZSTD"]), [false, true, true, false]);
        assert_eq!(accepted(&["*"]), [true; 4]);
        assert_eq!(accepted(&["br; q=0, *"]), [true, false, true, true]);
        assert_eq!(accepted(&["gzip, *;q=0.0"]), [true, false, false, false]);
        assert_eq!(accepted(&["{{row codings name}}"]), [true; 4]);
        let other = Accepted::of(&[("accept".to_owned(), "gzip".to_owned())]);
        assert!(!other.is_any() && !other.has(Coding::Unknown) && !other.has(Coding::Several));
    }
}
