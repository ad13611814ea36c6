//! Comparing media types.

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
}
