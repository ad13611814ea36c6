//! The opening handshake (RFC 6455, section 4).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use super::failure::{Cause, begin};
use crate::driver::Failure;
use crate::http1::field_values;
use crate::http1::response::{Head, ResponseParser};
use crate::record::ErrorKind;

/// What the key is joined with (section 1.3).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Headers that the handshake has of itself.
const OWN: [&str; 5] = [
    "upgrade",
    "sec-websocket-key",
    "sec-websocket-version",
    "sec-websocket-accept",
    "sec-websocket-extensions",
];

const PROTOCOL: &str = "sec-websocket-protocol";

/// Checks that a header may stand in the handshake.
///
/// # Errors
/// Why it may not.
pub fn check_header(name: &str) -> Result<(), String> {
    if OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(format!("headers: {name:?} is set by the engine; it agrees on no extension"));
    }
    Ok(())
}

/// The request that opens connections, but for its key.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Request line and headers, without the blank line.
    head: Vec<u8>,
    /// Those that the client speaks; empty: it names none.
    protocols: Vec<String>,
}

impl Opening {
    /// `request`: a GET without a body, as HTTP/1.1 writes it. `headers`: those of it that the plan has.
    pub fn new(request: &[u8], headers: &[(String, String)]) -> Opening {
        let head = request.strip_suffix(b"\r\n").unwrap_or(request).to_vec();
        let named = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(PROTOCOL));
        let protocols =
            named.flat_map(|(_, value)| value.split(',')).map(|each| each.trim().to_owned()).collect();
        Opening { head, protocols }
    }

    /// Appends the request with this key.
    pub(super) fn write(&self, key: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head);
        out.extend_from_slice(b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
        out.extend_from_slice(format!("Sec-WebSocket-Key: {key}\r\n\r\n").as_bytes());
    }
}

/// A connection's handshake under way.
#[derive(Debug)]
pub(super) struct Handshake {
    key: String,
    parser: ResponseParser,
}

impl Handshake {
    pub(super) fn new(nonce: [u8; 16]) -> Handshake {
        Handshake { key: STANDARD.encode(nonce), parser: ResponseParser::new() }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Takes `input` up to the end of the answer. True if it has come.
    ///
    /// # Errors
    /// Why it opens no connection.
    pub(super) fn take(&mut self, input: &mut &[u8], opening: &Opening) -> Result<bool, Failure> {
        match self.parser.head(input, false) {
            Ok(None) => Ok(false),
            Ok(Some(head)) => check(&head, &self.key, opening).map(|()| true),
            Err(cause) => Err(Failure {
                kind: ErrorKind::Protocol,
                explanation: "what came in place of the handshake's answer is no HTTP/1.1".into(),
                cause: Some(cause.name()),
            }),
        }
    }

    /// Something of the answer has come.
    pub(super) fn has_begun(&self) -> bool {
        !self.parser.carried().is_empty()
    }
}

fn check(head: &Head<'_>, key: &str, opening: &Opening) -> Result<(), Failure> {
    if head.status != 101 {
        let first = head.bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(first.trim_ascii()).chars().take(120).collect::<String>();
        return Err(Cause::Refused.failure(format!("{line}, in place of status 101")));
    }
    let lists = |wanted: &str, token: &str| {
        fields(head, wanted).any(|value| value.split(',').any(|each| each.trim().eq_ignore_ascii_case(token)))
    };
    if !lists("upgrade", "websocket") || !lists("connection", "upgrade") {
        return Err(
            Cause::Upgrade.failure("status 101 without `Upgrade: websocket` and `Connection: Upgrade`")
        );
    }
    let accept = accept_of(key);
    let found: Vec<&str> = fields(head, "sec-websocket-accept").collect();
    if found != [accept.as_str()] {
        let found = found.first().map_or("none".to_owned(), |found| format!("{:?}", begin(found)));
        let words = format!("Sec-WebSocket-Accept is {found}, not {accept:?}");
        return Err(Cause::Accept.failure(words));
    }
    if let Some(extension) = fields(head, "sec-websocket-extensions").find(|value| !value.is_empty()) {
        let extension = begin(extension);
        return Err(Cause::Extension.failure(format!("the extension {extension:?}, which was not asked for")));
    }
    let mut protocols = fields(head, PROTOCOL);
    match (protocols.next(), protocols.next()) {
        (Some(protocol), None) if opening.protocols.iter().any(|own| own == protocol) => Ok(()),
        (None, _) if opening.protocols.is_empty() => Ok(()),
        (Some(protocol), _) => {
            let protocol = begin(protocol);
            Err(Cause::Subprotocol
                .failure(format!("the subprotocol {protocol:?}, not one of those asked for")))
        }
        (None, _) => Err(Cause::Subprotocol.failure("none of the subprotocols that were asked for")),
    }
}

/// What answers a key (section 4.2.2).
pub(crate) fn accept_of(key: &str) -> String {
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes()))
}

/// The values of a header, as far as they are text.
fn fields<'h>(head: &Head<'h>, wanted: &'h str) -> impl Iterator<Item = &'h str> {
    field_values(head.bytes, wanted).filter_map(|value| std::str::from_utf8(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: &[u8; 16] = b"the sample nonce";
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    const ACCEPT: &str = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(accept_of(KEY), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let mut out = Vec::new();
        Opening::new(b"GET /chat HTTP/1.1\r\nHost: h\r\n\r\n", &[]).write(KEY, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            format!(
                "GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n"
            )
        );
    }

    #[test]
    fn each_answer_that_opens_no_connection_has_its_cause() {
        let switch = "HTTP/1.1 101 Switching Protocols\r\n";
        let upgrade = "upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n";
        let chat = [("Sec-WebSocket-Protocol".to_owned(), "chat, other".to_owned())];
        let long = "x".repeat(1000);
        let cases = vec![
            (format!("{switch}{upgrade}{ACCEPT}\r\n"), &[][..], None),
            (format!("{switch}{upgrade}{ACCEPT}sec-websocket-protocol: other\r\n\r\n"), &chat[..], None),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(), &[], Some("websocket_refused")),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".into(), &[], Some("websocket_refused")),
            (format!("{switch}{ACCEPT}\r\n"), &[], Some("websocket_upgrade")),
            (
                format!("{switch}Upgrade: h2c\r\nConnection: Upgrade\r\n{ACCEPT}\r\n"),
                &[],
                Some("websocket_upgrade"),
            ),
            (format!("{switch}{upgrade}\r\n"), &[], Some("websocket_accept")),
            (
                format!("{switch}{upgrade}Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"),
                &[],
                Some("websocket_accept"),
            ),
            (
                format!("{switch}{upgrade}{ACCEPT}Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
                &[],
                Some("websocket_extension"),
            ),
            (
                format!("{switch}{upgrade}{ACCEPT}Sec-WebSocket-Protocol: chat\r\n\r\n"),
                &[],
                Some("websocket_subprotocol"),
            ),
            (format!("{switch}{upgrade}Sec-WebSocket-Accept: {long}\r\n\r\n"), &[], Some("websocket_accept")),
            (
                format!("{switch}{upgrade}{ACCEPT}Sec-WebSocket-Extensions: {long}\r\n\r\n"),
                &[],
                Some("websocket_extension"),
            ),
            (
                format!("{switch}{upgrade}{ACCEPT}Sec-WebSocket-Protocol: {long}\r\n\r\n"),
                &[],
                Some("websocket_subprotocol"),
            ),
            (format!("{switch}{upgrade}{ACCEPT}\r\n"), &chat, Some("websocket_subprotocol")),
            ("SSH-2.0-OpenSSH_9.6\r\n".into(), &[], Some("not_http")),
        ];
        for (answer, asked, expected) in cases {
            let mut handshake = Handshake::new(*NONCE);
            let opening = Opening::new(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", asked);
            assert_eq!(handshake.key(), KEY);
            match handshake.take(&mut answer.as_bytes(), &opening) {
                Ok(is_whole) => assert!(is_whole && expected.is_none(), "{answer}"),
                Err(failure) => {
                    assert_eq!(failure.cause, expected, "{answer}");
                    assert!(failure.explanation.len() < 160, "{}", failure.explanation);
                }
            }
        }
    }
}
