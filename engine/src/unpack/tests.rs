//! Bodies of each coding, right and hostile.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde_json::{Value, json};

use super::decoders::Decoders;
use super::*;
use crate::exchange::{Exchange, Received};
use crate::http1::response::Accepted;
use crate::template::Sources;

const LIMIT: usize = 1 << 20;

const TEXT: &[u8] = b"hello world";

/// [`TEXT`] as the reference encoder writes it.
const TEXT_BR: &[u8] = b"\x0b\x05\x80hello world\x03";

/// 64 MiB of zeros, likewise.
const BOMB_BR: &[u8] = b"\
    \xcb\xff\xff\x3f\x00\x24\x00\xe2\xb1\x40\x72\xef\xff\xf8\xff\xff\x07\x80\x04\x40\x1c\x16\x80\xee\
    \xfd\x1f\xff\xff\xff\x00\x90\x00\x88\xc3\x02\xd0\xbd\xff\xe3\xff\xff\x1f\x00\x12\x00\x71\x58\x00\
    \xba\xf7\x7f\xfc\xff\xff\x03\x40\x02\x20\x0e\x0b\x40\xf7\xfe\x8f\xff\xff\x7f\x00\x48\x00\xc4\x61\
    \x01\xe8\xde\xff\xf1\xff\xff\x0f\x00\x09\x80\x38\x2c\x00\xdd\xfb\xbf\xfc\xff\xff\x03\x20\x01\x10\
    \x87\x05\xa0\x7b\xff\x07";

/// A frame of zstd that is to be skipped.
const SKIP: &[u8] = b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc";

const CODINGS: [Coding; 4] = [Coding::Gzip, Coding::Br, Coding::Zstd, Coding::Deflate];

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A frame of zstd with a window of 128 KiB, a block of `text` as it is, and so many blocks of 128 KiB of zeros.
fn zstd(text: &[u8], zero_blocks: usize) -> Vec<u8> {
    let block = |size: usize, kind: usize, is_last: bool| {
        ((size << 3 | kind << 1 | usize::from(is_last)) as u32).to_le_bytes()[..3].to_vec()
    };
    let mut frame = b"\x28\xb5\x2f\xfd\x00\x38".to_vec();
    frame.extend([block(text.len(), 0, zero_blocks == 0), text.to_vec()].concat());
    for left in (0..zero_blocks).rev() {
        frame.extend([block(128 << 10, 1, left == 0), vec![0]].concat());
    }
    frame
}

fn packed(coding: Coding) -> Vec<u8> {
    match coding {
        Coding::Gzip => gzip(TEXT),
        Coding::Br => TEXT_BR.to_vec(),
        Coding::Zstd => zstd(TEXT, 0),
        _ => zlib(TEXT),
    }
}

fn unpacked(coding: Coding, packed: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut body = b"what was there before".to_vec();
    Decoders::default().unpack(coding, packed, &mut body, LIMIT).map(|()| body)
}

#[test]
fn each_coding_is_unpacked_whatever_came_before() {
    let mut decoders = Decoders::default();
    for round in 0..3 {
        for coding in CODINGS {
            let mut body = Vec::new();
            // After a round of broken ones, too.
            if round == 1 {
                assert!(decoders.unpack(coding, &packed(coding)[..8], &mut body, LIMIT).is_err());
            }
            assert_eq!(decoders.unpack(coding, &packed(coding), &mut body, LIMIT), Ok(()), "{coding:?}");
            assert_eq!(body, TEXT, "{coding:?}");
        }
    }
}

#[test]
fn a_body_that_is_cut_anywhere_is_wrong() {
    for coding in CODINGS {
        let whole = packed(coding);
        for end in 1..whole.len() {
            assert_eq!(unpacked(coding, &whole[..end]), Err(Fault::Cut(coding)), "{coding:?} at {end}");
        }
    }
}

#[test]
fn nothing_stands_behind_the_end() {
    for coding in CODINGS {
        for garbage in [&b"x"[..], b"\0", b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
            let bytes = [&packed(coding)[..], garbage].concat();
            assert_eq!(unpacked(coding, &bytes), Err(Fault::Surplus(coding)), "{coding:?} {garbage:?}");
        }
    }
}

#[test]
fn gzip_and_zstd_may_have_several_parts() {
    for coding in [Coding::Gzip, Coding::Zstd] {
        let twice = [packed(coding), packed(coding)].concat();
        assert_eq!(unpacked(coding, &twice), Ok([TEXT, TEXT].concat()));
        assert_eq!(unpacked(coding, &twice[..twice.len() - 1]), Err(Fault::Cut(coding)));
    }
}

#[test]
fn parts_are_not_without_number() {
    for (coding, part) in
        [(Coding::Gzip, gzip(b"")), (Coding::Zstd, zstd(b"", 0)), (Coding::Zstd, SKIP.to_vec())]
    {
        assert_eq!(unpacked(coding, &part.repeat(1000)), Ok(Vec::new()));
        assert_eq!(unpacked(coding, &part.repeat(1001)), Err(Fault::ManyParts(coding)));
    }
    assert_eq!(Fault::ManyParts(Coding::Gzip).to_string(), "the body has more than 1000 parts of gzip");
}

#[test]
fn zstd_may_have_frames_to_skip() {
    let frame = &zstd(TEXT, 0)[..];
    for parts in [vec![SKIP, frame], vec![frame, SKIP], vec![frame, SKIP, SKIP, frame]] {
        let texts = parts.iter().filter(|part| **part != SKIP).count();
        assert_eq!(unpacked(Coding::Zstd, &parts.concat()), Ok(TEXT.repeat(texts)));
    }
    for end in 1..SKIP.len() {
        assert_eq!(unpacked(Coding::Zstd, &SKIP[..end]), Err(Fault::Cut(Coding::Zstd)), "at {end}");
    }
    let behind = [frame, SKIP, b"x"].concat();
    assert_eq!(unpacked(Coding::Zstd, &behind), Err(Fault::Surplus(Coding::Zstd)));
}

#[test]
fn another_coding_than_its_name_says_is_wrong() {
    for (named, is) in CODINGS.into_iter().flat_map(|named| CODINGS.map(|is| (named, is))) {
        let outcome = unpacked(named, &packed(is));
        assert_eq!(outcome.is_ok(), named == is, "{is:?} named {named:?}: {outcome:?}");
    }
    for coding in CODINGS {
        let plain = unpacked(coding, b"{\"id\": 7, \"name\": \"as it is\", \"kind\": \"of no coding\"}");
        assert!(plain.is_err(), "{coding:?}: {plain:?}");
    }
}

#[test]
fn deflate_without_zlibs_frame_is_told_by_name() {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(TEXT).unwrap();
    assert_eq!(unpacked(Coding::Deflate, &encoder.finish().unwrap()), Err(Fault::RawDeflate));
}

#[test]
fn a_flipped_bit_is_found_by_the_checksum() {
    for coding in [Coding::Gzip, Coding::Deflate] {
        let mut bytes = packed(coding);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        assert!(unpacked(coding, &bytes).is_err(), "{coding:?}");
    }
    // With a checksum, which is wrong.
    let frame = [b"\x28\xb5\x2f\xfd\x04\x38", &zstd(TEXT, 0)[6..], b"\0\0\0\0"].concat();
    assert_eq!(unpacked(Coding::Zstd, &frame), Err(Fault::Broken(Coding::Zstd)));
}

#[test]
fn a_bomb_takes_no_more_memory_than_the_bound() {
    let bombs = [
        (Coding::Gzip, gzip(&vec![0; 4 << 20])),
        (Coding::Br, BOMB_BR.to_vec()),
        (Coding::Zstd, zstd(b"", 512)),
        (Coding::Deflate, zlib(&vec![0; 4 << 20])),
    ];
    for (coding, bomb) in bombs {
        assert!(bomb.len() < 80 << 10, "{}", bomb.len());
        let mut body = Vec::new();
        let outcome = Decoders::default().unpack(coding, &bomb, &mut body, LIMIT);
        assert_eq!(outcome, Err(Fault::TooLong { limit: LIMIT }), "{coding:?}");
        assert!(body.len() <= LIMIT + (16 << 10) && body.capacity() <= 4 * LIMIT, "{coding:?}");
    }
}

#[test]
fn a_bound_is_met_exactly() {
    for (length, fits) in [(LIMIT, true), (LIMIT + 1, false)] {
        for (coding, packed) in
            [(Coding::Gzip, gzip(&vec![7; length])), (Coding::Deflate, zlib(&vec![7; length]))]
        {
            assert_eq!(unpacked(coding, &packed).is_ok(), fits, "{coding:?} {length}");
        }
    }
    assert!(unpacked(Coding::Zstd, &zstd(b"", 8)).is_ok());
    assert!(unpacked(Coding::Zstd, &zstd(b"x", 8)).is_err());
}

#[test]
fn zstd_looks_no_further_back_than_an_answer_may() {
    // A window of 2^(10 + 17) bytes, which would be allocated before the first block.
    let frame = [b"\x28\xb5\x2f\xfd\x00\x88", &zstd(TEXT, 0)[6..]].concat();
    assert_eq!(unpacked(Coding::Zstd, &frame), Err(Fault::FarBack));
}

#[test]
fn br_looks_no_further_back_than_its_rfc_allows() {
    // Nothing, with a window of 2^24 bytes; and with one of 2^30, in the way of Large Window Brotli.
    assert_eq!(unpacked(Coding::Br, b"\x3f"), Ok(Vec::new()));
    assert_eq!(unpacked(Coding::Br, b"\x11\xde"), Err(Fault::Broken(Coding::Br)));
}

fn expecting(expect: Value, accept: &str) -> Expectation {
    let headers = [("Accept-Encoding".to_owned(), accept.to_owned())];
    let expect = serde_json::from_value(expect).unwrap();
    Expectation::new(&expect, Sources::default(), &[]).unwrap().unpacking(Accepted::of(&headers))
}

fn expectation(accept: &str) -> Expectation {
    expecting(json!({"body": {"kind": "exact", "text": "hello world"}}), accept)
}

fn coded(coding: Coding, body: &[u8]) -> Answer<'_> {
    Answer {
        status: 200,
        header_fits: true,
        coding: Some(coding),
        body_bytes: body.len() as u64,
        body,
        ..Answer::default()
    }
}

#[test]
fn answers_are_judged_as_they_are_unpacked() {
    let mut expected = expectation("gzip");
    let (mut unpacker, mut counts) = (Unpacker::default(), Unpacking::default());
    let (right, wrong) = (gzip(TEXT), gzip(b"hello there"));
    for (body, fits) in [(&right, true), (&right, true), (&wrong, false), (&right, true)] {
        let answer = unpacker.unpacked(0, coded(Coding::Gzip, body), &expected, Some(&mut counts));
        assert_eq!((answer.coding, answer.body_bytes), (None, 11));
        assert_eq!(expected.verify(&answer, 0).wrong.is_none(), fits);
    }
    assert_eq!((counts.answers, counts.unchanged, counts.unpacked_bytes), (4, 1, 44));
    assert_eq!(counts.packed_bytes as usize, 3 * right.len() + wrong.len());
    assert!(counts.cpu_ns > 0);
}

#[test]
fn a_broken_body_is_not_taken_for_the_one_before() {
    let mut expected = expectation("gzip, br");
    let mut unpacker = Unpacker::default();
    let whole = gzip(TEXT);
    for (coding, body, fault) in [
        (Coding::Gzip, &whole[..], None),
        (Coding::Gzip, &whole[..9], Some(Fault::Cut(Coding::Gzip))),
        (Coding::Gzip, &whole[..9], Some(Fault::Cut(Coding::Gzip))),
        (Coding::Gzip, &whole[..], None),
        (Coding::Br, &whole[..], Some(Fault::Broken(Coding::Br))),
        (Coding::Deflate, &whole[..], Some(Fault::NotAsked(Coding::Deflate))),
        (Coding::Several, &whole[..], Some(Fault::NotAsked(Coding::Several))),
        (Coding::Unknown, &whole[..], Some(Fault::NotAsked(Coding::Unknown))),
    ] {
        let answer = unpacker.unpacked(3, coded(coding, body), &expected, None);
        assert_eq!(answer.fault, fault);
        let wrong = expected.verify(&answer, 0).wrong;
        assert_eq!(wrong, fault.map(|_| crate::record::ErrorKind::WrongCoding));
        let reason = wrong.and_then(|kind| expected.reason(kind, &answer, 0));
        assert_eq!(reason, fault.map(|fault| fault.to_string()));
    }
}

#[test]
fn what_is_not_coded_or_not_asked_for_is_judged_as_it_came() {
    let mut unpacker = Unpacker::default();
    let body = gzip(TEXT);
    let whole = coded(Coding::Gzip, &body);
    let mut kept = |answer: Answer<'_>, accept: &str| {
        let answer = unpacker.unpacked(0, answer, &expectation(accept), None);
        (answer.coding, answer.fault, answer.body_bytes as usize)
    };
    assert_eq!(kept(whole, "identity"), (Some(Coding::Gzip), None, body.len()));
    assert_eq!(kept(Answer { status: 206, ..whole }, "gzip"), (Some(Coding::Gzip), None, body.len()));
    assert_eq!(kept(Answer { coding: None, ..whole }, "gzip"), (None, None, body.len()));
    assert_eq!(kept(Answer { body: b"", body_bytes: 0, ..whole }, "gzip"), (None, None, 0));
    assert_eq!(kept(Answer { status: 503, ..whole }, "gzip"), (None, None, TEXT.len()));
}

#[test]
fn what_was_not_kept_whole_is_too_long() {
    let body = gzip(TEXT);
    let answer = Answer { body_bytes: 17 << 20, ..coded(Coding::Gzip, &body) };
    let fault = Unpacker::default().unpacked(0, answer, &expectation("gzip"), None).fault.unwrap();
    assert_eq!(fault.to_string(), "the body is longer than 16 MiB, packed or unpacked");
}

#[test]
fn a_plan_cannot_allow_bodies_without_end() {
    for (most, limit) in [(1, 16 << 20), (17 << 20, 17 << 20), (1 << 50, 1 << 30), (u64::MAX, 1 << 30)] {
        let expected = expecting(json!({"body_bytes": {"min": 0, "max": most}}), "gzip");
        assert_eq!(expected.unpacked_bytes_limit(), limit, "{most}");
        let body = gzip(TEXT);
        let mut unpacker = Unpacker::default();
        let answer = unpacker.unpacked(0, coded(Coding::Gzip, &body), &expected, None);
        assert_eq!((answer.fault, answer.body), (None, TEXT), "{most}");
    }
}

#[test]
fn long_bodies_take_their_memory_once() {
    let expected = expectation("gzip");
    let (mut unpacker, mut counts) = (Unpacker::default(), Unpacking::default());
    let (short, long) = (gzip(&vec![7; LONGEST_KEPT_BYTES]), gzip(&vec![7; LONGEST_KEPT_BYTES + 1]));
    for request in 0..4 {
        for _ in 0..2 {
            let answer = unpacker.unpacked(request, coded(Coding::Gzip, &long), &expected, Some(&mut counts));
            assert_eq!((answer.fault, answer.body.len()), (None, LONGEST_KEPT_BYTES + 1));
        }
    }
    let kept = |last: &Last| last.packed.capacity() + last.body.capacity();
    assert_eq!((counts.unchanged, unpacker.last.iter().map(kept).sum::<usize>()), (0, 0));
    for body in [&short, &short, &long, &short] {
        let answer = unpacker.unpacked(0, coded(Coding::Gzip, body), &expected, Some(&mut counts));
        assert_eq!(answer.body.len(), LONGEST_KEPT_BYTES + usize::from(body == &long));
    }
    assert_eq!(counts.unchanged, 1);
    let bomb = gzip(&vec![0; 17 << 20]);
    assert!(unpacker.unpacked(0, coded(Coding::Gzip, &bomb), &expected, None).fault.is_some());
    assert_eq!(unpacker.body.capacity(), 0);
}

#[test]
fn of_long_bodies_only_those_are_kept_whole_that_are_unpacked() {
    let piece = vec![b'x'; 1 << 20];
    let (any, events) = (json!({}), json!({"body": {"kind": "events"}}));
    for (expect, coding, is_whole) in [
        (&any, "identity", false),
        (&any, "gzip", true),
        (&any, "br", false),
        (&any, "gzip, gzip", false),
        (&events, "gzip", false),
    ] {
        let mut expected = expecting(expect.clone(), "gzip");
        let mut exchange = Exchange::default();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
        for mut bytes in [head.as_bytes(), &piece] {
            let received = exchange.receive(&mut bytes, false, false, &mut expected, 0, 7);
            assert!(matches!(received, Received::Partial));
        }
        let kept_bytes = exchange.whole(&expected).body.len();
        assert_eq!(kept_bytes == piece.len(), is_whole, "{coding}: {kept_bytes}");
    }
}
