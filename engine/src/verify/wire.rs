//! The fields of a message of protocol buffers, as their bytes have them.
//!
//! <https://protobuf.dev/programming-guides/encoding/>

/// Groups within groups, which no message of today has. As the implementations of protocol buffers allow them.
const DEEPEST_GROUPS: usize = 100;

pub(super) const VARINT: u8 = 0;
pub(super) const FIXED64: u8 = 1;
pub(super) const BYTES: u8 = 2;
const GROUP_START: u8 = 3;
const GROUP_END: u8 = 4;
pub(super) const FIXED32: u8 = 5;

/// A value as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'m> {
    Number { bits: u64, wire_type: u8 },
    Bytes(&'m [u8]),
}

impl Wire<'_> {
    pub(super) fn wire_type(self) -> u8 {
        match self {
            Wire::Number { wire_type, .. } => wire_type,
            Wire::Bytes(_) => BYTES,
        }
    }
}

/// The fields of a message, with their numbers. `None` among them: the rest is none.
pub(super) struct Fields<'m> {
    rest: &'m [u8],
    /// Groups that are open; their fields are none of the message's.
    depth: usize,
}

impl<'m> Iterator for Fields<'m> {
    type Item = Option<(u32, Wire<'m>)>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let next = self.field();
            match next {
                Some(Some(field)) if self.depth == 0 => return Some(Some(field)),
                Some(_) => {}
                None => {
                    (self.rest, self.depth) = (&[], 0);
                    return Some(None);
                }
            }
        }
        (std::mem::take(&mut self.depth) > 0).then_some(None)
    }
}

impl<'m> Fields<'m> {
    pub(super) fn new(message: &'m [u8]) -> Fields<'m> {
        Fields { rest: message, depth: 0 }
    }

    /// The next one; an inner `None`: a group begins or ends.
    fn field(&mut self) -> Option<Option<(u32, Wire<'m>)>> {
        let tag = u32::try_from(varint(&mut self.rest)?).ok()?;
        let (number, wire_type) = (tag >> 3, (tag & 7) as u8);
        if number == 0 {
            return None;
        }
        match wire_type {
            GROUP_START if self.depth < DEEPEST_GROUPS => self.depth += 1,
            GROUP_END => self.depth = self.depth.checked_sub(1)?,
            _ => return take(&mut self.rest, wire_type).map(|wire| Some((number, wire))),
        }
        Some(None)
    }
}

/// The value in front of `rest`; `None`: it is cut, or of no type.
pub(super) fn take<'m>(rest: &mut &'m [u8], wire_type: u8) -> Option<Wire<'m>> {
    let number = |bits| Some(Wire::Number { bits, wire_type });
    match wire_type {
        VARINT => number(varint(rest)?),
        FIXED64 => {
            let (bytes, behind) = rest.split_first_chunk::<8>()?;
            *rest = behind;
            number(u64::from_le_bytes(*bytes))
        }
        FIXED32 => {
            let (bytes, behind) = rest.split_first_chunk::<4>()?;
            *rest = behind;
            number(u64::from(u32::from_le_bytes(*bytes)))
        }
        BYTES => {
            let length = usize::try_from(varint(rest)?).ok()?;
            let (bytes, behind) = rest.split_at_checked(length)?;
            *rest = behind;
            Some(Wire::Bytes(bytes))
        }
        _ => None,
    }
}

/// Ten bytes at most, of which the last holds one bit.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut bits = 0_u64;
    for place in 0..10 {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        bits |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return (place < 9 || byte < 2).then_some(bits);
        }
    }
    None
}
