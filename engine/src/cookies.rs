//! Cookies that a user keeps, of the one host that a plan asks: RFC 6265, section 5.
//!
//! Their values are credentials: they are held here, written into requests, and shown nowhere.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

/// A user keeps so many; further ones are left out (RFC 6265, section 6.1: at least 50 of a domain).
const MOST_COOKIES: usize = 50;

/// Name and value of one together; a longer one is left out (as above: at least 4096 bytes).
const LONGEST_COOKIE_BYTES: usize = 4096;

/// A longer `Path` is none.
const LONGEST_PATH_BYTES: usize = 1024;

/// Whom cookies are for.
#[derive(Clone, Debug)]
pub struct CookieHost {
    name: String,
    is_secure: bool,
}

impl CookieHost {
    /// `host`: as the Host header names it. `is_secure`: it is asked over TLS.
    pub fn new(host: &str, is_secure: bool) -> CookieHost {
        let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let name = name.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        CookieHost { name, is_secure }
    }

    /// Domain-match: section 5.1.3.
    fn is_in(&self, domain: &str) -> bool {
        let is_below = || {
            self.name.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
                && self.name.parse::<IpAddr>().is_err()
        };
        self.name == domain || is_below()
    }
}

#[derive(Clone)]
struct Cookie {
    name: String,
    value: String,
    path: String,
    /// `None`: not before the end of the run.
    ends: Option<SystemTime>,
}

/// The cookies of one user, in the order in which they are sent: those of longer paths first, older ones before newer.
#[derive(Clone, Default)]
pub struct Jar {
    cookies: Vec<Cookie>,
    /// Those that the last answer replaced or deleted: it may quote them.
    gone: Vec<Cookie>,
}

/// Shows no value.
impl std::fmt::Debug for Jar {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.cookies.iter().map(|cookie| &cookie.name)).finish()
    }
}

impl Jar {
    /// Takes what an answer sets. `sent`: the request. `head`: of the answer.
    pub fn take(&mut self, host: &CookieHost, sent: &[u8], head: &[u8], now: SystemTime) {
        self.gone.clear();
        for line in head.split(|&byte| byte == b'\n') {
            let Some((name, value)) = split_at(line, b':') else { continue };
            if !name.eq_ignore_ascii_case(b"set-cookie") {
                continue;
            }
            if let Some(cookie) =
                std::str::from_utf8(value).ok().and_then(|text| parse(text, host, path_of(sent), now))
            {
                self.keep(cookie, now);
            }
        }
    }

    /// Section 5.3, from step 11 on.
    fn keep(&mut self, cookie: Cookie, now: SystemTime) {
        let is_over = cookie.ends.is_some_and(|ends| ends <= now);
        let known =
            self.cookies.iter().position(|other| other.name == cookie.name && other.path == cookie.path);
        if known.is_none() && !is_over && self.cookies.len() >= MOST_COOKIES {
            let has_ended = |other: &mut Cookie| other.ends.is_some_and(|ends| ends <= now);
            self.gone.extend(self.cookies.extract_if(.., has_ended));
        }
        match known {
            Some(place) if is_over => self.gone.push(self.cookies.remove(place)),
            Some(place) => self.gone.push(std::mem::replace(&mut self.cookies[place], cookie)),
            None if is_over || self.cookies.len() >= MOST_COOKIES => {}
            None => {
                let place = self.cookies.partition_point(|other| other.path.len() >= cookie.path.len());
                self.cookies.insert(place, cookie);
            }
        }
    }

    /// Appends the header for a request that stands in `out` from `begin` on, or nothing.
    pub fn write(&self, begin: usize, out: &mut Vec<u8>) {
        if self.cookies.is_empty() {
            return;
        }
        let mut between: &[u8] = b"Cookie: ";
        for cookie in &self.cookies {
            let is_over = || cookie.ends.is_some_and(|ends| ends <= SystemTime::now());
            if fits_path(path_of(&out[begin..]), &cookie.path) && !is_over() {
                out.extend_from_slice(between);
                out.extend_from_slice(cookie.name.as_bytes());
                out.push(b'=');
                out.extend_from_slice(cookie.value.as_bytes());
                between = b"; ";
            }
        }
        if between == b"; " {
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Forgets all.
    pub fn empty(&mut self) {
        self.cookies.clear();
        self.gone.clear();
    }

    /// Names and values, also of those that the last answer took away.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.cookies.iter().chain(&self.gone);
        all.map(|cookie| (cookie.name.as_str(), cookie.value.as_str()))
    }
}

fn split_at(line: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(byte, line)?;
    Some((&line[..at], &line[at + 1..]))
}

/// The path of a request's text, without its query.
fn path_of(request: &[u8]) -> &[u8] {
    let target = request.split(|&byte| byte == b' ').nth(1).unwrap_or(b"/");
    target.split(|&byte| byte == b'?').next().unwrap_or(b"/")
}

/// Path-match: section 5.1.4.
fn fits_path(path: &[u8], of_cookie: &str) -> bool {
    let rest = path.strip_prefix(of_cookie.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || of_cookie.ends_with('/') || rest[0] == b'/')
}

/// Section 5.1.4: up to the last slash, which is left out unless it is the first byte.
fn default_path(path: &[u8]) -> String {
    let end = memchr::memrchr(b'/', path).unwrap_or(0);
    String::from_utf8_lossy(if end == 0 { b"/" } else { &path[..end] }).into_owned()
}

/// Section 5.2. `None`: it is no cookie, or none for this host.
fn parse(text: &str, host: &CookieHost, path: &[u8], now: SystemTime) -> Option<Cookie> {
    let mut parts = text.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let is_refused = |text: &str| text.bytes().any(|byte| byte.is_ascii_control());
    if name.is_empty()
        || name.len() + value.len() > LONGEST_COOKIE_BYTES
        || is_refused(name)
        || is_refused(value)
    {
        return None;
    }
    let (mut ends, mut max_age) = (None, None);
    let mut own_path = None;
    for part in parts {
        let (attribute, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim();
        match attribute.trim().to_ascii_lowercase().as_str() {
            "expires" => ends = date(value).or(ends),
            "max-age" => max_age = seconds(value).or(max_age),
            "domain" => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                if !domain.is_empty() && !host.is_in(&domain) {
                    return None;
                }
            }
            "path" => own_path = Some(value).filter(|value| value.len() <= LONGEST_PATH_BYTES),
            "secure" if !host.is_secure => return None,
            _ => {}
        }
    }
    if let Some(seconds) = max_age {
        ends = if seconds == 0 {
            Some(SystemTime::UNIX_EPOCH)
        } else {
            now.checked_add(Duration::from_secs(seconds))
        };
    }
    let path =
        own_path.filter(|path| path.starts_with('/')).map_or_else(|| default_path(path), str::to_owned);
    Some(Cookie { name: name.to_owned(), value: value.to_owned(), path, ends })
}

/// Section 5.2.2: what is negative is over, and what no number holds lasts for ever.
fn seconds(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count = if digits.len() < text.len() { 0 } else { digits.parse().unwrap_or(u64::MAX) };
    is_number.then_some(count)
}

/// Section 5.1.1, which takes a date as any server writes it: in any order, with any zone, which is GMT.
fn date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != ':') {
        let number = token.parse::<u16>().ok();
        let parts: Vec<u8> = token.split(':').map_while(|part| part.parse().ok()).collect();
        let named = || {
            MONTHS.iter().find(|name| token.get(..3).is_some_and(|start| name.eq_ignore_ascii_case(start)))
        };
        match (number, token.len(), parts.as_slice()) {
            (None, _, &[hour, minute, second]) if time.is_none() => time = Some((hour, minute, second)),
            (Some(number), 1..=2, _) if day.is_none() => day = Some(number),
            (None, ..) if month.is_none() => month = named(),
            (Some(number), 2, _) if year.is_none() => {
                year = Some(number + if number < 70 { 2000 } else { 1900 });
            }
            (Some(number), 4, _) if year.is_none() => year = Some(number),
            _ => {}
        }
    }
    let ((hour, minute, second), day, month, year) = (time?, day?, month?, year?);
    let date = format!("Thu, {day:02} {month} {:04} {hour:02}:{minute:02}:{second:02} GMT", year.max(1970));
    let date = httpdate::parse_http_date(&date).ok()?; // looks at no weekday
    Some(if year < 1970 { SystemTime::UNIX_EPOCH } else { date })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> CookieHost {
        CookieHost::new("shop.example:8080", false)
    }

    fn take(jar: &mut Jar, path: &str, line: &str) {
        let head = format!("HTTP/1.1 200 OK\r\nX: y\r\nset-COOKIE: {line}\r\n\r\n");
        jar.take(&host(), format!("GET {path} HTTP/1.1\r\n").as_bytes(), head.as_bytes(), SystemTime::now());
    }

    fn sent(jar: &Jar, path: &str) -> String {
        let mut out = format!("before POST {path} HTTP/1.1\r\n").into_bytes();
        let front = out.len();
        jar.write("before ".len(), &mut out);
        String::from_utf8(out.split_off(front)).unwrap()
    }

    #[test]
    fn a_cookie_is_replaced_and_deleted() {
        let mut jar = Jar::default();
        assert_eq!(sent(&jar, "/"), "");
        take(&mut jar, "/login", "session=a1; HttpOnly; SameSite=Lax");
        take(&mut jar, "/login", " theme = \"dark\" ; Path=/");
        assert_eq!(sent(&jar, "/carts?page=2"), "Cookie: session=a1; theme=\"dark\"\r\n");
        take(&mut jar, "/", "session=b2=; Max-Age=60");
        assert_eq!(sent(&jar, "/"), "Cookie: session=b2=; theme=\"dark\"\r\n");
        for gone in [
            "session=; Max-Age=0",
            "session=x; Max-Age=-1; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
            "session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "session=; expires=Thu, 01-Jan-1970 00:00:00 GMT",
            "session=; expires=Thu, 01-Jan-70 00:00:01 GMT",
            "session=; expires=Thu, 01 Jan 1970 00:00:00 -0000",
            "session=; expires=Thu Jan  1 00:00:00 1970",
            "session=; expires=Mon, 1 january 1601 0:0:0 UTC",
            "session=; Max-Age=-99999999999999999999",
        ] {
            take(&mut jar, "/", "session=c3; Expires=Fri, 01 Jan 2100 00:00:00 GMT");
            assert_eq!(sent(&jar, "/").matches("session=c3").count(), 1);
            take(&mut jar, "/", gone);
            assert_eq!(sent(&jar, "/"), "Cookie: theme=\"dark\"\r\n", "{gone}");
        }
        for late in [
            "late=1; Max-Age=3600; Max-Age=soon",
            "late=1; Max-Age=99999999999999999999",
            "late=1; Max-Age=+0",
            "late=1; Expires=Fri, 31-Dec-69 23:59:59 GMT",
            "late=1; Expires=Thu, 01 Jan 1970",
            "late=1; Expires=Thu, 40 Jan 1970 00:00:00 GMT",
            "late=1; Expires=Thu, 01 Jan 1970 00:00:61 GMT; Expires=",
        ] {
            take(&mut jar, "/", "late=0; Max-Age=0");
            take(&mut jar, "/", late);
            assert!(sent(&jar, "/").contains("late=1"), "{late}");
        }
    }

    #[test]
    fn a_cookie_is_sent_where_its_path_is_longest_first() {
        let mut jar = Jar::default();
        take(&mut jar, "/a/b/c", "deep=1");
        take(&mut jar, "/", "all=1");
        take(&mut jar, "/", "shop=1; Path=/a");
        take(&mut jar, "/a/b", "other=1; Path=no-slash");
        assert_eq!(sent(&jar, "/a/b/d"), "Cookie: deep=1; shop=1; other=1; all=1\r\n");
        assert_eq!(sent(&jar, "/a/b"), "Cookie: deep=1; shop=1; other=1; all=1\r\n");
        assert_eq!(sent(&jar, "/ab"), "Cookie: all=1\r\n");
    }

    #[test]
    fn a_jar_shows_names_alone_and_knows_the_values_that_an_answer_took_away() {
        let mut jar = Jar::default();
        take(&mut jar, "/", "session=s3cret-1");
        assert_eq!(format!("{jar:?}"), "[\"session\"]");
        let values = |jar: &Jar| jar.values().map(|(_, value)| value.to_owned()).collect::<Vec<_>>();
        take(&mut jar, "/", "session=s3cret-2");
        assert_eq!(values(&jar), ["s3cret-2", "s3cret-1"]);
        take(&mut jar, "/", "session=; Max-Age=0");
        assert_eq!((values(&jar), sent(&jar, "/").as_str()), (vec!["s3cret-2".to_owned()], ""));
        take(&mut jar, "/", "theme=dark");
        assert_eq!(values(&jar), ["dark"]);
    }

    #[test]
    fn cookies_that_have_ended_leave_their_room() {
        let mut jar = Jar::default();
        (0..50).for_each(|number| take(&mut jar, "/", &format!("n{number}=1; Max-Age=60")));
        let head = b"HTTP/1.1 200 OK\r\nSet-Cookie: new=1\r\n\r\n";
        let later = SystemTime::now() + Duration::from_secs(61);
        jar.take(&host(), b"GET / HTTP/1.1\r\n", head, later);
        assert_eq!(sent(&jar, "/"), "Cookie: new=1\r\n");
    }

    #[test]
    fn what_is_no_cookie_of_this_host_is_left_out() {
        let mut jar = Jar::default();
        let long = format!("long={}", "x".repeat(LONGEST_COOKIE_BYTES));
        for line in
            ["", "; Path=/", "name", "=value", "a=1; Secure", "a=1; Domain=other.example", "a=b\u{7}", &long]
        {
            take(&mut jar, "/", line);
        }
        take(&mut jar, "/", "a=1; Domain=hop.example");
        assert_eq!(sent(&jar, "/"), "");
        take(&mut jar, "/", "a=1; Domain=.Example");
        assert_eq!(sent(&jar, "/"), "Cookie: a=1\r\n");
        (0..1000).for_each(|number| take(&mut jar, "/", &format!("n{number}=1")));
        assert_eq!(sent(&jar, "/").matches('=').count(), MOST_COOKIES);
        for (of, domain, fits) in
            [("127.0.0.1:80", "0.0.1", false), ("[::1]:80", "::1", true), ("a.b", "b", true)]
        {
            assert_eq!(CookieHost::new(of, true).is_in(domain), fits, "{of}");
        }
    }
}
