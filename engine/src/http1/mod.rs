//! HTTP/1.1 as bytes: knows no sockets and no clock.

pub mod request;
pub mod response;

use memchr::{memchr, memchr_iter};

/// The values of the fields with this name, among the lines of a head or of a trailer.
pub(crate) fn field_values<'l>(lines: &'l [u8], name: &str) -> impl Iterator<Item = &'l [u8]> {
    lines.split(|&byte| byte == b'\n').filter_map(move |line| {
        let (found, value) = line.split_at(memchr(b':', line)?);
        found.eq_ignore_ascii_case(name.as_bytes()).then(|| value[1..].trim_ascii())
    })
}

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
