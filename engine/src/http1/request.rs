//! Requests, encoded once before the run.

use crate::plan::RequestPlan;

/// A request's bytes, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub struct EncodedRequest {
    /// Request line, headers and body.
    pub bytes: Vec<u8>,
    /// True for HEAD, whose answer has no body.
    pub is_head: bool,
}

/// Encodes a request. `keep_alive` false adds `Connection: close`.
///
/// # Errors
/// The key that does not fit and what is allowed.
pub fn encode(request: &RequestPlan, host: &str, keep_alive: bool) -> Result<EncodedRequest, String> {
    let RequestPlan { method, path, headers, body, .. } = request;
    if !is_token(method) {
        return Err(format!("method: {method:?} is not an HTTP token"));
    }
    if method == "CONNECT" {
        return Err("method: CONNECT asks for a tunnel, not for an answer".to_owned());
    }
    let is_target = |byte: u8| byte.is_ascii_graphic();
    if !(path.starts_with('/') || path == "*") || !path.bytes().all(is_target) {
        return Err(format!("path: {path:?} must start with / and hold visible ASCII only"));
    }
    if host.is_empty() || !host.bytes().all(is_target) {
        return Err(format!("host: {host:?} must be visible ASCII"));
    }
    let mut bytes = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
    for (name, value) in headers {
        if !is_token(name) {
            return Err(format!("headers: {name:?} is not an HTTP token"));
        }
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err(format!("headers: {name:?} is set by the engine (host, keep_alive, body)"));
        }
        if value.bytes().any(|byte| (byte < b' ' && byte != b'\t') || byte == 0x7F) {
            return Err(format!("headers: the value of {name:?} holds a control character"));
        }
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    if !keep_alive {
        bytes.extend_from_slice(b"Connection: close\r\n");
    }
    let takes_body = matches!(method.as_str(), "POST" | "PUT" | "PATCH");
    if body.is_some() || takes_body {
        let length = body.as_ref().map_or(0, String::len);
        bytes.extend_from_slice(format!("Content-Length: {length}\r\n").as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body.as_deref().unwrap_or("").as_bytes());
    Ok(EncodedRequest { bytes, is_head: method == "HEAD" })
}

/// Headers that follow from other keys of the plan.
const RESERVED: [&str; 4] = ["host", "connection", "content-length", "transfer-encoding"];

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn encoded(request: Value, keep_alive: bool) -> Result<String, String> {
        let request: RequestPlan = serde_json::from_value(request).unwrap();
        encode(&request, "example:80", keep_alive).map(|encoded| String::from_utf8(encoded.bytes).unwrap())
    }

    #[test]
    fn a_plain_get() {
        let text = encoded(json!({"path": "/a?b=c", "headers": [["accept", "text/plain"]]}), true);
        assert_eq!(text.unwrap(), "GET /a?b=c HTTP/1.1\r\nHost: example:80\r\naccept: text/plain\r\n\r\n");
    }

    #[test]
    fn a_body_brings_its_length_and_close_its_header() {
        let text = encoded(json!({"method": "POST", "path": "/", "body": "häh"}), false).unwrap();
        assert_eq!(
            text,
            "POST / HTTP/1.1\r\nHost: example:80\r\nConnection: close\r\nContent-Length: 4\r\n\r\nhäh"
        );
        assert!(encoded(json!({"method": "PUT", "path": "/"}), true).unwrap().contains("Content-Length: 0"));
    }

    #[test]
    fn what_would_break_the_framing_is_refused() {
        for (request, key) in [
            (json!({"path": "/a b"}), "path"),
            (json!({"path": "a"}), "path"),
            (json!({"path": "/", "method": "GE T"}), "method"),
            (json!({"path": "/", "headers": [["x", "a\r\nb: c"]]}), "headers"),
            (json!({"path": "/", "headers": [["x:", "a"]]}), "headers"),
            (json!({"path": "/", "headers": [["Content-Length", "3"]]}), "headers"),
        ] {
            let message = encoded(request, true).unwrap_err();
            assert!(message.starts_with(key), "{message}");
        }
    }
}
