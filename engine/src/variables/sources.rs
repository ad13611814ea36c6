//! Variables by name, while requests are compiled.

use std::sync::{Arc, Mutex, PoisonError};

use crate::rows::Form;

/// The variables that are taken so far, and in which forms requests send them. Those of setup requests are for all, those
/// of a journey for its own later steps.
#[derive(Debug, Default)]
pub struct VariableSources {
    names: Vec<String>,
    /// So many of them are for all.
    shared: usize,
    /// From here on they are the present journey's.
    own_from: usize,
    sent: Mutex<Vec<(usize, Form)>>,
}

impl VariableSources {
    /// What was taken so far is for all requests.
    pub fn share(&mut self) {
        (self.shared, self.own_from) = (self.names.len(), self.names.len());
    }

    /// What is taken from now on is for those that follow until the next call.
    pub fn begin_journey(&mut self) {
        self.own_from = self.names.len();
    }

    /// The names that a request may have now, with their places.
    fn visible(&self) -> impl Iterator<Item = (usize, &str)> {
        let names = self.names.iter().map(String::as_str).enumerate();
        names.filter(|&(place, _)| place < self.shared || place >= self.own_from)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.visible().find(|&(_, known)| known == name).map(|(place, _)| place)
    }

    /// From now on requests may name this variable. Gives its place.
    ///
    /// # Errors
    /// If it is there already.
    pub fn add(&mut self, name: &str) -> Result<usize, String> {
        if self.place(name).is_some() {
            return Err(format!("take.{name}: another request takes it already"));
        }
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }

    /// The place among all texts of this variable as it is written in this form.
    ///
    /// # Errors
    /// Which variables there are.
    pub fn text(&self, name: &str, form: Form) -> Result<usize, String> {
        let Some(variable) = self.place(name) else {
            let names: Vec<&str> = self.visible().map(|(_, name)| name).collect();
            return Err(format!("the variables that were taken before are {names:?}"));
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
