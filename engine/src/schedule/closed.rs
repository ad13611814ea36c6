//! The closed load: a connection begins its next request when the last one ended.
//!
//! Its intended start is the moment at which the connection became free. All that can hold it back is a quota.

/// How many requests may still begin. During the warm-up there is no limit.
///
/// A request begins if those ended in the window and those under way leave room for it, so that the thread
/// never awaits more answers than its share.
#[derive(Debug)]
pub struct Quota {
    /// `None`: no limit.
    share: Option<u64>,
    window_is_open: bool,
    under_way: u64,
    ended: u64,
}

impl Quota {
    /// `share`: answers or errors that are awaited in the window.
    pub fn new(share: Option<u64>) -> Quota {
        Quota { share, window_is_open: false, under_way: 0, ended: 0 }
    }

    /// True, and counted as under way, if another request may begin.
    #[inline]
    pub fn begin(&mut self) -> bool {
        let may_begin = match self.share {
            Some(share) if self.window_is_open => self.ended + self.under_way < share,
            _ => true,
        };
        self.under_way += u64::from(may_begin);
        may_begin
    }

    /// A request ended, by an answer or an error.
    #[inline]
    pub fn end(&mut self) {
        self.under_way -= 1;
        self.ended += u64::from(self.window_is_open);
    }

    /// From now on requests are counted.
    pub fn open_window(&mut self) {
        self.window_is_open = true;
    }

    /// True if nothing more is awaited.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.window_is_open && self.share.is_some_and(|share| self.ended >= share)
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
    fn without_a_share_there_is_no_end() {
        let mut quota = Quota::new(None);
        quota.open_window();
        assert!((0..1000).all(|_| quota.begin()));
        quota.end();
        assert!(!quota.is_used_up());
    }
}
