//! The number of requests that may begin, and the count of those that did.
//!
//! A run may end with a number of answers or errors. A request begins if those ended in the window and those under way
//! leave room for it, so that no thread ever awaits more than its share. During the warm-up there is no limit.
//!
//! A journey counts as one: from the begin of its first request to the end of its last one, as of each there is one
//! request under way, or its user thinks about the next one.

/// Counts requests from their begin, or arrival, to their end.
#[derive(Debug)]
pub struct Quota {
    /// `None`: no limit.
    share: Option<u64>,
    window_is_open: bool,
    under_way: u64,
    /// Of these, journeys of which no request is under way.
    thinking: u64,
    /// In the window.
    ended: u64,
    /// Connections that have not started yet and then begin a request each.
    kept: u64,
    /// In the window.
    begun: u64,
    under_way_at_opening: u64,
}

impl Quota {
    /// `share`: answers or errors that are awaited in the window.
    pub fn new(share: Option<u64>) -> Quota {
        Quota {
            share,
            window_is_open: false,
            under_way: 0,
            thinking: 0,
            ended: 0,
            kept: 0,
            begun: 0,
            under_way_at_opening: 0,
        }
    }

    /// The same, with a request kept for each of so many connections: those that are answered early do not take it.
    #[must_use]
    pub fn keeping(self, connections: u64) -> Quota {
        Quota { kept: connections.min(self.share.unwrap_or(0)), ..self }
    }

    /// One of these connections starts, and may begin its request.
    pub fn start(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }

    /// True, and counted as under way, if another request may begin.
    #[inline]
    pub fn begin(&mut self) -> bool {
        if let Some(share) = self.share
            && self.window_is_open
            && self.ended + self.under_way + self.kept >= share
        {
            return false;
        }
        self.under_way += 1;
        self.begun += 1;
        true
    }

    /// A request ended, by an answer or an error.
    #[inline]
    pub fn end(&mut self) {
        self.under_way -= 1;
        self.ended += 1;
    }

    /// The next request of a journey begins, as the last one has ended.
    pub fn next_step(&mut self) {
        self.begun += 1;
    }

    /// A request of a journey has ended, and its user thinks before the next one.
    pub fn think(&mut self) {
        self.thinking += 1;
    }

    /// The user goes on.
    pub fn go_on(&mut self) {
        self.thinking -= 1;
        self.begun += 1;
    }

    /// Those who think ask nothing more.
    pub fn leave_thinking(&mut self) {
        self.under_way -= self.thinking;
        self.thinking = 0;
    }

    /// From now on requests are counted.
    pub fn open_window(&mut self) {
        self.window_is_open = true;
        (self.begun, self.ended) = (0, 0);
        self.under_way_at_opening = self.under_way();
    }

    /// From now on none begins, and only those under way are awaited. The window is open, and had no share.
    pub fn await_the_rest(&mut self) {
        self.share = Some(self.ended + self.under_way);
    }

    /// The request that was begun last had its intended start before the window.
    pub fn was_before_window(&mut self) {
        if self.window_is_open {
            self.begun -= 1;
            self.under_way_at_opening += 1;
        }
    }

    /// True if nothing more is awaited.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.window_is_open && self.share.is_some_and(|share| self.ended >= share)
    }

    /// True from the window's opening on, also when it has closed.
    pub fn window_is_open(&self) -> bool {
        self.window_is_open
    }

    /// Requests begun and not ended.
    pub fn under_way(&self) -> u64 {
        self.under_way - self.thinking
    }

    /// Those that were under way when the window opened; if it did not, those that are.
    pub fn under_way_at_opening(&self) -> u64 {
        if self.window_is_open { self.under_way_at_opening } else { self.under_way() }
    }

    /// Requests begun in the window.
    pub fn begun_in_window(&self) -> u64 {
        if self.window_is_open { self.begun } else { 0 }
    }
}

/// Splits a total over `parts`: no two shares differ by more than one, and their sum is the total.
pub fn split(total: u64, parts: u32) -> impl Iterator<Item = u64> {
    let parts = u64::from(parts);
    (0..parts).map(move |part| total / parts + u64::from(part < total % parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_sum_up() {
        for (total, parts) in [(10, 3), (2, 4), (0, 2), (1_000_003, 7)] {
            let shares: Vec<u64> = split(total, parts).collect();
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn exactly_the_share_begins_and_ends() {
        let mut quota = Quota::new(Some(5));
        quota.open_window();
        assert_eq!((0..10).filter(|_| quota.begin()).count(), 5);
        (0..4).for_each(|_| quota.end());
        assert!(!quota.begin() && !quota.is_used_up());
        quota.end();
        assert!(quota.is_used_up() && !quota.begin());
    }

    #[test]
    fn a_user_who_thinks_is_awaited_and_has_no_request_under_way() {
        let mut quota = Quota::new(Some(1));
        assert!(quota.begin());
        quota.think();
        quota.open_window();
        assert_eq!((quota.under_way_at_opening(), quota.under_way()), (0, 0));
        assert!(!quota.begin() && !quota.is_used_up());
        quota.go_on();
        assert_eq!((quota.under_way(), quota.begun_in_window()), (1, 1));
        quota.end();
        assert!(quota.is_used_up());
    }

    #[test]
    fn a_request_is_kept_for_each_connection_that_has_not_started() {
        let mut quota = Quota::new(Some(3)).keeping(5);
        quota.open_window();
        quota.start();
        assert!(quota.begin());
        quota.end();
        assert!(!quota.begin(), "the others would have none");
        for _ in 0..2 {
            quota.start();
            assert!(quota.begin() && !quota.is_used_up());
        }
        quota.start();
        assert!(!quota.begin(), "there are more connections than requests");
        (0..2).for_each(|_| quota.end());
        assert!(quota.is_used_up());
    }

    #[test]
    fn requests_from_the_warm_up_count_when_they_end_in_the_window() {
        let mut quota = Quota::new(Some(3));
        assert_eq!((0..10).filter(|_| quota.begin()).count(), 10);
        quota.end();
        quota.open_window();
        assert!(!quota.begin() && !quota.is_used_up());
        (0..3).for_each(|_| quota.end());
        assert!(quota.is_used_up());
    }

    #[test]
    fn after_the_window_the_rest_is_awaited_and_nothing_begins() {
        let mut quota = Quota::new(None);
        quota.open_window();
        assert!((0..3).all(|_| quota.begin()));
        quota.end();
        quota.await_the_rest();
        assert!(!quota.begin() && !quota.is_used_up());
        (0..2).for_each(|_| quota.end());
        assert!(quota.is_used_up());
        assert_eq!((quota.begun_in_window(), quota.under_way()), (3, 0));
    }

    #[test]
    fn without_a_share_there_is_no_end() {
        let mut quota = Quota::new(None);
        quota.open_window();
        assert!((0..1000).all(|_| quota.begin()));
        quota.end();
        assert!(!quota.is_used_up());
    }
}
