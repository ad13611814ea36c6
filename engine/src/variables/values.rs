//! The values of a thread's connections.

use std::sync::Arc;

use super::hide::hidden;
use super::{Taking, VariableSources};
use crate::record::ErrorKind;
use crate::rows::Form;
use crate::verify::Answer;

/// The values of variables by connection, written out when they are taken: a request copies them.
#[derive(Default)]
pub struct Variables {
    names: Arc<[String]>,
    texts: Arc<[(usize, Form)]>,
    connections: Vec<Values>,
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
        Variables { names, texts, connections: vec![values; connections], current: 0 }
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
        self.names.is_empty()
    }

    /// A text with `{{var NAME}}` in place of each value of any connection.
    pub fn hidden(&self, text: &str) -> String {
        let values = self.connections.iter().flat_map(|values| self.names.iter().zip(&values.plain));
        hidden(text, values.map(|(name, value)| (name.as_str(), value.as_str())))
    }
}
