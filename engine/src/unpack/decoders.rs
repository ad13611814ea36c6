//! The four codings, each read to its end within a bound.

use std::error::Error;
use std::io::{self, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use super::Fault;
use super::fault::MOST_PARTS;
use crate::http1::response::Coding;

/// How far back an answer in zstd may refer (RFC 9659). Bytes.
const ZSTD_WINDOW_BYTES: u64 = 8 << 20;

/// What is unpacked between two looks at the bound. Bytes.
const STEP_BYTES: usize = 16 << 10;

/// The first bytes of a member of gzip (RFC 1952, section 2.3.1).
const GZIP_BEGIN: [u8; 2] = [0x1f, 0x8b];

/// Decoders that can be used again.
pub(super) struct Decoders {
    zstd: FrameDecoder,
    zlib: Decompress,
}

impl Default for Decoders {
    fn default() -> Decoders {
        let mut zstd = FrameDecoder::new();
        zstd.set_max_window_size(ZSTD_WINDOW_BYTES);
        Decoders { zstd, zlib: Decompress::new(true) }
    }
}

impl Decoders {
    /// Unpacks `packed` into `body`, of which at most `limit` bytes are right.
    pub(super) fn unpack(
        &mut self,
        coding: Coding,
        packed: &[u8],
        body: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        body.clear();
        match coding {
            Coding::Gzip => gzip(packed, body, limit),
            Coding::Br => br(packed, body, limit),
            Coding::Zstd => self.zstd(packed, body, limit),
            Coding::Deflate => self.deflate(packed, body, limit),
            Coding::Unknown | Coding::Several => Err(Fault::NotAsked(coding)),
        }
    }

    fn deflate(&mut self, packed: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
        self.zlib.reset(true);
        let mut step = [0; STEP_BYTES];
        loop {
            let before = (self.zlib.total_in() as usize, body.len());
            let status = self.zlib.decompress(&packed[before.0..], &mut step, FlushDecompress::None);
            let at = self.zlib.total_in() as usize;
            body.extend_from_slice(&step[..self.zlib.total_out() as usize - body.len()]);
            match status {
                _ if body.len() > limit => return Err(Fault::TooLong { limit }),
                Ok(Status::StreamEnd) if at < packed.len() => return Err(Fault::Surplus(Coding::Deflate)),
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) if (at, body.len()) == before => return Err(Fault::Cut(Coding::Deflate)),
                Ok(_) => {}
                Err(_) if !begins_zlib(packed) => return Err(Fault::RawDeflate),
                Err(_) => return Err(Fault::Broken(Coding::Deflate)),
            }
        }
    }

    fn zstd(&mut self, packed: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
        let mut rest = packed;
        for _ in 0..MOST_PARTS {
            match StreamingDecoder::new_with_decoder(&mut rest, &mut self.zstd) {
                Ok(mut frame) => {
                    read(Coding::Zstd, &mut frame, body, limit)?;
                    let checksum = self.zstd.get_checksum_from_data();
                    if checksum.is_some() && checksum != self.zstd.get_calculated_checksum() {
                        return Err(Fault::Broken(Coding::Zstd));
                    }
                }
                // It holds nothing of the body (RFC 8878, section 3.1.2).
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => rest = rest.get(length as usize..).ok_or(Fault::Cut(Coding::Zstd))?,
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => return Err(Fault::FarBack),
                Err(error) => return Err(fault_of(Coding::Zstd, &error)),
            }
            match rest {
                [] => return Ok(()),
                // A frame, or one to skip (RFC 8878, sections 3.1.1 and 3.1.2).
                [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {}
                _ => return Err(Fault::Surplus(Coding::Zstd)),
            }
        }
        Err(Fault::ManyParts(Coding::Zstd))
    }
}

/// Its members, one behind the other.
fn gzip(packed: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
    let mut rest = packed;
    for _ in 0..MOST_PARTS {
        let mut member = GzDecoder::new(rest);
        read(Coding::Gzip, &mut member, body, limit)?;
        rest = member.into_inner();
        match rest {
            [] => return Ok(()),
            _ if rest.starts_with(&GZIP_BEGIN) => {}
            _ => return Err(Fault::Surplus(Coding::Gzip)),
        }
    }
    Err(Fault::ManyParts(Coding::Gzip))
}

fn br(packed: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
    let alloc = StandardAlloc::default;
    // Strict: windows are those of RFC 7932, up to 16 MiB, and not up to 1 GiB.
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    let mut step = [0; STEP_BYTES];
    let (mut left, mut at, mut total) = (packed.len(), 0, 0);
    loop {
        let (mut room, mut written) = (step.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut at,
            packed,
            &mut room,
            &mut written,
            &mut step,
            &mut total,
            &mut state,
        );
        body.extend_from_slice(&step[..written]);
        match result {
            _ if body.len() > limit => return Err(Fault::TooLong { limit }),
            BrotliResult::ResultSuccess if at < packed.len() => return Err(Fault::Surplus(Coding::Br)),
            BrotliResult::ResultSuccess => return Ok(()),
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => return Err(Fault::Cut(Coding::Br)),
            BrotliResult::ResultFailure => return Err(Fault::Broken(Coding::Br)),
        }
    }
}

/// Reads to the end.
fn read(coding: Coding, decoder: &mut impl Read, body: &mut Vec<u8>, limit: usize) -> Result<(), Fault> {
    let room = (limit - body.len()) as u64 + 1;
    match io::copy(&mut decoder.take(room), body) {
        Ok(_) if body.len() > limit => Err(Fault::TooLong { limit }),
        Ok(_) => Ok(()),
        Err(error) => Err(fault_of(coding, &error)),
    }
}

/// What made decoding fail: for want of more bytes, or for those that came.
fn fault_of(coding: Coding, error: &(dyn Error + 'static)) -> Fault {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io_error = error.downcast_ref::<io::Error>();
        if io_error.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
            return Fault::Cut(coding);
        }
        cause = error.source();
    }
    Fault::Broken(coding)
}

/// Whether bytes begin as zlib's header does (RFC 1950, section 2.2).
fn begins_zlib(packed: &[u8]) -> bool {
    matches!(packed, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}
