//! Answers, rendered before they are asked for.

use super::request::{Asked, Reuse};

/// Copies of a small answer stand behind each other up to this size, so that pipelined requests cost one call.
const COPIES_BYTES: usize = 16 * 1024;

/// What a target answers.
#[derive(Clone, Debug)]
pub struct AnswerSpec {
    /// 200 to 599; with 204 and 304 there is no body.
    pub status: u16,
    /// The Content-Type.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// One answer, some number of times.
pub(super) struct Copies {
    bytes: Vec<u8>,
    pub one_bytes: usize,
    pub count: u64,
}

impl Copies {
    fn new(answer: &[u8]) -> Copies {
        let count = (COPIES_BYTES / answer.len()).max(1);
        Copies { bytes: answer.repeat(count), one_bytes: answer.len(), count: count as u64 }
    }

    /// `answers` answers without the first `offset` bytes, or as many of them as there are copies.
    #[inline]
    pub(super) fn slice(&self, offset: usize, answers: u64) -> &[u8] {
        &self.bytes[offset..answers.min(self.count) as usize * self.one_bytes]
    }
}

/// The answers for every way of asking.
pub(super) struct RenderedAnswers {
    by_asked: Vec<Copies>,
}

impl RenderedAnswers {
    pub(super) fn new(spec: &AnswerSpec) -> RenderedAnswers {
        let by_asked = Asked::all().map(|asked| Copies::new(&render(spec, asked))).collect();
        RenderedAnswers { by_asked }
    }

    #[inline]
    pub(super) fn get(&self, asked: Asked) -> &Copies {
        &self.by_asked[asked.place()]
    }
}

/// An answer, and where its body begins.
pub(super) struct Rendered {
    pub bytes: Vec<u8>,
    pub head_bytes: usize,
}

impl Rendered {
    pub(super) fn new(spec: &AnswerSpec, asked: Asked) -> Rendered {
        let bytes = render(spec, asked);
        let has_body = has_body(spec.status) && !asked.is_head;
        let head_bytes = bytes.len() - if has_body { spec.body.len() } else { 0 };
        Rendered { bytes, head_bytes }
    }
}

/// By HTTP's rules.
pub(super) fn has_body(status: u16) -> bool {
    !matches!(status, 204 | 304)
}

fn render(spec: &AnswerSpec, asked: Asked) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", spec.status, reason(spec.status));
    let has_body = has_body(spec.status);
    if has_body {
        head += &format!("Content-Type: {}\r\nContent-Length: {}\r\n", spec.content_type, spec.body.len());
    }
    head += match asked.reuse {
        Reuse::Default => "",
        Reuse::KeepAlive => "Connection: keep-alive\r\n",
        Reuse::Close => "Connection: close\r\n",
    };
    head += "\r\n";
    let mut answer = head.into_bytes();
    if has_body && !asked.is_head {
        answer.extend_from_slice(&spec.body);
    }
    answer
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Other",
    }
}
