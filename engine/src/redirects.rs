//! Redirects that a user follows, to the one origin that a plan asks: RFC 9110, section 15.4; where a reference leads:
//! RFC 3986, section 5.2.

use std::sync::Arc;

use memchr::memmem;

use crate::http1::field_values;
use crate::variables::Variables;

/// Whom requests may be sent to.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Name and port, in lower case.
    host: Arc<str>,
    is_secure: bool,
}

/// What a redirect asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The request target: path and query.
    target: String,
    /// The method becomes GET, and the body is left out.
    becomes_get: bool,
}

/// True for a status that names, in Location, where to ask next.
pub fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

impl Origin {
    /// `host`: as the Host header names it. `is_secure`: it is asked over TLS.
    pub fn new(host: &str, is_secure: bool) -> Origin {
        Origin { host: with_port(host, is_secure).into(), is_secure }
    }

    /// What the redirect with this status and this head asks for, behind a request that was `sent`.
    ///
    /// # Errors
    /// Why it cannot be followed; no path is quoted, which may hold a credential.
    pub fn redirect(&self, status: u16, head: &[u8], sent: &[u8]) -> Result<Redirect, String> {
        let mut words = sent.split(|&byte| byte == b' ');
        let (method, before) = (words.next().unwrap_or_default(), words.next().unwrap_or(b"/"));
        let location = field_values(head, "location").find_map(|value| std::str::from_utf8(value).ok());
        let location = location.ok_or("the redirect has no Location")?;
        let before = std::str::from_utf8(before).unwrap_or("/");
        let becomes_get = match status {
            301 | 302 => method == b"POST",
            303 => !matches!(method, b"GET" | b"HEAD"),
            _ => false,
        };
        Ok(Redirect { target: self.target(location, before)?, becomes_get })
    }

    /// Where a reference leads that an answer to this target holds.
    fn target(&self, reference: &str, before: &str) -> Result<String, String> {
        let reference = reference.split('#').next().unwrap_or_default();
        if !reference.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the redirect's Location is no URI".to_owned());
        }
        let end = reference.find(['/', '?']).unwrap_or(reference.len());
        let (is_secure, rest) = match reference[..end].split_once(':') {
            None => (self.is_secure, reference),
            Some((scheme, _)) => {
                let is_secure = scheme.eq_ignore_ascii_case("https");
                if !is_secure && !scheme.eq_ignore_ascii_case("http") {
                    return Err("the redirect leads to another scheme than http and https".to_owned());
                }
                (is_secure, &reference[scheme.len() + 1..])
            }
        };
        let Some(behind) = rest.strip_prefix("//") else {
            return Ok(match rest.as_bytes().first() {
                _ if rest.len() < reference.len() => {
                    return Err("the redirect's Location names no host".to_owned());
                }
                None => before.to_owned(),
                Some(b'/') => without_dots(rest),
                Some(b'?') => format!("{}{rest}", before.split('?').next().unwrap_or("/")),
                Some(_) => {
                    let path = before.split('?').next().unwrap_or("/");
                    without_dots(&format!("{}{rest}", &path[..path.rfind('/').map_or(0, |at| at + 1)]))
                }
            });
        };
        let (authority, path) = behind.split_at(behind.find(['/', '?']).unwrap_or(behind.len()));
        if is_secure != self.is_secure || with_port(authority, is_secure) != *self.host {
            let scheme = if is_secure { "https" } else { "http" };
            let host = authority.rsplit('@').next().unwrap_or_default();
            return Err(format!("the redirect leads to another origin, {scheme}://{host}"));
        }
        Ok(without_dots(&if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }))
    }
}

impl Redirect {
    /// Makes the request that follows out of the one before, with the cookies of whom `variables` are turned to.
    /// `closes`: it is the connection's last one.
    pub fn rewrite(&self, request: &mut Vec<u8>, closes: bool, variables: &Variables) {
        let before = std::mem::take(request);
        let head_end = memmem::find(&before, b"\r\n\r\n").unwrap_or(before.len());
        let mut lines = before[..head_end].split(|&byte| byte == b'\n');
        let method = lines.next().and_then(|line| line.split(|&byte| byte == b' ').next());
        let method = if self.becomes_get { b"GET" } else { method.unwrap_or(b"GET") };
        for part in [method, b" ", self.target.as_bytes(), b" HTTP/1.1\r\n"] {
            request.extend_from_slice(part);
        }
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let name = line.split(|&byte| byte == b':').next().unwrap_or_default().to_ascii_lowercase();
            let is_of_body = name.starts_with(b"content-") || name == b"transfer-encoding";
            let is_rewritten = name == b"connection" || (name == b"cookie" && variables.keep_cookies());
            let is_left_out = is_rewritten || (is_of_body && self.becomes_get);
            if !is_left_out {
                request.extend_from_slice(line);
                request.extend_from_slice(b"\r\n");
            }
        }
        variables.write_cookies(0, request);
        if closes {
            request.extend_from_slice(b"Connection: close\r\n");
        }
        request.extend_from_slice(b"\r\n");
        if !self.becomes_get {
            request.extend_from_slice(before.get(head_end + 4..).unwrap_or_default());
        }
    }
}

/// An authority in lower case, with the port that it has without naming it.
fn with_port(authority: &str, is_secure: bool) -> String {
    let name = authority.to_ascii_lowercase();
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once(':') {
        Some((_, port)) if is_port(port) && !port.is_empty() => name,
        Some((host, "")) => with_port(host, is_secure),
        _ => format!("{name}:{}", if is_secure { 443 } else { 80 }),
    }
}

/// Section 5.2.4; the query is left as it is.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (place, segment) in segments.iter().enumerate() {
        let is_last = place + 1 == segments.len();
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    format!("/{}{query}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(origin: &str, status: u16, location: &str, sent: &str) -> Result<Redirect, String> {
        let head = format!("HTTP/1.1 {status} X\r\nX: y\r\nlocation:  {location} \r\n\r\n");
        Origin::new(origin, false).redirect(status, head.as_bytes(), sent.as_bytes())
    }

    #[test]
    fn a_reference_is_resolved_as_its_rfc_says() {
        let to = |location: &str| {
            redirect("Shop.example:80", 302, location, "GET /a/b?c=d HTTP/1.1\r\n").map(|found| found.target)
        };
        for (location, target) in [
            ("/x?y=/../z#part", "/x?y=/../z"),
            ("x", "/a/x"),
            ("../../x/./y/..", "/x/"),
            ("?q", "/a/b?q"),
            ("", "/a/b?c=d"),
            ("#part", "/a/b?c=d"),
            ("//shop.EXAMPLE/x", "/x"),
            ("http://shop.example", "/"),
            ("HTTP://shop.example:80?q", "/?q"),
            ("/x:y", "/x:y"),
        ] {
            assert_eq!(to(location).as_deref(), Ok(target), "{location}");
        }
        for (location, reason) in [
            ("https://shop.example/", "another origin, https://shop.example"),
            ("http://shop.example:8080/s3cret", "another origin, http://shop.example:8080"),
            ("//user:s3cret@shop.example/", "another origin, http://shop.example"),
            ("ftp://shop.example/", "another scheme"),
            ("javascript:alert(1)", "another scheme"),
            ("http:/x", "names no host"),
            ("/\u{e9}", "no URI"),
            ("/a b", "no URI"),
        ] {
            let text = to(location).unwrap_err();
            assert!(text.contains(reason) && !text.contains("s3cret"), "{location}: {text}");
        }
        let none = Origin::new("h", false).redirect(302, b"HTTP/1.1 302 X\r\n\r\n", b"GET / HTTP/1.1\r\n");
        assert_eq!(none.unwrap_err(), "the redirect has no Location");
        assert!(Origin::new("[::1]:443", true).target("https://[::1]/x", "/").is_ok());
    }

    #[test]
    fn the_method_stays_or_becomes_get_as_its_rfc_says() {
        let body = "Content-Type: a/b\r\nX-Token: t\r\nContent-Length: 3\r\n\r\nabc";
        for (status, method, becomes_get) in [
            (301, "POST", true),
            (302, "POST", true),
            (303, "PUT", true),
            (303, "HEAD", false),
            (301, "PUT", false),
            (307, "POST", false),
            (308, "POST", false),
        ] {
            let sent = format!("{method} /a HTTP/1.1\r\nHost: h\r\n{body}");
            let found = redirect("h", status, "/b", &sent).unwrap();
            let mut request = sent.into_bytes();
            found.rewrite(&mut request, status == 308, &Variables::default());
            let close = if status == 308 { "Connection: close\r\n" } else { "" };
            let expected = if becomes_get {
                format!("GET /b HTTP/1.1\r\nHost: h\r\nX-Token: t\r\n{close}\r\n")
            } else {
                let (head, body) = body.split_once("\r\n\r\n").unwrap();
                format!("{method} /b HTTP/1.1\r\nHost: h\r\n{head}\r\n{close}\r\n{body}")
            };
            assert_eq!(String::from_utf8(request).unwrap(), expected, "{status} {method}");
        }
    }
}
