//! Requests, encoded once before the run, or compiled to templates.

use std::borrow::Cow;

use crate::plan::{BodyPartPlan, JourneyStep, RequestPlan};
use crate::record::AcknowledgedNumbers;
use crate::session::Chain;
use crate::template::{Message, MessageBuilder, Part, Position, Sources, parse};
use crate::variables::Taking;

/// A request, ready to be sent any number of times.
#[derive(Clone, Debug)]
pub struct EncodedRequest {
    /// As the plan calls it.
    pub name: String,
    /// Request line, headers and body.
    pub message: Message,
    /// True for HEAD, whose answer has no body.
    pub is_head: bool,
    /// Where its first sequence begins, if the numbers of it that are answered right are to be kept.
    pub acknowledged_from: Option<u64>,
    /// The variables that its answer has.
    pub takes: Vec<Taking>,
    /// What it is in its journey.
    pub step: Option<JourneyStep>,
    /// What it asks for beyond one exchange.
    pub chain: Option<Box<Chain>>,
}

impl EncodedRequest {
    /// It is a user's first one.
    #[inline]
    pub fn begins_user(&self) -> bool {
        self.step.is_none_or(|step| step.step == 0)
    }
}

/// By place in the mix, where the verified numbers of the requests are kept that ask for it.
pub fn acknowledged_numbers(requests: &[EncodedRequest]) -> Vec<Option<AcknowledgedNumbers>> {
    requests.iter().map(|request| request.acknowledged_from.map(AcknowledgedNumbers::new)).collect()
}

/// Encodes a request, without what is taken of its answer. `file_body`: what its `body_file` or `body_base64` holds.
/// `sources`: what its placeholders take from.
///
/// # Errors
/// The key that does not fit and what is allowed.
pub fn encode(
    request: &RequestPlan,
    host: &str,
    file_body: Option<&[u8]>,
    sources: Sources<'_>,
) -> Result<EncodedRequest, String> {
    let RequestPlan { method, path, headers, body, template, .. } = request;
    if !is_token(method) {
        return Err(format!("method: {method:?} is not an HTTP token"));
    }
    if method == "CONNECT" {
        return Err("method: CONNECT asks for a tunnel, not for an answer".to_owned());
    }
    check_path(path, *template)?;
    if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("host: {host:?} must be visible ASCII"));
    }
    let mut builder = MessageBuilder::new(sources);
    if sources.is_websocket {
        return message(request, file_body, builder);
    }
    let add = |builder: &mut MessageBuilder<'_>, key: &str, text: &str, position| {
        if *template {
            return builder.template(text, position).map_err(|error| format!("{key}: {error}"));
        }
        builder.bytes(text.as_bytes());
        Ok(())
    };
    builder.bytes(format!("{method} ").as_bytes());
    add(&mut builder, "path", path, Position::Path)?;
    builder.bytes(format!(" HTTP/1.1\r\nHost: {host}\r\n").as_bytes());
    for (name, value) in headers {
        check_header(name, value)?;
        if sources.is_traced && name.eq_ignore_ascii_case("traceparent") {
            return Err(format!("headers: {name:?} is set by trace_share; leave out one of them"));
        }
        builder.bytes(format!("{name}: ").as_bytes());
        add(&mut builder, "headers", value, Position::Header)?;
        builder.bytes(b"\r\n");
    }
    if sources.has_cookies {
        if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("cookie")) {
            return Err("headers: Cookie is what `cookies` keeps; leave out one of them".to_owned());
        }
        builder.cookie_header();
    }
    if sources.is_traced {
        builder.trace_header();
    }
    builder.close_header();
    if request.chunked {
        builder.begin_chunks();
    } else if !request.body_parts.is_empty() {
        builder.begin_counted_body();
    }
    for (place, part) in request.body_parts.iter().enumerate() {
        let key = format!("body_parts[{place}]");
        match part {
            BodyPartPlan::Text(text) => add(&mut builder, &key, text, Position::Body)?,
            BodyPartPlan::File(path) => {
                let bytes =
                    std::fs::read(path).map_err(|error| format!("{key}: {}: {error}", path.display()))?;
                builder.bytes(&bytes);
            }
        }
    }
    let body = match (file_body, body) {
        (Some(bytes), _) if request.chunked => {
            builder.bytes(bytes);
            None
        }
        (None, Some(text)) if request.chunked => {
            add(&mut builder, "body", text, Position::Body)?;
            None
        }
        (Some(bytes), _) => Some(Cow::Borrowed(bytes)),
        (None, Some(text)) if *template => {
            builder.begin_counted_body();
            add(&mut builder, "body", text, Position::Body)?;
            None
        }
        (None, Some(text)) => Some(Cow::Borrowed(text.as_bytes())),
        (None, None) if !request.body_parts.is_empty() => None,
        // Without a length a server would not know that there is none.
        (None, None) if matches!(method.as_str(), "POST" | "PUT" | "PATCH") => Some(Cow::Borrowed(&b""[..])),
        (None, None) => {
            builder.bytes(b"\r\n");
            None
        }
    };
    if let Some(body) = body {
        builder.bytes(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        builder.bytes(&body);
    }
    encoded(request, builder.finish()?)
}

fn encoded(request: &RequestPlan, message: Message) -> Result<EncodedRequest, String> {
    let RequestPlan { method, acknowledge, .. } = request;
    if request.expect.location_field.is_some() && !message.draws_rows() {
        return Err("expect.location_field: needs \"template\": true and a {{field NAME}}".to_owned());
    }
    let acknowledged_from = match message.first_sequence() {
        _ if !*acknowledge => None,
        Some(first) => Some(first.from),
        None => return Err("acknowledge: needs \"template\": true and a {{sequence N}}".to_owned()),
    };
    Ok(EncodedRequest {
        name: request.name.clone(),
        message,
        is_head: method == "HEAD",
        acknowledged_from,
        takes: Vec::new(),
        step: None,
        chain: None,
    })
}

/// The same for what goes over WebSocket: a request's body alone.
fn message(
    request: &RequestPlan,
    file_body: Option<&[u8]>,
    mut builder: MessageBuilder<'_>,
) -> Result<EncodedRequest, String> {
    match (file_body, &request.body) {
        (Some(bytes), _) => builder.bytes(bytes),
        (None, Some(text)) if request.template => {
            builder.template(text, Position::Body).map_err(|error| format!("body: {error}"))?;
        }
        (None, text) => builder.bytes(text.as_deref().unwrap_or_default().as_bytes()),
    }
    encoded(request, builder.finish()?)
}

/// Headers that follow from other keys of the plan.
const RESERVED: [&str; 4] = ["host", "connection", "content-length", "transfer-encoding"];

fn check_path(path: &str, is_template: bool) -> Result<(), String> {
    let is_target = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let holds_target = if is_template {
        let parts = parse(path).map_err(|error| format!("path: {error}"))?;
        parts.iter().all(|part| !matches!(part, Part::Text(text) if !is_target(text)))
    } else {
        is_target(path)
    };
    if !(path.starts_with('/') || path == "*") || !holds_target {
        return Err(format!("path: {path:?} must start with / and hold visible ASCII only"));
    }
    Ok(())
}

fn check_header(name: &str, value: &str) -> Result<(), String> {
    if !is_token(name) {
        return Err(format!("headers: {name:?} is not an HTTP token"));
    }
    if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
        return Err(format!("headers: {name:?} is set by the engine (host, requests_per_connection, body)"));
    }
    if value.bytes().any(|byte| (byte < b' ' && byte != b'\t') || byte == 0x7F) {
        return Err(format!("headers: the value of {name:?} holds a control character"));
    }
    Ok(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::template::Renderer;

    fn text_of(request: Value, closes: bool) -> Result<String, String> {
        let request: RequestPlan = serde_json::from_value(request).unwrap();
        let encoded = encode(&request, "example:80", None, Sources::default())?;
        let mut bytes = Vec::new();
        encoded.message.render(closes, &mut Renderer::new(1, 0), &mut bytes);
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_plain_get() {
        let text = text_of(json!({"path": "/a?b=c", "headers": [["accept", "text/plain"]]}), false);
        assert_eq!(text.unwrap(), "GET /a?b=c HTTP/1.1\r\nHost: example:80\r\naccept: text/plain\r\n\r\n");
    }

    #[test]
    fn a_body_brings_its_length_and_close_its_header() {
        let text = text_of(json!({"method": "POST", "path": "/", "body": "häh"}), true).unwrap();
        assert_eq!(
            text,
            "POST / HTTP/1.1\r\nHost: example:80\r\nConnection: close\r\nContent-Length: 4\r\n\r\nhäh"
        );
        assert!(text_of(json!({"method": "PUT", "path": "/"}), false).unwrap().contains("Content-Length: 0"));
    }

    #[test]
    fn a_body_from_a_file_is_taken_as_it_is() {
        let request: RequestPlan =
            serde_json::from_value(json!({"method": "POST", "path": "/", "template": true})).unwrap();
        let encoded = encode(&request, "h", Some(b"\xff{{x}}"), Sources::default()).unwrap();
        assert!(encoded.message.fixed(false).unwrap().ends_with(b"Content-Length: 6\r\n\r\n\xff{{x}}"));
    }

    #[test]
    fn a_body_of_parts_has_texts_and_files_one_behind_the_other() {
        let file = std::env::temp_dir().join(format!("body-part-{}", std::process::id()));
        std::fs::write(&file, b"{{x}}").unwrap();
        for (chunked, framing) in [
            (false, "Content-Length: 8\r\n\r\n<7{{x}}>"),
            (true, "chunked\r\n\r\n8\r\n<7{{x}}>\r\n0\r\n\r\n"),
        ] {
            let parts = json!([{"text": "<{{sequence 7}}"}, {"file": file}, {"text": ">"}]);
            let text = text_of(
                json!({"method": "POST", "path": "/", "template": true, "chunked": chunked, "body_parts": parts}),
                false,
            );
            assert!(text.as_ref().unwrap().ends_with(framing), "{text:?}");
        }
        std::fs::remove_file(&file).unwrap();
        let text = text_of(json!({"method": "POST", "path": "/", "body_parts": [{"file": file}]}), false);
        assert!(text.unwrap_err().starts_with("body_parts[0]: "));
    }

    #[test]
    fn templates_are_rendered_only_where_asked_for() {
        let request = |template: bool| {
            json!({"method": "POST", "path": "/{{sequence 7}}", "template": template,
                   "headers": [["x-n", "{{sequence 7}}"]], "body": "<{{sequence 7}}>"})
        };
        assert_eq!(
            text_of(request(true), false).unwrap(),
            "POST /7 HTTP/1.1\r\nHost: example:80\r\nx-n: 7\r\nContent-Length: 3\r\n\r\n<7>"
        );
        assert!(text_of(request(false), false).unwrap_err().contains("visible ASCII"));
        let plain = json!({"path": "/{{a}}", "body": "{{sequence 7}}"});
        assert!(text_of(plain, false).unwrap().ends_with("Content-Length: 14\r\n\r\n{{sequence 7}}"));
    }

    #[test]
    fn a_body_may_be_sent_in_chunks() {
        let request = |body: &str, template: bool| {
            let body = json!(body);
            json!({"method": "POST", "path": "/", "body": body, "template": template, "chunked": true})
        };
        let head = "POST / HTTP/1.1\r\nHost: example:80\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(text_of(request("häh", false), false).unwrap(), format!("{head}4\r\nhäh\r\n0\r\n\r\n"));
        assert_eq!(
            text_of(request("<{{sequence 7}}>", true), false).unwrap(),
            format!("{head}3\r\n<7>\r\n0\r\n\r\n")
        );
        assert_eq!(text_of(request("", false), false).unwrap(), format!("{head}0\r\n\r\n"));
        let long = text_of(request(&"x".repeat(20_000), false), true).unwrap();
        assert!(long.contains("\r\nConnection: close\r\n"));
        let chunks: Vec<&str> = long.split_once("\r\n\r\n").unwrap().1.split("\r\n").collect();
        assert_eq!((chunks[0], chunks[2], chunks[4], chunks[6]), ("2000", "2000", "e20", "0"));
        assert_eq!([1, 3, 5].map(|place| chunks[place].len()), [8192, 8192, 3616]);
    }

    #[test]
    fn over_http_2_no_chunk_says_what_frames_do() {
        let request: RequestPlan = serde_json::from_value(
            json!({"method": "PUT", "path": "/", "body": "{{uniform 7 7}}", "template": true, "chunked": true}),
        )
        .unwrap();
        let encoded = encode(&request, "h", None, Sources { is_http2: true, ..Sources::default() }).unwrap();
        let mut bytes = Vec::new();
        encoded.message.render(false, &mut Renderer::new(1, 0), &mut bytes);
        assert_eq!(bytes, b"PUT / HTTP/1.1\r\nHost: h\r\n\r\n7");
    }

    #[test]
    fn only_numbered_requests_can_be_acknowledged() {
        for (template, path, fits) in
            [(true, "/{{sequence 1}}", true), (true, "/{{uniform 1 2}}", false), (false, "/", false)]
        {
            let request = json!({"path": path, "template": template, "acknowledge": true});
            let line = text_of(request, false).err();
            assert_eq!(line.is_none(), fits);
            assert!(line.is_none_or(|line| line.starts_with("acknowledge: ")));
        }
    }

    #[test]
    fn what_would_break_the_framing_is_refused() {
        for (request, key) in [
            (json!({"path": "/a b"}), "path"),
            (json!({"path": "a"}), "path"),
            (json!({"path": "/a b{{sequence 1}}", "template": true}), "path"),
            (json!({"path": "/{{sequense 1}}", "template": true}), "path: {{sequense 1}}"),
            (json!({"path": "/", "body": "{{field id}}", "template": true}), "body: {{field id}}"),
            (json!({"path": "/", "headers": [["x", "{{"]], "template": true}), "headers: \"{{\""),
            (json!({"path": "/", "method": "GE T"}), "method"),
            (json!({"path": "/", "headers": [["x", "a\r\nb: c"]]}), "headers"),
            (json!({"path": "/", "headers": [["x:", "a"]]}), "headers"),
            (json!({"path": "/", "headers": [["Content-Length", "3"]]}), "headers"),
        ] {
            let message = text_of(request, false).unwrap_err();
            assert!(message.starts_with(key), "{message}");
        }
    }
}
