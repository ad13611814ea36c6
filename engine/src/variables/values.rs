//! The values of a thread's connections.

use std::sync::Arc;

use super::VariableSources;
use super::hide::hidden;
use crate::rows::Form;

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

    /// A text with `{{var NAME}}` in place of each value of any connection.
    pub fn hidden(&self, text: &str) -> String {
        let values = self.connections.iter().flat_map(|values| self.names.iter().zip(&values.plain));
        hidden(text, values.map(|(name, value)| (name.as_str(), value.as_str())))
    }
}
