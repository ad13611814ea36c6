//! Fields that must stand in an answer's trailer.

use std::collections::BTreeMap;

use crate::http1::field_values;

/// What is expected of a trailer.
#[derive(Debug)]
pub(super) struct TrailerExpectation(Vec<(String, String)>);

impl TrailerExpectation {
    /// `fields`: values by name.
    pub(super) fn new(fields: &BTreeMap<String, String>) -> TrailerExpectation {
        TrailerExpectation(fields.clone().into_iter().collect())
    }

    #[inline]
    pub(super) fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// `trailer`: its lines.
    #[inline]
    pub(super) fn fits(&self, trailer: &[u8]) -> bool {
        self.0.iter().all(|(name, wanted)| value(trailer, name) == Some(wanted.as_bytes()))
    }

    /// What is wrong with a trailer, for people; `None`: nothing is.
    #[cold]
    pub(super) fn difference(&self, trailer: &[u8]) -> Option<String> {
        self.0.iter().find_map(|(name, wanted)| match value(trailer, name) {
            None => Some(format!("the trailer has no {name}")),
            Some(value) if value != wanted.as_bytes() => {
                Some(format!("{name} in the trailer is {}, not {wanted}", String::from_utf8_lossy(value)))
            }
            Some(_) => None,
        })
    }
}

/// The value of the first field of this name.
pub(super) fn value<'t>(trailer: &'t [u8], name: &str) -> Option<&'t [u8]> {
    field_values(trailer, name).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_must_have_its_value() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = TrailerExpectation::new(&[field("a", "1"), field("grpc-status", "0")].into());
        for (trailer, difference) in [
            ("Grpc-Status:0\r\nA: 1\r\n", None),
            ("a: 1\ngrpc-status:  0 \nother: x\n", None),
            ("a: 1\r\ngrpc-status: 13\r\n", Some("grpc-status in the trailer is 13, not 0")),
            ("a: 1\r\ngrpc-status-details: 0\r\nno colon\r\n", Some("the trailer has no grpc-status")),
            ("", Some("the trailer has no a")),
        ] {
            assert_eq!(expected.fits(trailer.as_bytes()), difference.is_none(), "{trailer}");
            assert_eq!(expected.difference(trailer.as_bytes()).as_deref(), difference, "{trailer}");
        }
    }
}
