//! Memory that is shared with the kernel.
//!
//! The kernel receives into buffers that were handed to it through the buffer ring, and tells which one it used. From
//! then on that buffer is ours ([`Filled`]) until it is handed back ([`Incoming::hand_to_kernel`]).

#![allow(unsafe_code, reason = "shared memory with the kernel; each block says why it is sound")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::types::BufRingEntry;
use rustix::net::SocketAddrAny;
use rustix::net::addr::SocketAddrArg;

const PAGE_BYTES: usize = 4096;

/// What all large buffers of a thread take at most, and 1024 small ones.
const MOST_BYTES: usize = 4 * 1024 * 1024;

const SMALL_BYTES: usize = 4096;

/// As much as the epoll driver reads in one call.
const LARGE_BYTES: usize = 64 * 1024;

/// Fewer cost more per byte: receives end for lack of a buffer.
const FEWEST_LARGE: usize = 8;

/// What a head takes at most where it is not unusual.
const HEAD_BYTES: u64 = 1024;

/// How many receive buffers there are, and how large.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffers {
    /// A power of two.
    pub count: u16,
    /// Of each.
    pub bytes: u32,
}

impl Buffers {
    /// For so many connections, and bodies of at most so many bytes; `None`: of any length.
    ///
    /// A completion, a parse and a buffer to hand back are paid per buffer, so that a large answer takes large ones.
    /// Where each answer fits a small one, there are enough that all connections can be answered at once, up to a
    /// limit. The kernel goes through all buffers in turn: not more large ones than connections, so that they stay in
    /// the caches. Who finds none asks again.
    pub(super) fn for_answers(connections: usize, most_body_bytes: Option<u64>) -> Buffers {
        let is_small = most_body_bytes.is_some_and(|bytes| bytes <= SMALL_BYTES as u64 - HEAD_BYTES);
        let (bytes, fewest) = if is_small { (SMALL_BYTES, 64) } else { (LARGE_BYTES, FEWEST_LARGE) };
        let count = connections.next_power_of_two().clamp(fewest, MOST_BYTES / bytes);
        Buffers { count: count as u16, bytes: bytes as u32 }
    }
}

/// A buffer that the kernel has filled and that is ours now. There is one at most of each buffer.
#[derive(Debug)]
pub(super) struct Filled {
    id: u16,
    bytes: usize,
}

/// An entry of the buffer ring: the kernel's `struct io_uring_buf`, which io-uring's type keeps to itself.
#[repr(C)]
struct Entry {
    address: u64,
    bytes: u32,
    id: u16,
    /// In the first entry, the ring's tail.
    tail: u16,
}

const _: () = assert!(size_of::<Entry>() == size_of::<BufRingEntry>());
const _: () = assert!(align_of::<Entry>() == align_of::<BufRingEntry>());

/// Receive buffers, and the ring through which they are handed to the kernel.
pub(super) struct Incoming {
    buffers: Buffers,
    /// `count` times `bytes`.
    memory: Pages,
    entries: Pages,
    /// Where the next buffer is handed to the kernel; counts on without end.
    tail: u16,
}

impl Incoming {
    /// All buffers are handed to the kernel.
    pub(super) fn new(buffers: Buffers) -> Incoming {
        assert!(buffers.count.is_power_of_two());
        let count = usize::from(buffers.count);
        let mut incoming = Incoming {
            buffers,
            memory: Pages::new(count * buffers.bytes as usize),
            entries: Pages::new(count * size_of::<BufRingEntry>()),
            tail: 0,
        };
        (0..buffers.count).for_each(|id| incoming.hand_to_kernel(id));
        incoming.publish();
        incoming
    }

    pub(super) fn entries_address(&self) -> u64 {
        self.entries.start.as_ptr() as u64
    }

    /// The kernel has written so many bytes into this buffer.
    ///
    /// # Safety
    /// A completion of the ring says so, and this was not called for that completion before: with a second [`Filled`] of
    /// the buffer, or one that the kernel still has, bytes would be read that the kernel writes to.
    #[inline]
    pub(super) unsafe fn filled(&self, id: u16, bytes: usize) -> Filled {
        assert!(id < self.buffers.count && bytes <= self.buffers.bytes as usize);
        Filled { id, bytes }
    }

    #[inline]
    pub(super) fn bytes(&self, filled: &Filled) -> &[u8] {
        let offset = usize::from(filled.id) * self.buffers.bytes as usize;
        // SAFETY: `filled` lies inside the memory (checked when it was made), which is initialised; the kernel writes to
        // it again only after it was handed back, and that takes the `Filled` away.
        unsafe { std::slice::from_raw_parts(self.memory.start.as_ptr().add(offset), filled.bytes) }
    }

    #[inline]
    pub(super) fn recycle(&mut self, filled: Filled) {
        self.hand_to_kernel(filled.id);
    }

    #[inline]
    fn hand_to_kernel(&mut self, id: u16) {
        let place = usize::from(self.tail & (self.buffers.count - 1));
        let offset = usize::from(id) * self.buffers.bytes as usize;
        let address = self.memory.start.as_ptr() as u64 + offset as u64;
        // SAFETY: `place` is below `count`, and the kernel does not look at these fields until the tail is published. No
        // reference to the entry is made: the tail, which is accessed atomically, lies in the first one.
        unsafe {
            let entry = self.entries.start.as_ptr().cast::<Entry>().add(place);
            (&raw mut (*entry).address).write(address);
            (&raw mut (*entry).bytes).write(self.buffers.bytes);
            (&raw mut (*entry).id).write(id);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    /// Shows the kernel what was handed to it.
    #[inline]
    pub(super) fn publish(&mut self) {
        // SAFETY: the pointer is the first entry's, initialised and aligned; the tail is accessed only here, and by the
        // kernel, which reads it.
        let tail = unsafe { &*BufRingEntry::tail(self.entries.start.as_ptr().cast()).cast::<AtomicU16>() };
        tail.store(self.tail, Ordering::Release);
    }

    /// Never gives the memory back.
    pub(super) fn leak(&mut self) {
        self.memory.is_leaked = true;
        self.entries.is_leaked = true;
    }
}

/// Zeroed memory that begins at a page's border and takes none until it is used.
struct Pages {
    start: NonNull<u8>,
    layout: Layout,
    is_leaked: bool,
}

impl Pages {
    fn new(bytes: usize) -> Pages {
        let layout = Layout::from_size_align(bytes.max(1), PAGE_BYTES).expect("a size far below isize::MAX");
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Pages { start, layout, is_leaked: false }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if !self.is_leaked {
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.start.as_ptr(), self.layout) };
        }
    }
}

/// An address as the kernel reads it.
pub(super) struct EncodedAddress {
    storage: [u64; 16],
    bytes: u32,
}

impl EncodedAddress {
    pub(super) fn new(address: &SocketAddrAny) -> EncodedAddress {
        let mut storage = [0; 16];
        // SAFETY: the pointer is good for `length` bytes during the call; the copy is cut to the storage, which is as
        // large as any address of the kernel (`sockaddr_storage`).
        let bytes = unsafe {
            address.with_sockaddr(|pointer, length| {
                let length = (length as usize).min(size_of_val(&storage));
                std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), storage.as_mut_ptr().cast(), length);
                length as u32
            })
        };
        EncodedAddress { storage, bytes }
    }

    pub(super) fn as_raw(&self) -> (*const u8, u32) {
        (self.storage.as_ptr().cast(), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_as_large_as_what_is_expected_and_bounded_together() {
        let sized = |connections, most_body_bytes| {
            let Buffers { count, bytes } = Buffers::for_answers(connections, most_body_bytes);
            (count, bytes)
        };
        assert_eq!(sized(1, Some(0)), (64, 4096));
        assert_eq!(sized(65, Some(200)), (128, 4096));
        assert_eq!(sized(16_000, Some(3072)), (1024, 4096));
        assert_eq!(sized(1, Some(3073)), (8, 65_536));
        assert_eq!(sized(16, None), (16, 65_536));
        assert_eq!(sized(16_000, Some(u64::MAX)), (64, 65_536));
    }

    #[test]
    fn buffers_go_round_and_do_not_overlap() {
        let mut incoming = Incoming::new(Buffers { count: 4, bytes: 100 });
        // SAFETY: there is no kernel behind these buffers, and nobody keeps two of the same.
        let filled = |incoming: &Incoming, id, bytes| unsafe { incoming.filled(id, bytes) };
        let starts: Vec<usize> =
            (0..4).map(|id| incoming.bytes(&filled(&incoming, id, 100)).as_ptr() as usize).collect();
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == 100));
        for round in 0..70_000_u32 {
            incoming.recycle(filled(&incoming, (round % 4) as u16, 0));
        }
        incoming.publish();
        assert_eq!(incoming.tail, (4 + 70_000_u32) as u16);
        assert_eq!(incoming.entries_address() % PAGE_BYTES as u64, 0);
    }

    #[test]
    fn entries_are_as_the_kernel_reads_them() {
        let mut incoming = Incoming::new(Buffers { count: 4, bytes: 100 });
        // SAFETY: as above.
        let third = unsafe { incoming.filled(2, 7) };
        let start = incoming.bytes(&third).as_ptr() as u64;
        incoming.recycle(third);
        incoming.publish();
        // The fifth that was handed over: the ring has begun anew.
        // SAFETY: the memory is an array of four of these, and nobody writes to it here.
        let entries =
            unsafe { std::slice::from_raw_parts(incoming.entries.start.as_ptr().cast::<BufRingEntry>(), 4) };
        assert_eq!((entries[0].addr(), entries[0].len(), entries[0].bid()), (start, 100, 2));
        assert_eq!((entries[3].addr(), entries[3].len(), entries[3].bid()), (start + 100, 100, 3));
        // SAFETY: the first entry, which is initialised.
        let tail = unsafe { BufRingEntry::tail(entries.as_ptr()) };
        let offset = tail as usize - entries.as_ptr() as usize;
        assert_eq!(offset, std::mem::offset_of!(Entry, tail));
        // SAFETY: it lies in the entry.
        assert_eq!(unsafe { *tail }, 5);
    }

    #[test]
    fn addresses_are_encoded() {
        let address: std::net::SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let encoded = EncodedAddress::new(&address.as_any());
        assert_eq!(encoded.bytes, 16);
        let second = (encoded.storage[0] >> 16 & 0xFFFF) as u16;
        assert_eq!(second.to_le_bytes(), 8080_u16.to_be_bytes());
    }
}
