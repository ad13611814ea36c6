//! Standard input line by line: plans, and a start that is held until somebody says so.

use std::io;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::clock::{now_ns, real_time_ns, timespec};
use crate::parent::{PARENT_SIGNAL, ParentWatch};
use crate::signals::Signals;

/// Nobody holds an engine that is ready for longer.
const LONGEST_NS: u64 = 600_000_000_000;

/// Longest line that is read.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// Standard input, line by line, and no further than asked for.
#[derive(Debug, Default)]
pub struct Hold {
    /// What has been read behind the last line.
    pending: Vec<u8>,
}

impl Hold {
    /// The next line, without its end.
    ///
    /// # Errors
    /// Those of standard input, or if there is no line.
    pub fn read_line(&mut self) -> io::Result<Vec<u8>> {
        self.next_line()?.ok_or_else(|| io::Error::other("standard input ended before a line did"))
    }

    /// The next line, without its end; `None` if there is none.
    ///
    /// # Errors
    /// Those of standard input, or if it ends within a line.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut looked_at = 0;
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.pending[looked_at..]) {
                let rest = self.pending.split_off(looked_at + end + 1);
                let mut line = std::mem::replace(&mut self.pending, rest);
                line.pop();
                return Ok(Some(line));
            }
            looked_at = self.pending.len();
            if looked_at > LONGEST_LINE_BYTES {
                return Err(io::Error::other("standard input: a line is too long"));
            }
            let mut more = [0; 1 << 16];
            match rustix::io::read(io::stdin(), &mut more) {
                Ok(0) if self.pending.is_empty() => return Ok(None),
                Ok(0) => return Err(io::Error::other("standard input ended before a line did")),
                Ok(bytes) => self.pending.extend_from_slice(&more[..bytes]),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for the word to go, and gives the moment to begin at, on the run's clock; `None` if a signal came, or the
    /// parent has died.
    ///
    /// # Errors
    /// If standard input ends, says something else, or says nothing for ten minutes.
    pub(crate) fn await_go(
        &mut self,
        signals: &mut Signals,
        parent: Option<&ParentWatch>,
    ) -> io::Result<Option<u64>> {
        match self.await_input(signals, parent, Some(now_ns() + LONGEST_NS))? {
            true => self.read_moment("go").map(Some),
            false => Ok(None),
        }
    }

    /// Waits until a line, or the end of standard input, has begun to come; false if a signal came, or the parent has
    /// died. `until_ns`: on the run's clock; `None`: for as long as it takes.
    ///
    /// # Errors
    /// The kernel's, or if nothing came until then.
    pub fn await_input(
        &mut self,
        signals: &mut Signals,
        parent: Option<&ParentWatch>,
        until_ns: Option<u64>,
    ) -> io::Result<bool> {
        while !self.has_line() {
            let wait = until_ns.map(|until_ns| timespec(until_ns.saturating_sub(now_ns())));
            let stdin = io::stdin();
            let mut polled = [
                PollFd::from_borrowed_fd(signals.wake_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN),
            ];
            match poll(&mut polled, wait.as_ref()) {
                Ok(0) => return Err(io::Error::other("held for ten minutes, and nobody said `go`")),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let has_input = !polled[1].revents().is_empty();
            for signal in signals.take() {
                if signal != PARENT_SIGNAL || parent.is_some_and(ParentWatch::is_gone) {
                    return Ok(false);
                }
            }
            if has_input {
                break;
            }
        }
        Ok(true)
    }

    /// True if a line has come that was not read.
    pub(crate) fn has_line(&self) -> bool {
        self.pending.contains(&b'\n')
    }

    /// The moment at which all engines open their windows, on the run's clock; the line that says it has begun to come.
    ///
    /// # Errors
    /// If standard input ends or says something else.
    pub(crate) fn opening_ns(&mut self) -> io::Result<u64> {
        self.read_moment("open")
    }

    fn read_moment(&mut self, word: &str) -> io::Result<u64> {
        let line = self.read_line()?;
        moment_ns(&line, word).ok_or_else(|| {
            let line = String::from_utf8_lossy(&line);
            io::Error::other(format!("`{line}` is neither `{word}` nor `{word} SECONDS`"))
        })
    }
}

/// `go`: now. `go 1732450000.25`: at this time of the host's clock, in seconds since 1970, or now if it is over.
fn moment_ns(line: &[u8], word: &str) -> Option<u64> {
    let now = now_ns();
    let text = std::str::from_utf8(line).ok()?.trim_end();
    if text == word {
        return Some(now);
    }
    let at_seconds: f64 = text.strip_prefix(word)?.strip_prefix(' ')?.parse().ok()?;
    let in_seconds = at_seconds - real_time_ns() as f64 / 1e9;
    (at_seconds > 0.0 && in_seconds < LONGEST_NS as f64 / 1e9)
        .then(|| now + (in_seconds.max(0.0) * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_understood() {
        let ahead_ns =
            |text: String| moment_ns(text.as_bytes(), "go").map(|at_ns| at_ns.saturating_sub(now_ns()));
        let unix = real_time_ns() as f64 / 1e9;
        assert_eq!(ahead_ns("go".to_owned()), Some(0));
        assert_eq!(ahead_ns(format!("go {}", unix - 5.0)), Some(0));
        let ahead = ahead_ns(format!("go {}\r", unix + 100.0)).unwrap();
        assert!((99_000_000_000..=100_000_000_000).contains(&ahead), "{ahead}");
        for wrong in ["", "stop", "go now", "go -1", "go NaN", &format!("go {}", unix + 1e6)] {
            assert_eq!(moment_ns(wrong.as_bytes(), "go"), None, "{wrong}");
        }
        assert!(moment_ns(b"open 5", "open").is_some() && moment_ns(b"open5", "open").is_none());
    }
}
