//! Records that no library would send, under the keys of a finished handshake.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use rustls::{ConnectionTrafficSecrets, ProtocolVersion, ServerConnection};

pub const ALERT: u8 = 21;
pub const HANDSHAKE: u8 = 22;
pub const DATA: u8 = 23;

/// A server's side of a connection, by ChaCha20-Poly1305.
pub struct Sealed {
    key: LessSafeKey,
    iv: [u8; 12],
    sequence: u64,
    is_tls13: bool,
}

impl Sealed {
    pub fn new(tls: ServerConnection) -> Sealed {
        let is_tls13 = tls.protocol_version() == Some(ProtocolVersion::TLSv1_3);
        let (sequence, secrets) = tls.dangerous_extract_secrets().unwrap().tx;
        let ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } = secrets else {
            panic!("another cipher suite was chosen");
        };
        let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key.as_ref()).unwrap());
        Sealed { key, iv: iv.as_ref().try_into().unwrap(), sequence, is_tls13 }
    }

    /// A record of this type with this content: RFC 8446, 5.2, or RFC 7905 for TLS 1.2.
    pub fn record(&mut self, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut nonce = self.iv;
        for (byte, of_sequence) in nonce[4..].iter_mut().zip(self.sequence.to_be_bytes()) {
            *byte ^= of_sequence;
        }
        let mut body = content.to_vec();
        let outer = if self.is_tls13 { DATA } else { kind };
        let mut additional = Vec::new();
        if self.is_tls13 {
            body.push(kind);
            additional.extend(header(outer, body.len() + CHACHA20_POLY1305.tag_len()));
        } else {
            additional.extend(self.sequence.to_be_bytes());
            additional.extend(header(outer, body.len()));
        }
        self.sequence += 1;
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(nonce, Aad::from(additional), &mut body).unwrap();
        [header(outer, body.len()).as_slice(), &body].concat()
    }

    /// So many of them.
    pub fn records(&mut self, count: usize, kind: u8, content: &[u8]) -> Vec<u8> {
        (0..count).flat_map(|_| self.record(kind, content)).collect()
    }
}

/// A record's header.
pub fn header(kind: u8, bytes: usize) -> [u8; 5] {
    let [high, low] = u16::try_from(bytes).unwrap().to_be_bytes();
    [kind, 3, 3, high, low]
}

/// A message of the handshake.
pub fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&[kind], &length[1..], content].concat()
}

/// A ServerHello in the clear, of TLS 1.2 and before, with these extensions.
pub fn server_hello(version: [u8; 2], suite: [u8; 2], extensions: &[u8]) -> Vec<u8> {
    let mut content = version.to_vec();
    content.extend([7; 32]);
    content.push(0);
    content.extend(suite);
    content.push(0);
    if !extensions.is_empty() {
        content.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
        content.extend(extensions);
    }
    let hello = message(2, &content);
    [header(HANDSHAKE, hello.len()).as_slice(), &hello].concat()
}

/// A fatal alert in the clear.
pub fn alert(code: u8) -> Vec<u8> {
    [header(ALERT, 2).as_slice(), &[2, code]].concat()
}
