//! Answers in all their variants, rendered when they are first needed.

use crate::target::answer::{AnswerSpec, Rendered, has_body};
use crate::target::faults::Fate;
use crate::target::request::Asked;

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Usual,
    Status5xx,
    Longer,
}

impl Variant {
    pub(super) fn of(fate: Fate) -> Variant {
        match fate {
            Fate::Status5xx => Variant::Status5xx,
            Fate::WrongLength => Variant::Longer,
            Fate::Right | Fate::Reset | Fate::CutBody | Fate::Pause40Ms => Variant::Usual,
        }
    }
}

/// Every answer there is.
pub(super) struct Answers {
    spec: AnswerSpec,
    /// By the way of asking, and the variant.
    rendered: Vec<[Option<Rendered>; 3]>,
}

impl Answers {
    pub(super) fn new(spec: AnswerSpec) -> Answers {
        Answers { spec, rendered: Asked::all().map(|_| [None, None, None]).collect() }
    }

    /// An answer has a body, so that it can be slow, cut or too long.
    pub(super) fn have_body(&self) -> bool {
        has_body(self.spec.status)
    }

    pub(super) fn get(&mut self, asked: Asked, variant: Variant) -> &Rendered {
        let spec = &self.spec;
        self.rendered[asked.place()][variant as usize].get_or_insert_with(|| {
            let mut spec = spec.clone();
            match variant {
                Variant::Usual => {}
                Variant::Status5xx => spec.status = 503,
                Variant::Longer => spec.body.push(b'x'),
            }
            Rendered::new(&spec, asked)
        })
    }
}
