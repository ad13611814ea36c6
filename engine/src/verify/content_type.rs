//! Comparing media types.

/// Of another Content-Type, so much is shown.
const SHOWN_BYTES: usize = 100;

/// An expected Content-Type. Without parameters of its own it fits any parameters.
#[derive(Debug)]
pub(super) struct ContentType {
    expected: Vec<u8>,
    with_parameters: bool,
}

impl ContentType {
    pub(super) fn new(expected: &str) -> ContentType {
        let expected = expected.trim();
        ContentType { expected: expected.as_bytes().to_vec(), with_parameters: expected.contains(';') }
    }

    /// Case does not matter, nor does space around the semicolon where parameters are not compared.
    #[inline]
    pub(super) fn fits(&self, value: &[u8]) -> bool {
        let media_type = match memchr::memchr(b';', value) {
            Some(end) if !self.with_parameters => value[..end].trim_ascii_end(),
            _ => value,
        };
        media_type.eq_ignore_ascii_case(&self.expected)
    }

    /// What is wrong with a value, for people; `None`: nothing is. `value`: empty if there is none.
    #[cold]
    pub(super) fn difference(&self, value: &[u8]) -> Option<String> {
        let expected = String::from_utf8_lossy(&self.expected);
        let shown = String::from_utf8_lossy(&value[..value.len().min(SHOWN_BYTES)]);
        match value {
            b"" => Some(format!("there is no content type, and it was to be {expected}")),
            _ if self.fits(value) => None,
            _ => Some(format!("the content type is {shown:?}, not {expected}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_compared_only_if_expected() {
        let json = ContentType::new("application/json");
        assert!(json.fits(b"application/json") && json.fits(b"Application/JSON ; charset=utf-8"));
        assert!(!json.fits(b"application/json2") && !json.fits(b"text/html") && !json.fits(b""));
        let utf8 = ContentType::new("text/html; charset=utf-8");
        assert!(utf8.fits(b"text/html; charset=UTF-8"));
        assert!(!utf8.fits(b"text/html") && !utf8.fits(b"text/html; charset=latin1"));
    }

    #[test]
    fn another_one_is_told_in_short_and_escaped() {
        let told = |value: &[u8]| ContentType::new("text/plain").difference(value);
        assert_eq!(told(b"text/plain; charset=utf-8"), None);
        assert_eq!(told(b"").unwrap(), "there is no content type, and it was to be text/plain");
        assert_eq!(
            told(b"a/b\x1b[1m\xff").unwrap(),
            "the content type is \"a/b\\u{1b}[1m\u{fffd}\", not text/plain"
        );
        assert!(told(&[b'x'; 60_000]).unwrap().len() < 150);
    }
}
