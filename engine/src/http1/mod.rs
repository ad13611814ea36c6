//! HTTP/1.1 as bytes: knows no sockets and no clock.

pub mod request;
pub mod response;

use memchr::memchr_iter;

/// Where the head at the front of `bytes` ends, its blank line included; looks at line ends from `from` on.
#[inline]
pub(crate) fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    for at in memchr_iter(b'\n', &bytes[from..]) {
        match bytes[from + at + 1..] {
            [b'\n', ..] => return Some(from + at + 2),
            [b'\r', b'\n', ..] => return Some(from + at + 3),
            _ => {}
        }
    }
    None
}
