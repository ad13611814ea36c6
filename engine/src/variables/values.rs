//! The values of a thread's connections.

use std::sync::Arc;
use std::time::SystemTime;

use super::hide::{hidden, holds};
use super::{Taking, VariableSources};
use crate::cookies::{CookieHost, Jar};
use crate::record::ErrorKind;
use crate::rows::Form;
use crate::verify::Answer;

/// The values of variables by connection, written out when they are taken: a request copies them.
#[derive(Default)]
pub struct Variables {
    names: Arc<[String]>,
    texts: Arc<[(usize, Form)]>,
    connections: Vec<Values>,
    cookies: Option<Cookies>,
    /// The connection whose request is rendered.
    current: usize,
}

/// Of one connection.
#[derive(Clone, Default)]
struct Values {
    /// By the place of a text.
    texts: Vec<Vec<u8>>,
    /// By variable, as a text; empty: none is taken.
    plain: Vec<String>,
}

/// What users keep of their answers.
#[derive(Debug)]
struct Cookies {
    host: CookieHost,
    /// By connection.
    jars: Vec<Jar>,
    /// Each user begins without any.
    is_of_journey: bool,
}

/// Shows no value.
impl std::fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Variables").field("names", &self.names).finish_non_exhaustive()
    }
}

impl Variables {
    /// None of so many connections has a value yet.
    pub fn new(sources: &VariableSources, connections: usize) -> Variables {
        let (names, texts) = (sources.names(), sources.texts());
        let values = Values { texts: vec![Vec::new(); texts.len()], plain: vec![String::new(); names.len()] };
        let connections = if names.is_empty() { 0 } else { connections };
        Variables { names, texts, connections: vec![values; connections], cookies: None, current: 0 }
    }

    /// The same, and each of so many connections keeps cookies. `is_of_journey`: until its next user begins.
    pub fn keeping_cookies(self, host: CookieHost, connections: usize, is_of_journey: bool) -> Variables {
        let jars = vec![Jar::default(); connections];
        Variables { cookies: Some(Cookies { host, jars, is_of_journey }), ..self }
    }

    /// True if anybody keeps cookies.
    pub fn keep_cookies(&self) -> bool {
        self.cookies.is_some()
    }

    /// A new user begins on the connection.
    #[inline]
    pub fn begin_user(&mut self, connection: usize) {
        if let Some(Cookies { jars, is_of_journey: true, .. }) = &mut self.cookies {
            jars[connection].empty();
        }
    }

    /// Appends the header of the connection's cookies to a request that stands in `out` from `begin` on.
    pub fn write_cookies(&self, begin: usize, out: &mut Vec<u8>) {
        if let Some(cookies) = &self.cookies {
            cookies.jars[self.current].write(begin, out);
        }
    }

    /// Takes the cookies of an answer, whatever its status, if they are kept.
    pub fn take_cookies(&mut self, connection: usize, sent: &[u8], answer: &Answer<'_>) {
        if let Some(Cookies { host, jars, .. }) = &mut self.cookies {
            jars[connection].take(host, sent, answer.head, SystemTime::now());
        }
    }

    /// What is rendered next is for this connection.
    #[inline]
    pub fn turn_to(&mut self, connection: usize) {
        self.current = connection;
    }

    /// A text of the connection's.
    #[inline]
    pub fn text(&self, place: usize) -> &[u8] {
        &self.connections[self.current].texts[place]
    }

    /// Takes the value of a variable for a connection. `cell`: JSON, a text, a number or a boolean.
    ///
    /// # Errors
    /// Why it cannot be sent; the value is not quoted.
    pub fn take(&mut self, connection: usize, variable: usize, cell: &str) -> Result<(), String> {
        let values = &mut self.connections[connection];
        for (place, &(of, form)) in self.texts.iter().enumerate() {
            if of == variable {
                values.texts[place].clear();
                form.write(cell, &mut values.texts[place])?;
            }
        }
        let mut plain = Vec::new();
        Form::Text.write(cell, &mut plain)?;
        let is_boolean = matches!(cell, "true" | "false");
        values.plain[variable] =
            if is_boolean { String::new() } else { String::from_utf8_lossy(&plain).into_owned() };
        Ok(())
    }

    /// Takes all that a connection's answer has.
    ///
    /// # Errors
    /// What is wrong with the answer, and why; no value is quoted.
    pub fn take_all(
        &mut self,
        connection: usize,
        takes: &[Taking],
        answer: &Answer<'_>,
    ) -> Result<(), (ErrorKind, String)> {
        let is_whole = answer.body_bytes == answer.body.len() as u64;
        for taking in takes {
            if taking.is_in_body() && !is_whole {
                return Err((ErrorKind::WrongLength, "the body is too long to be looked at".to_owned()));
            }
            let kind = if taking.is_in_body() { ErrorKind::WrongBody } else { ErrorKind::WrongHeader };
            let cell = taking.value(answer.head, answer.body);
            cell.and_then(|cell| self.take(connection, taking.variable, &cell))
                .map_err(|reason| (kind, reason))?;
        }
        Ok(())
    }

    /// True if nothing is ever taken.
    pub fn are_none(&self) -> bool {
        self.names.is_empty() && self.cookies.is_none()
    }

    /// Whether a body holds a value of the connection that it came on.
    pub fn are_in(&self, connection: usize, body: &[u8]) -> bool {
        let own = self.connections.get(connection).into_iter().flat_map(|values| &values.plain);
        let jar = self.cookies.iter().flat_map(|cookies| cookies.jars[connection].values());
        holds(body, own.map(String::as_str).chain(jar.map(|(_, value)| value)))
    }

    /// A text with `{{var NAME}}` in place of each value of any connection, or of the cookie of this name.
    pub fn hidden(&self, text: &str) -> String {
        let values = self.connections.iter().flat_map(|values| self.names.iter().zip(&values.plain));
        let values = values.map(|(name, value)| (name.as_str(), value.as_str()));
        let jars = self.cookies.iter().flat_map(|cookies| &cookies.jars);
        hidden(text, values.chain(jars.flat_map(Jar::values)))
    }
}
