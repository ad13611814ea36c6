//! The chunked transfer coding.

use super::{BodyPart, HEAD_BYTES_LIMIT, Malformed, take};

/// A chunk's size line, extensions included, is malformed beyond this. Bytes.
const SIZE_LINE_LIMIT: u32 = 4096;

/// Where in the chunks the input stands.
#[derive(Debug)]
pub(super) enum Chunks {
    Size { size: u64, has_digits: bool, in_extension: bool, seen: u32 },
    Data { left: u64 },
    DataEnd,
    Trailer { line: u32, seen: u32 },
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
                            let larger = size.checked_mul(16).ok_or(Malformed::BadChunk)?;
                            *size = larger + u64::from(digit);
                            *has_digits = true;
                        }
                        (b'\n', _) if *has_digits => {
                            *self = match *size {
                                0 => Chunks::Trailer { line: 0, seen: 0 },
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
                Chunks::Trailer { line, seen } => {
                    *seen += 1;
                    if *seen as usize > HEAD_BYTES_LIMIT {
                        return Err(Malformed::HeadTooLong);
                    }
                    match byte {
                        b'\n' if *line == 0 => return Ok(BodyPart::End),
                        b'\n' => *line = 0,
                        b'\r' => {}
                        _ => *line += 1,
                    }
                }
                Chunks::Data { .. } => unreachable!("handled above"),
            }
        }
    }
}
