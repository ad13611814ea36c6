//! DATA frames that carry nothing: no byte of a body, and not the end of a stream.
//!
//! No rule forbids them, and a server that flushes writes one an answer. h2 would do nothing with them but end the connection
//! after the hundredth. So it does not see them: what bounds them is how many come in a row.

use std::ops::Range;

use super::frame::{Head, WINDOW_UPDATE};
use super::head::Fault;
use crate::http2::failure::Cause;

/// More of them in a row on one stream are a flood.
const MOST_IN_A_ROW: u32 = 1000;

/// So much of the server's window for the connection is given back at a time. Bytes.
const RETURNED_BYTES: u32 = 16_384;

/// What is held back from h2.
#[derive(Default)]
pub(super) struct Hollow {
    /// Where they are among the last bytes, in order.
    places: Vec<Range<usize>>,
    /// Their padding, which has taken of the server's window for the connection (RFC 9113, section 6.9.1), as h2 does not
    /// know. Of a stream's window it is too little to matter.
    padding_bytes: u32,
}

impl Hollow {
    /// Such a frame ends at this place among the last bytes.
    pub(super) fn add(&mut self, head: &Head, end: usize) {
        self.padding_bytes = (self.padding_bytes + head.length).min(i32::MAX as u32);
        let place = end - head.frame_bytes()..end;
        match self.places.last_mut() {
            Some(last) if last.end == place.start => last.end = end,
            _ => self.places.push(place),
        }
    }

    pub(super) fn places(&self) -> &[Range<usize>] {
        &self.places
    }

    #[inline]
    pub(super) fn forget_places(&mut self) {
        self.places.clear();
    }

    /// Writes a WINDOW_UPDATE for the connection if it is worth one.
    pub(super) fn return_window(&mut self, out: &mut Vec<u8>) {
        if self.padding_bytes >= RETURNED_BYTES {
            out.extend([0, 0, 4, WINDOW_UPDATE, 0, 0, 0, 0, 0]);
            out.extend(std::mem::take(&mut self.padding_bytes).to_be_bytes());
        }
    }
}

/// What is wrong with so many in a row.
pub(super) fn flood(stream: u32, in_a_row: u32) -> Option<Fault> {
    let why = || format!("more than {MOST_IN_A_ROW} empty DATA frames in a row on stream {stream}");
    (in_a_row > MOST_IN_A_ROW).then(|| (Cause::Flood, why()))
}

#[cfg(test)]
mod tests {
    use super::super::frame::{DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, SETTINGS, frame};
    use super::super::{PREFACE_BYTES, Scan};

    /// What h2 sees of these bytes of a server if they come in such pieces, and the connection's frames thereafter.
    fn seen<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<u8>, Scan) {
        let (mut scan, mut seen, mut part) = (Scan::default(), Vec::new(), Vec::new());
        scan.sends(&[0; PREFACE_BYTES as usize]);
        (1..=5)
            .step_by(2)
            .for_each(|stream| scan.sends(&frame(HEADERS, END_HEADERS | END_STREAM, stream, b"")));
        scan.sends(&frame(super::super::RST_STREAM, 0, 5, &[0, 0, 0, 8]));
        for piece in pieces {
            let bytes = [part, piece.to_vec()].concat();
            assert!(scan.receives(&bytes).is_none());
            let (places, part_bytes) = scan.held_back();
            let until = bytes.len() - part_bytes;
            let is_seen = |place: &usize| !places.iter().any(|range| range.contains(place));
            seen.extend((0..until).filter(is_seen).map(|place| bytes[place]));
            part = bytes[until..].to_vec();
        }
        seen.extend(part);
        (seen, scan)
    }

    #[test]
    fn h2_sees_none_however_bytes_are_cut() {
        let empty = |stream| frame(DATA, 0, stream, b"");
        let padding = |bytes: u8| frame(DATA, PADDED, 1, &[&[bytes][..], &vec![0; bytes.into()]].concat());
        let frames = [
            (frame(SETTINGS, 0, 0, b""), true),
            (frame(HEADERS, END_HEADERS, 1, &[0x88]), true),
            (empty(1), false),
            (padding(0), false),
            (frame(DATA, PADDED, 1, b"\x02a body\0\0"), true),
            (empty(1), false),
            (padding(255), false),
            // The client has reset it.
            (empty(5), false),
            // Of frames that break a rule h2 is told: no head has come, or padding has no length.
            (empty(3), true),
            (frame(DATA, PADDED, 1, b""), true),
            (frame(DATA, END_STREAM, 1, b""), true),
        ];
        let bytes: Vec<u8> = frames.iter().flat_map(|(frame, _)| frame.clone()).collect();
        let right: Vec<u8> =
            frames.iter().filter(|(_, is_seen)| *is_seen).flat_map(|(frame, _)| frame.clone()).collect();
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(seen([first, second]).0, right, "{cut}");
        }
        assert_eq!(seen(bytes.chunks(1)).0, right);
    }

    #[test]
    fn many_in_a_row_are_a_flood_and_their_padding_is_given_back() {
        let head = frame(HEADERS, END_HEADERS, 1, &[0x88]);
        let padding = frame(DATA, PADDED, 1, &[&[63][..], &[0; 63]].concat());
        let body = frame(DATA, 0, 1, b"a piece");
        let row = [padding.repeat(1000), body].concat();
        let settings = frame(SETTINGS, 0, 0, b"");
        let (_, mut scan) = seen([&settings[..], &head, &row, &row, &row]);
        assert!(scan.fault().is_none());
        let mut out = Vec::new();
        scan.return_window(&mut out);
        scan.return_window(&mut out);
        assert_eq!(out, frame(super::WINDOW_UPDATE, 0, 0, &(3 * 1000 * 64_u32).to_be_bytes()));
        let (_, scan) = seen([&settings[..], &head, &padding.repeat(1001)]);
        assert!(scan.fault().unwrap().explanation.contains("in a row on stream 1"));
    }
}
