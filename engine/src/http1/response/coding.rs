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
}

impl Coding {
    const NAMES: [(&'static str, Coding); 5] = [
        ("gzip", Coding::Gzip),
        ("br", Coding::Br),
        ("zstd", Coding::Zstd),
        ("deflate", Coding::Deflate),
        ("x-gzip", Coding::Gzip),
    ];

    /// The outermost coding of a Content-Encoding; `None`: there is none, or another one.
    pub fn of(value: &[u8]) -> Option<Coding> {
        let last = value.rsplit(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
        let is_last = |(name, _): &&(&str, Coding)| last.eq_ignore_ascii_case(name.as_bytes());
        Coding::NAMES.iter().find(is_last).map(|(_, coding)| *coding)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Coding::NAMES[self as usize].0
    }
}
