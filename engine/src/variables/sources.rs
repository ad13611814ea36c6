//! Variables by name, while requests are compiled.

use std::sync::{Arc, Mutex, PoisonError};

use crate::rows::Form;

/// The variables that are taken so far, and in which forms requests send them.
#[derive(Debug, Default)]
pub struct VariableSources {
    names: Vec<String>,
    sent: Mutex<Vec<(usize, Form)>>,
}

impl VariableSources {
    /// From now on requests may name this variable. Gives its place.
    ///
    /// # Errors
    /// If it is there already.
    pub fn add(&mut self, name: &str) -> Result<usize, String> {
        if self.names.iter().any(|known| known == name) {
            return Err(format!("take.{name}: another setup request takes it already"));
        }
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }

    /// The place among all texts of this variable as it is written in this form.
    ///
    /// # Errors
    /// Which variables there are.
    pub fn text(&self, name: &str, form: Form) -> Result<usize, String> {
        let Some(variable) = self.names.iter().position(|known| known == name) else {
            return Err(format!("the variables that were taken before are {:?}", self.names));
        };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sent.iter().position(|other| *other == (variable, form));
        Ok(known.unwrap_or_else(|| {
            sent.push((variable, form));
            sent.len() - 1
        }))
    }

    /// The texts by place: a variable's place, and its form.
    pub(super) fn texts(&self) -> Arc<[(usize, Form)]> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).as_slice().into()
    }

    /// The names by place.
    pub(super) fn names(&self) -> Arc<[String]> {
        self.names.as_slice().into()
    }
}
