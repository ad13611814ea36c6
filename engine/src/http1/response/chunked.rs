//! The chunked transfer coding.

use memchr::memchr;

use super::{BodyPart, HEAD_BYTES_LIMIT, LARGEST_BODY_BYTES, Malformed, take};

/// A chunk's size line, extensions included, is malformed beyond this. Bytes.
const SIZE_LINE_LIMIT: u32 = 4096;

/// Where in the chunks the input stands.
#[derive(Debug)]
pub(super) enum Chunks {
    Size { size: u64, has_digits: bool, in_extension: bool, seen: u32 },
    Data { left: u64 },
    DataEnd,
    Trailer { in_line: bool, seen: usize },
}

impl Chunks {
    pub(super) fn new() -> Chunks {
        Chunks::Size { size: 0, has_digits: false, in_extension: false, seen: 0 }
    }

    pub(super) fn next<'i>(&mut self, input: &mut &'i [u8]) -> Result<BodyPart<'i>, Malformed> {
        loop {
            if let Chunks::Data { left } = self {
                if *left > 0 {
                    return Ok(take(input, left));
                }
                *self = Chunks::DataEnd;
            }
            let whole = *input;
            let Some((&byte, rest)) = input.split_first() else {
                return Ok(BodyPart::NeedMore);
            };
            *input = rest;
            match self {
                Chunks::Size { size, has_digits, in_extension, seen } => {
                    *seen += 1;
                    if *seen > SIZE_LINE_LIMIT {
                        return Err(Malformed::BadChunk);
                    }
                    match (byte, char::from(byte).to_digit(16)) {
                        (_, Some(digit)) if !*in_extension => {
                            if *size > LARGEST_BODY_BYTES >> 4 {
                                return Err(Malformed::BadChunk);
                            }
                            *size = *size << 4 | u64::from(digit);
                            *has_digits = true;
                        }
                        (b'\n', _) if *has_digits => {
                            *self = match *size {
                                0 => Chunks::Trailer { in_line: false, seen: 0 },
                                left => Chunks::Data { left },
                            };
                        }
                        (b'\r' | b';' | b' ' | b'\t', _) if *has_digits => *in_extension = true,
                        _ if *in_extension && byte != b'\n' => {}
                        _ => return Err(Malformed::BadChunk),
                    }
                }
                Chunks::DataEnd => match byte {
                    b'\r' => {}
                    b'\n' => *self = Chunks::new(),
                    _ => return Err(Malformed::BadChunk),
                },
                Chunks::Trailer { in_line, seen } => {
                    let end = match byte {
                        b'\r' | b'\n' if !*in_line => 1,
                        _ => memchr(b'\n', whole).map_or(whole.len(), |at| at + 1),
                    };
                    let (line, rest) = whole.split_at(end);
                    *input = rest;
                    *seen += end;
                    if *seen > HEAD_BYTES_LIMIT {
                        return Err(Malformed::HeadTooLong);
                    }
                    match byte {
                        b'\n' if !*in_line => return Ok(BodyPart::End),
                        b'\r' if !*in_line => {}
                        _ => {
                            *in_line = !line.ends_with(b"\n");
                            return Ok(BodyPart::Trailer(line));
                        }
                    }
                }
                Chunks::Data { .. } => unreachable!("handled above"),
            }
        }
    }
}
