//! The same answer by other means: its head by the crate httparse, its body as RFC 9112, sections 6 and 7, is read at first
//! sight, all at once. Slow, and without an opinion where a recipient may be lenient.

use super::{End, Outcome};
use fairtrial_engine::http1::response::{HEAD_BYTES_LIMIT, LARGEST_BODY_BYTES};

const MOST_HEADERS: usize = 512;

/// What the bytes have to come to; `None`: no opinion.
pub fn response(bytes: &[u8], is_head: bool) -> Option<Outcome> {
    let mut at = 0;
    loop {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Response::new(&mut headers);
        let rest = &bytes[at..];
        // httparse passes over line ends in front.
        if !rest.starts_with(b"HTTP/1.") {
            return None;
        }
        let httparse::Status::Complete(length) = head.parse(rest).ok()? else { return None };
        if length > HEAD_BYTES_LIMIT {
            return None;
        }
        let status = head.code?;
        let body = &rest[length..];
        let values = |name: &str| -> Vec<&[u8]> {
            head.headers
                .iter()
                .filter(|header| header.name.eq_ignore_ascii_case(name))
                .map(|header| header.value)
                .collect()
        };
        let lengths = values("content-length");
        if !lengths.iter().all(|value| is_length(value) && parse(value) == parse(lengths[0])) {
            return Some(broken());
        }
        if (100..200).contains(&status) && status != 101 {
            at += length;
            continue;
        }
        let codings = values("transfer-encoding");
        let last_coding = codings.last().map(|value| value.rsplit(|&byte| byte == b',').next().unwrap());
        let (body, end) = if is_head || matches!(status, 101 | 204 | 304) {
            (Vec::new(), End::Complete(body.len()))
        } else if last_coding.is_some_and(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"chunked")) {
            unchunk(body)?
        } else if let (None, Some(&value)) = (last_coding, lengths.first()) {
            let stated = parse(value)?;
            match usize::try_from(stated).ok().filter(|&stated| stated <= body.len()) {
                Some(stated) => (body[..stated].to_vec(), End::Complete(body.len() - stated)),
                None => (body.to_vec(), End::Partial(false)),
            }
        } else {
            (body.to_vec(), End::Partial(true))
        };
        let last = |name: &str| values(name).last().map(|value| value.to_vec());
        let (content_type, location) = (last("content-type"), last("location"));
        return Some(Outcome { status: Some(status), content_type, location, body, end });
    }
}

fn is_length(value: &[u8]) -> bool {
    parse(value).is_some_and(|length| length <= LARGEST_BODY_BYTES) && value.iter().all(u8::is_ascii_digit)
}

fn parse(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

fn broken() -> Outcome {
    let (body, end) = (Vec::new(), End::Malformed);
    Outcome { status: None, content_type: None, location: None, body, end }
}

/// A body of whole chunks with strict line ends, and without a trailer.
fn unchunk(mut left: &[u8]) -> Option<(Vec<u8>, End)> {
    let mut body = Vec::new();
    loop {
        let line_end = left.windows(2).position(|pair| pair == b"\r\n")?;
        let line = std::str::from_utf8(&left[..line_end]).ok()?;
        let digits = line.split(';').next()?;
        let is_plain = digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_harmless = line.bytes().all(|byte| byte.is_ascii_graphic());
        let size = usize::from_str_radix(digits, 16).ok().filter(|_| is_plain && is_harmless)?;
        left = &left[line_end + 2..];
        let chunk = left.get(..size)?;
        body.extend_from_slice(chunk);
        left = left[size..].strip_prefix(b"\r\n")?;
        if size == 0 {
            return Some((body, End::Complete(left.len())));
        }
    }
}
