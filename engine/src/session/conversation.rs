//! A session as its driver sees it.

use super::{Ended, Next, Session};
use crate::driver::{Conversation, Failure};
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::verify::Expectation;

impl Conversation for Session {
    type Outcome = Ended;

    fn connections(&self) -> usize {
        Session::connections(self)
    }

    fn most_body_bytes(&self) -> Option<u64> {
        let most = self.expectations.iter().map(Expectation::most_body_bytes);
        most.reduce(|most, other| Some(most?.max(other?))).flatten()
    }

    #[inline]
    fn phase(&self) -> Phase {
        Session::phase(self)
    }

    #[inline]
    fn wake_ns(&self) -> u64 {
        Session::wake_ns(self)
    }

    fn is_paced(&self) -> bool {
        Session::is_paced(self)
    }

    #[inline]
    fn is_awaiting(&mut self) -> bool {
        Session::is_awaiting(self)
    }

    #[inline]
    fn advance(&mut self, now_ns: u64) {
        Session::advance(self, now_ns);
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        Session::start(self, number, now_ns)
    }

    #[inline]
    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        Session::due(self, now_ns)
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        Session::connected(self, number, now_ns)
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        Session::connect_failed(self, number, failure, now_ns)
    }

    #[inline]
    fn to_send(&mut self, number: usize) -> &[u8] {
        Session::to_send(self, number)
    }

    #[inline]
    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        Session::handed_over(self, number, bytes, at_ns);
    }

    #[inline]
    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        Session::received(self, number, bytes, peer_closes, now_ns)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        Session::peer_closed(self, number, now_ns)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        Session::broken(self, number, kind, now_ns)
    }

    fn conclude(self, now_ns: u64) -> Ended {
        Session::conclude(self, now_ns)
    }
}
