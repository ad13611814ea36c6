//! Requests as HTTP/2 writes them, made of the text that HTTP/1.1 sends.

use bytes::Bytes;
use http::header::HeaderName;
use http::uri::{PathAndQuery, Scheme};
use http::{HeaderMap, HeaderValue, Method, Request, Uri, Version};

use crate::http1::head_end;

/// A request, ready to be sent on a stream.
#[derive(Clone, Debug)]
pub struct Encoded {
    pub head: Request<()>,
    pub body: Bytes,
}

/// Headers of a connection, which a request over HTTP/2 or HTTP/3 must not have (RFC 9113, 8.2.2; RFC 9114, 4.2).
const OF_CONNECTIONS: [&str; 4] = ["keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// Whether a request with these headers can be sent over HTTP/2 or HTTP/3, as the `protocol` is called.
///
/// # Errors
/// The header that cannot.
pub fn check(headers: &[(String, String)], protocol: &str) -> Result<(), String> {
    for (name, value) in headers {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if OF_CONNECTIONS.into_iter().any(is) {
            return Err(format!("headers: {protocol} has no {name:?}"));
        }
        if is("te") && value.trim() != "trailers" {
            return Err(format!("headers: over {protocol}, {name:?} can be \"trailers\" only"));
        }
    }
    Ok(())
}

/// Encodes a request. `text`: as HTTP/1.1 writes it.
///
/// # Errors
/// What HTTP/2 cannot say.
pub(super) fn encode(text: &[u8], scheme: &Scheme) -> Result<Encoded, String> {
    let end = head_end(text, 0).ok_or("it has no head")?;
    let (head, body) = text.split_at(end);
    let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut words = lines.next().unwrap_or_default().split(|&byte| byte == b' ');
    let method = Method::from_bytes(words.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let path =
        PathAndQuery::try_from(words.next().unwrap_or_default()).map_err(|error| format!("path: {error}"))?;
    let (mut headers, mut authority) = (HeaderMap::new(), &b""[..]);
    for line in lines.filter(|line| !line.is_empty()) {
        let colon = memchr::memchr(b':', line).ok_or("a header has no colon")?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"host") {
            authority = value;
            continue;
        }
        let name = HeaderName::from_bytes(name).map_err(|error| error.to_string())?;
        let value = HeaderValue::from_bytes(value).map_err(|error| format!("{name}: {error}"))?;
        headers.append(name, value);
    }
    let uri = Uri::builder()
        .scheme(scheme.clone())
        .authority(authority)
        .path_and_query(path)
        .build()
        .map_err(|error| error.to_string())?;
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.version_mut() = Version::HTTP_2;
    *request.headers_mut() = headers;
    Ok(Encoded { head: request, body: Bytes::copy_from_slice(body) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_keeps_its_parts() {
        let text = b"POST /a?b=c HTTP/1.1\r\nHost: there:81\r\nX-One: 1\r\nx-one: 2\r\nContent-Length: 3\r\n\r\na\nb";
        let Encoded { head, body } = encode(text, &Scheme::HTTP).unwrap();
        assert_eq!(
            (head.method(), head.uri().to_string().as_str()),
            (&Method::POST, "http://there:81/a?b=c")
        );
        let ones: Vec<_> = head.headers().get_all("x-one").iter().collect();
        assert_eq!(ones, ["1", "2"]);
        assert_eq!(head.headers()["content-length"], "3");
        assert!(!head.headers().contains_key("host"));
        assert_eq!(body, &b"a\nb"[..]);
    }

    #[test]
    fn headers_of_connections_are_refused() {
        let header = |name: &str| [(name.to_owned(), "x".to_owned())];
        assert_eq!(check(&header("Upgrade"), "HTTP/3").unwrap_err(), "headers: HTTP/3 has no \"Upgrade\"");
        assert!(check(&header("TE"), "HTTP/2").unwrap_err().ends_with("\"TE\" can be \"trailers\" only"));
        assert!(check(&header("X-Upgrade"), "HTTP/2").is_ok());
        assert!(check(&[("TE".to_owned(), "trailers".to_owned())], "HTTP/2").is_ok());
    }
}
