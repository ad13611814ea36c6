//! Where something stands in an event: in its id, in its JSON, or in the fields of a message.

use super::json::names;
use super::wire::{Fields, Wire};
use crate::event_stream::Event;
use crate::variables::value_at;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the id.
    Id,
    /// At a JSON pointer, by its names.
    Json(Vec<String>),
    /// In a field of a message within messages, by their numbers.
    Field(Vec<u32>),
}

impl Place {
    /// `text`: `id`, or a JSON pointer, which of a message leads through numbers of fields.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn new(text: &str, is_of_message: bool) -> Result<Place, String> {
        match text {
            "id" if !is_of_message => Ok(Place::Id),
            _ if !is_of_message => names(text).map(Place::Json),
            _ => {
                let numbers = names(text)?.iter().map(|name| name.parse()).collect::<Result<Vec<_>, _>>();
                let numbers = numbers.ok().filter(|numbers| !numbers.is_empty());
                numbers.map(Place::Field).ok_or_else(|| format!("{text:?} names no fields by their numbers"))
            }
        }
    }

    /// The whole number that stands there. In a message, a number that is zero need not be written.
    pub(super) fn number(&self, event: &Event<'_>) -> Option<u64> {
        match self {
            Place::Id => std::str::from_utf8(event.id).ok()?.parse().ok(),
            Place::Json(names) => value_at(std::str::from_utf8(event.data).ok()?.trim(), names)?.parse().ok(),
            Place::Field(numbers) => match field(event.data, numbers)? {
                None => Some(0),
                Some(Wire::Number { bits, .. }) => Some(bits),
                Some(Wire::Bytes(_)) => None,
            },
        }
    }

    /// True if something stands there: a text that is not empty, or any value but null; in a message, any but zero.
    pub(super) fn has_content(&self, event: &Event<'_>) -> bool {
        match self {
            Place::Id => !event.id.is_empty(),
            Place::Json(names) => {
                let text = std::str::from_utf8(event.data).ok();
                let value = text.and_then(|text| value_at(text.trim(), names));
                value.is_some_and(|value| !matches!(value, "" | "null" | "\"\""))
            }
            Place::Field(numbers) => match field(event.data, numbers) {
                Some(Some(Wire::Number { bits, .. })) => bits != 0,
                Some(Some(Wire::Bytes(bytes))) => !bytes.is_empty(),
                _ => false,
            },
        }
    }
}

/// The last occurrence of a field; an inner `None`: there is none, which is zero. `None`: the message is none.
fn field<'m>(mut message: &'m [u8], numbers: &[u32]) -> Option<Option<Wire<'m>>> {
    let (last, outer) = numbers.split_last()?;
    for number in outer {
        match occurrence(message, *number)? {
            Some(Wire::Bytes(inner)) => message = inner,
            Some(Wire::Number { .. }) => return None,
            None => return Some(None),
        }
    }
    occurrence(message, *last)
}

fn occurrence(message: &[u8], number: u32) -> Option<Option<Wire<'_>>> {
    let mut last = None;
    for next in Fields::new(message) {
        let (found, wire) = next?;
        if found == number {
            last = Some(wire);
        }
    }
    Some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_messages_are_found_by_their_numbers() {
        let message = b"\x08\x07\x12\x02\x08\x05\x1a\x00\x08\x09";
        let event = Event { data: message, id: b"" };
        for (pointer, number, has_content) in [
            ("/1", Some(9), true),
            ("/2/1", Some(5), true),
            ("/2/2", Some(0), false),
            ("/4", Some(0), false),
            ("/3", None, false),
            ("/2", None, true),
            ("/1/1", None, false),
        ] {
            let place = Place::new(pointer, true).unwrap();
            assert_eq!((place.number(&event), place.has_content(&event)), (number, has_content), "{pointer}");
        }
        let cut = Event { data: b"\x08", id: b"" };
        assert_eq!(Place::new("/1", true).unwrap().number(&cut), None);
        for text in ["id", "", "1", "/a", "/1/-2"] {
            assert!(Place::new(text, true).is_err(), "{text}");
        }
    }
}
