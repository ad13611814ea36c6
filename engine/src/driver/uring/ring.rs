//! The kernel's rings behind a safe interface.
//!
//! What makes it safe is ownership: all memory that the kernel reads or writes belongs to [`Ring`], is never moved, and
//! is given back to the allocator only after every request was cancelled. Nothing else reaches the submission queue.
//!
//! - Receiving: see [`super::memory`].
//! - Sending at once: the bytes are copied into [`Ring::outgoing`]. The send neither waits nor goes on later
//!   (`MSG_DONTWAIT`), so the kernel has read them when the call that submitted it returns.
//! - Sending patiently, and a farewell: the bytes move into a box that is kept until its completion comes.

#![allow(unsafe_code, reason = "shared memory with the kernel; each block says why it is sound")]

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use io_uring::types::{CancelBuilder, Fixed, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, cqueue, opcode, squeue};
use rustix::io::Errno;
use rustix::net::SocketAddrAny;

use super::memory::{Buffers, EncodedAddress, Filled, Incoming};
use super::tag::Tag;
use crate::clock;

const BUFFER_GROUP: u16 = 0;

/// Room for the bytes that one call sends at once.
const OUTGOING_BYTES: usize = 256 * 1024;

/// Calls that may submit nothing, in a row, before that is an error.
const PATIENCE: u32 = 1000;

const MSG_DONTWAIT: i32 = 0x40;
const MSG_WAITALL: i32 = 0x100;
const MSG_NOSIGNAL: i32 = 0x4000;
const POLL_IN: u32 = 1;

#[cfg(test)]
thread_local! {
    /// How often a receive of this thread ended because all buffers were in use.
    pub(super) static WITHOUT_BUFFER: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// One thing that has happened.
#[derive(Debug)]
pub(super) struct Completion {
    pub tag: Tag,
    pub result: Result<u32, Errno>,
    pub filled: Option<Filled>,
    /// The request stays, and will complete again.
    pub goes_on: bool,
}

/// A ring for a number of connections.
pub(super) struct Ring<'r> {
    submitter: Submitter<'r>,
    submissions: SubmissionQueue<'r>,
    completions: CompletionQueue<'r>,
    /// By place: see [`super::Peer::place`].
    addresses: Box<[EncodedAddress]>,
    incoming: Incoming,
    outgoing: Box<[u8]>,
    outgoing_used: usize,
    patient: HashMap<u64, Box<[u8]>>,
    /// Why requests could not be submitted, until [`Ring::enter`] can say so.
    failure: Option<io::Error>,
}

impl<'r> Ring<'r> {
    /// `connections`: as many files have a place.
    ///
    /// # Errors
    /// The kernel's, if something needed is missing.
    pub(super) fn new<'a>(
        io_uring: &'r mut IoUring,
        connections: u32,
        buffers: Buffers,
        addresses: impl Iterator<Item = &'a SocketAddrAny>,
    ) -> io::Result<Ring<'r>> {
        let (mut submitter, submissions, completions) = io_uring.split();
        // Cheaper calls; without it all works as well.
        let _ = submitter.register_ring_fd();
        submitter.register_files_sparse(connections)?;
        let incoming = Incoming::new(buffers);
        let addresses = addresses.map(EncodedAddress::new).collect();
        let ring = Ring {
            submitter,
            submissions,
            completions,
            addresses,
            incoming,
            outgoing: vec![0; OUTGOING_BYTES].into_boxed_slice(),
            outgoing_used: 0,
            patient: HashMap::new(),
            failure: None,
        };
        // SAFETY: the entries are page-aligned, `count` of them, and outlive the registration (see Drop).
        unsafe {
            ring.submitter.register_buf_ring_with_flags(
                ring.incoming.entries_address(),
                buffers.count,
                BUFFER_GROUP,
                0,
            )?;
        }
        Ok(ring)
    }

    /// Makes `socket` the file of connection `number`, in place of the one before.
    pub(super) fn install(&self, number: u32, socket: &OwnedFd) -> io::Result<()> {
        self.submitter.register_files_update(number, &[socket.as_raw_fd()]).map(drop)
    }

    /// Leaves connection `number` without a file.
    pub(super) fn uninstall(&self, number: u32) {
        // It fails only where there is no file.
        let _ = self.submitter.register_files_update(number, &[-1]);
    }

    /// How many more requests fit before [`Ring::enter`].
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.submissions.capacity() - self.submissions.len()
    }

    /// Connects the connection's file to the address at this place.
    pub(super) fn connect(&mut self, tag: Tag, place: usize) {
        let (pointer, length) = self.addresses[place].as_raw();
        let entry = opcode::Connect::new(Fixed(tag.number), pointer.cast(), length).build();
        // SAFETY: the addresses stay in their box; the kernel copies it when the entry is submitted.
        unsafe { self.push(&entry.user_data(tag.to_bits())) };
    }

    /// Receives into the ring's buffers until the connection ends.
    #[inline]
    pub(super) fn receive(&mut self, tag: Tag) {
        let entry = opcode::RecvMulti::new(Fixed(tag.number), BUFFER_GROUP).build();
        // SAFETY: its only memory are the buffers, which outlive it.
        unsafe { self.push(&entry.user_data(tag.to_bits())) };
    }

    /// Sends all bytes while submitting, and completes only if it cannot. Gives where they are for
    /// [`Ring::sent_at_once`]; `None`, and nothing done, if this call has no room for them.
    #[inline]
    pub(super) fn send_at_once(&mut self, tag: Tag, bytes: &[u8]) -> Option<usize> {
        let start = self.outgoing_used;
        let copy = self.outgoing.get_mut(start..start + bytes.len())?;
        copy.copy_from_slice(bytes);
        let entry = opcode::Send::new(Fixed(tag.number), copy.as_ptr(), bytes.len() as u32)
            .flags(MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL)
            .build()
            .flags(squeue::Flags::SKIP_SUCCESS)
            .user_data(tag.to_bits());
        self.outgoing_used += bytes.len();
        // SAFETY: the kernel reads the copy only while `enter` submits the entry (`MSG_DONTWAIT`: it never waits and is
        // never taken up again), and `outgoing` is neither moved nor written to until `enter` has submitted all.
        unsafe { self.push(&entry) };
        Some(start)
    }

    /// What [`Ring::send_at_once`] was given before the last [`Ring::enter`].
    pub(super) fn sent_at_once(&self, start: usize, bytes: usize) -> &[u8] {
        &self.outgoing[start..start + bytes]
    }

    /// Sends all bytes, however long the peer takes.
    pub(super) fn send_patiently(&mut self, tag: Tag, bytes: Box<[u8]>) {
        self.send_kept(tag, bytes, MSG_WAITALL | MSG_NOSIGNAL);
    }

    /// Sends what the socket takes at once of these bytes. They cannot be among those that are sent at once: a connection
    /// is also closed while completions are handled that refer to those of the last call.
    pub(super) fn send_farewell(&mut self, tag: Tag, bytes: Box<[u8]>) {
        self.send_kept(tag, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    }

    fn send_kept(&mut self, tag: Tag, bytes: Box<[u8]>, flags: i32) {
        let entry = opcode::Send::new(Fixed(tag.number), bytes.as_ptr(), bytes.len() as u32)
            .flags(flags)
            .build()
            .user_data(tag.to_bits());
        let earlier = self.patient.insert(tag.to_bits(), bytes);
        assert!(earlier.is_none(), "one such send per socket");
        // SAFETY: the box stays in `patient`, at its address, until the completion with this tag has come.
        unsafe { self.push(&entry) };
    }

    /// Completes once when the file is readable. The file is to stay open as long as the ring.
    pub(super) fn watch(&mut self, tag: Tag, file: BorrowedFd<'r>) {
        let entry = opcode::PollAdd::new(io_uring::types::Fd(file.as_raw_fd()), POLL_IN).build();
        // SAFETY: no memory.
        unsafe { self.push(&entry.user_data(tag.to_bits())) };
    }

    /// Cancels the request with this tag, if it is under way.
    pub(super) fn cancel(&mut self, tag: Tag) {
        let entry = opcode::AsyncCancel::new(tag.to_bits()).build();
        let entry = entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(Tag::IGNORED.to_bits());
        // SAFETY: no memory.
        unsafe { self.push(&entry) };
    }

    /// Submits everything, and waits for a completion until the timeout; 0: does not wait.
    ///
    /// # Errors
    /// If the ring cannot be used any more.
    pub(super) fn enter(&mut self, timeout_ns: u64) -> io::Result<()> {
        self.incoming.publish();
        self.submissions.sync();
        let result = if timeout_ns == 0 {
            if self.submissions.is_empty() && !self.has_work() { Ok(0) } else { self.submitter.submit() }
        } else {
            let wait = clock::timespec(timeout_ns);
            let wait = Timespec::new().sec(wait.tv_sec as u64).nsec(wait.tv_nsec as u32);
            self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&wait))
        };
        self.settle(result);
        self.outgoing_used = 0;
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Submits everything, without taking what has come: a file may be replaced after that.
    pub(super) fn flush(&mut self) {
        self.submissions.sync();
        let result = self.submitter.submit();
        self.settle(result);
    }

    /// Submits everything, and passes over all that comes, until the kernel has nothing more to do for this thread: what
    /// was cancelled has ended then.
    pub(super) fn drain(&mut self) {
        self.flush();
        for _ in 0..PATIENCE {
            while let Some(completion) = self.next_completion() {
                if let Some(filled) = completion.filled {
                    self.recycle(filled);
                }
            }
            if !self.has_work() || self.enter(0).is_err() {
                return;
            }
        }
    }

    /// Makes sure that all was submitted, or that nothing ever will be: memory of requests may be reused after that.
    fn settle(&mut self, mut result: io::Result<usize>) {
        for _ in 0..PATIENCE {
            match result {
                Err(error) if !is_passing(&error) => {
                    self.failure = Some(error);
                    return;
                }
                _ => {}
            }
            self.submissions.sync();
            self.completions.sync();
            if self.submissions.is_empty() {
                return;
            }
            result = self.submitter.submit();
        }
        self.failure = Some(io::Error::other("io_uring takes no requests"));
    }

    /// # Safety
    /// The entry's memory is to stay as it is as long as the kernel uses it.
    #[inline]
    unsafe fn push(&mut self, entry: &squeue::Entry) {
        if self.submissions.is_full() {
            self.flush();
        }
        // SAFETY: the caller's promise. An entry that finds no room is forgotten, and `enter` says why there was none.
        let _ = unsafe { self.submissions.push(entry) };
    }

    /// True if the kernel has something to do for us, so that [`Ring::enter`] is worth a call.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.submissions.taskrun() || self.submissions.cq_overflow()
    }

    /// True if completions wait behind those that fitted: some may be of the last [`Ring::enter`].
    #[inline]
    pub(super) fn has_overflown(&self) -> bool {
        self.submissions.cq_overflow()
    }

    /// The next thing that has happened.
    #[inline]
    pub(super) fn next_completion(&mut self) -> Option<Completion> {
        let entry = self.completions.next()?;
        let tag = Tag::from_bits(entry.user_data());
        let result = u32::try_from(entry.result()).map_err(|_| Errno::from_raw_os_error(-entry.result()));
        #[cfg(test)]
        if result == Err(Errno::NOBUFS) {
            WITHOUT_BUFFER.set(WITHOUT_BUFFER.get() + 1);
        }
        let bytes = result.map_or(0, |bytes| bytes as usize);
        // SAFETY: this completion says so, and it was taken off the queue just now: nobody sees it again.
        let filled =
            cqueue::buffer_select(entry.flags()).map(|id| unsafe { self.incoming.filled(id, bytes) });
        if !self.patient.is_empty() {
            self.patient.remove(&entry.user_data());
        }
        Some(Completion { tag, result, filled, goes_on: cqueue::more(entry.flags()) })
    }

    /// What the kernel has written.
    #[inline]
    pub(super) fn bytes(&self, filled: &Filled) -> &[u8] {
        self.incoming.bytes(filled)
    }

    /// Hands a buffer back to the kernel.
    #[inline]
    pub(super) fn recycle(&mut self, filled: Filled) {
        self.incoming.recycle(filled);
    }
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        // The kernel looks for each request anew, past those that it has found already: quadratic in their number. So
        // the driver has cancelled by tag whatever there are many of.
        let cancelled = match self.submitter.register_sync_cancel(None, CancelBuilder::any()) {
            Err(error) => error.raw_os_error() == Some(Errno::NOENT.raw_os_error()),
            Ok(()) => true,
        };
        let unregistered = self.submitter.unregister_buf_ring(BUFFER_GROUP);
        if !cancelled || unregistered.is_err() {
            // The kernel may still use them.
            self.incoming.leak();
            std::mem::forget(std::mem::take(&mut self.patient));
        }
    }
}

/// Errors of a call that may be made again.
fn is_passing(error: &io::Error) -> bool {
    let passing = [Errno::INTR, Errno::TIME, Errno::AGAIN, Errno::BUSY];
    passing.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
