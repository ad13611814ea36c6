//! Requests that take more than one exchange, as they ask for it: redirects are followed, and what has expired is taken
//! anew. To the load each is one request: it is as old as its first exchange, and its last answer is judged.

use super::judge::Beyond;
use super::slot::{InFlight, State};
use super::{Next, Session};
use crate::http1::request::EncodedRequest;
use crate::record::ErrorKind;
use crate::redirects::{Origin, Redirect, is_redirect};
use crate::schedule::Phase;
use crate::template::{Drawn, Renderer};
use crate::verify::{Answer, Expectation};

const UNAUTHORIZED: u16 = 401;

/// What a request asks for beyond one exchange.
#[derive(Clone, Debug)]
pub struct Chain {
    /// So many redirects are followed.
    pub most_redirects: u8,
    /// Whom they may lead to.
    pub origin: Origin,
    /// The place of the request that is sent anew after a 401.
    pub renews: Option<usize>,
    /// Its place among those that may be sent again with what was drawn for them.
    pub remembered: Option<usize>,
}

/// What is sent next for the same request.
#[derive(Debug)]
pub(super) enum Further {
    /// Nothing: the answer is judged.
    None,
    /// Nothing: it is judged, and wrong for this reason.
    Refused(String),
    /// Where the redirect leads.
    Redirect(Redirect),
    /// The request at this place, which has new values.
    Renewal(usize),
    /// The request itself, with the new values.
    Again,
}

/// Why nothing more can be sent where each connection has a setup of its own.
pub(super) const CLOSED: &str = "the connection was closed, and a new one would have a setup of its own";

impl Chain {
    /// What follows this answer. `sent`: the request. `goes_on`: something can be sent behind it.
    pub(super) fn further(
        &self,
        current: &InFlight,
        expectation: &Expectation,
        answer: &Answer<'_>,
        sent: &[u8],
        goes_on: bool,
    ) -> Further {
        if expectation.status_fits(answer.status) {
            return Further::None;
        }
        if is_redirect(answer.status) && self.most_redirects > 0 {
            if current.redirects >= self.most_redirects {
                return Further::Refused(format!(
                    "{} redirects were followed, and another one came",
                    current.redirects
                ));
            }
            return match self.origin.redirect(answer.status, answer.head, sent) {
                Ok(_) if !goes_on => Further::Refused(CLOSED.to_owned()),
                Ok(redirect) => Further::Redirect(redirect),
                Err(reason) => Further::Refused(reason),
            };
        }
        match self.renews {
            Some(_) if answer.status != UNAUTHORIZED || current.is_renewal => Further::None,
            Some(_) if current.was_renewed => {
                Further::Refused("it was renewed, and refused again".to_owned())
            }
            Some(_) if !goes_on => Further::Refused(CLOSED.to_owned()),
            Some(place) => Further::Renewal(place),
            None => Further::None,
        }
    }
}

impl Beyond<'_> {
    /// Takes what the answer to a renewal has. Gives why the request that waits for it is refused; `None`: it is sent
    /// again.
    pub(super) fn renewal_refusal(
        &mut self,
        asked: &InFlight,
        expectation: &mut Expectation,
        answer: &Answer<'_>,
        goes_on: bool,
    ) -> Option<(ErrorKind, String)> {
        self.variables.take_cookies(self.number, self.sent, answer);
        let wrong = expectation.verify(answer, asked.row).wrong;
        let (kind, reason) = match (self.refusal.take(), wrong) {
            (Some(refusal), _) => refusal,
            (None, Some(kind)) => (kind, "not as expected".to_owned()),
            (None, None) => match self.variables.take_all(self.number, &self.request.takes, answer) {
                Err(objection) => objection,
                Ok(()) if goes_on => return None,
                Ok(()) => (ErrorKind::Closed, CLOSED.to_owned()),
            },
        };
        let (name, status) = (&self.request.name, answer.status);
        Some((kind, format!("status 401, and {name}, sent anew, was answered with {status}: {reason}")))
    }
}

/// Keeps what was drawn for the request that was rendered last, for a connection, if it may be sent again.
#[inline]
pub(super) fn remember(
    request: &EncodedRequest,
    number: usize,
    row: u64,
    renderer: &Renderer,
    drawn: &mut [Vec<Drawn>],
) {
    if let Some(place) = request.chain.as_ref().and_then(|chain| chain.remembered) {
        renderer.keep_drawn(row, &mut drawn[place][number]);
    }
}

impl Session {
    /// Sends what follows an answer for the same request.
    #[inline(never)]
    pub(super) fn go_further(&mut self, number: usize, further: Further, stays: bool, now_ns: u64) -> Next {
        let in_window = self.phase == Phase::Window;
        let slot = &mut self.slots[number];
        let (state, asked) = (slot.state, slot.current);
        slot.take_answer(stays);
        slot.state = state;
        let closes = (if stays { slot.left_on_socket } else { self.socket_limit }) == Some(1);
        self.renderer.variables.turn_to(number);
        let next = match further {
            Further::Redirect(redirect) => {
                self.record.redirected(asked.request, in_window);
                redirect.rewrite(&mut self.rendered[number], closes, &self.renderer.variables);
                InFlight { redirects: asked.redirects + 1, ..asked }
            }
            Further::Renewal(request) => {
                self.renewing[number] = asked;
                let row = self.render_again(number, request, closes);
                InFlight { request, row, redirects: 0, is_renewal: true, ..asked }
            }
            _ => {
                let step = self.renewing[number];
                self.record.renewed(step.request, in_window);
                let row = self.render_again(number, step.request, closes);
                InFlight { row, redirects: 0, was_renewed: true, ..step }
            }
        };
        let (bytes, sent_ns) = (self.rendered[number].len(), asked.sent_ns);
        let slot = &mut self.slots[number];
        slot.current = InFlight { bytes, sent_bytes: 0, sent_ns, closes, is_further: true, ..next };
        slot.exchange.reset();
        if stays { Next::Send } else { self.connect(number, State::Connecting, now_ns) }
    }

    /// Writes a request with what was drawn for it when its connection had it last. Gives its row.
    fn render_again(&mut self, number: usize, request: usize, closes: bool) -> u64 {
        let rendered = &mut self.rendered[number];
        rendered.clear();
        let asked = &self.requests[request];
        let Some(place) = asked.chain.as_ref().and_then(|chain| chain.remembered) else { return 0 };
        let drawn = &self.drawn[place][number];
        asked.message.render_again(closes, drawn, &mut self.renderer, rendered);
        if let Some(trace_id) = self.trace_ids.get_mut(number) {
            *trace_id = self.renderer.tracer.trace_id();
        }
        drawn.row
    }

    /// A connection whose request is being renewed has that request again.
    pub(super) fn take_up_step(&mut self, number: usize) {
        if self.slots[number].current.is_renewal {
            self.slots[number].current = self.renewing[number];
        }
    }
}
