//! Frames of HTTP/2, byte by byte: also such as RFC 9113 forbids, which no library would write.

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const ACK: u8 = 1;
pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;
pub const WITH_PRIORITY: u8 = 0x20;

pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;

/// `:status: 200` in HPACK's static table.
pub const STATUS_200: u8 = 0x88;

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field of HPACK, without indexing, its name spelled out. Both are below 127 bytes.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let [name_bytes, value_bytes] = [name, value].map(|text| u8::try_from(text.len()).unwrap());
    [&[0, name_bytes], name.as_bytes(), &[value_bytes], value.as_bytes()].concat()
}

/// The block of a right head: status and content type.
pub fn ok() -> Vec<u8> {
    [vec![STATUS_200], field("content-type", "text/plain")].concat()
}

/// A head with this block.
pub fn head(stream: u32, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, block)
}

/// A right head with these fields besides.
pub fn head_with(stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<u8> = fields.iter().flat_map(|(name, value)| field(name, value)).collect();
    head(stream, &[ok(), fields].concat())
}

pub fn right_head(stream: u32) -> Vec<u8> {
    head(stream, &ok())
}

/// The head of an interim answer.
pub fn early_hints(stream: u32) -> Vec<u8> {
    head(stream, &[field(":status", "103"), field("link", "</a.css>")].concat())
}

/// A piece of a body that does not end with it.
pub fn piece(stream: u32, bytes: &[u8]) -> Vec<u8> {
    frame(DATA, 0, stream, bytes)
}

/// The right body, which ends the stream.
pub fn hello(stream: u32) -> Vec<u8> {
    frame(DATA, END_STREAM, stream, b"hello")
}

/// The right answer.
pub fn answer(stream: u32) -> Vec<u8> {
    [right_head(stream), hello(stream)].concat()
}

/// Fields behind a body.
pub fn trailers(stream: u32, name: &str, value: &str) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &field(name, value))
}

/// A payload with so many bytes of padding.
pub fn padded(payload: &[u8], padding: u8) -> Vec<u8> {
    [&[padding], payload, &vec![0; padding.into()]].concat()
}

pub fn settings(values: &[(u16, u32)]) -> Vec<u8> {
    let value = |&(key, value): &(u16, u32)| [&key.to_be_bytes()[..], &value.to_be_bytes()].concat();
    frame(SETTINGS, 0, 0, &values.iter().flat_map(value).collect::<Vec<u8>>())
}

pub fn ping() -> Vec<u8> {
    frame(PING, 0, 0, b"8 bytes.")
}

pub fn rst_stream(stream: u32, code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &code.to_be_bytes())
}

pub fn window_update(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

pub fn go_away(last_stream: u32, code: u32, debug: &str) -> Vec<u8> {
    let payload = [&last_stream.to_be_bytes()[..], &code.to_be_bytes(), debug.as_bytes()].concat();
    frame(GOAWAY, 0, 0, &payload)
}
