//! A proxy of datagrams (UDP): each is late, and a share of them is lost. QUIC makes good what it misses.
//!
//! TCP has no such proxy: what a kernel sends again cannot be seen from outside, and what it read cannot be lost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::num::NonZeroU64;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::sockopt::set_socket_recv_buffer_size;
use rustix::thread::{sched_yield, set_current_timer_slack};
use serde::Serialize;

use super::Side;
use super::worker::{AWAKE_NS, EVENTS_PER_WAIT, LEAVING_NS};
use crate::clock::{now_ns, seconds, thread_cpu_ns, timespec};
use crate::delay::{Delay, Draws};
use crate::record::Distribution;
use crate::signals::{SIGUSR1, Signals};

/// The longest that UDP carries.
const LONGEST_BYTES: usize = 65_535;

/// Under way at most, in all: memory of the proxy.
const ROOM_BYTES: usize = 64 << 20;

/// Clients at most: a file and a port for each.
const MOST_CLIENTS: usize = 16_384;

/// A burst waits in the kernel until it is read. What is beyond would be lost on top of what is to be.
const KEPT_BYTES: usize = 4 << 20;

/// The draw that decides whether a datagram is lost; [`Delay`] takes those before it.
const LOSS: u64 = 2;

const FRONT: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;

/// What a proxy of datagrams does.
#[derive(Clone, Debug)]
pub struct DatagramSpec {
    /// Where datagrams go.
    pub service: SocketAddr,
    /// How much longer a round trip takes: half of it in each direction, drawn for each datagram, which stay in order.
    pub latency: Delay,
    /// The share that is lost, in each direction: 0 to 1.
    pub loss_share: f64,
    /// Of the draws.
    pub seed: u64,
}

/// What went in one direction, over all clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CarriedDatagrams {
    /// Handed on.
    pub datagrams: u64,
    /// In these.
    pub bytes: u64,
    /// By intent.
    pub lost: u64,
    /// Beyond what the proxy or the kernel has room for.
    pub dropped: u64,
}

/// What a proxy of datagrams did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DatagramAccount {
    /// By address and port.
    pub clients: u64,
    /// From clients.
    pub to_service: CarriedDatagrams,
    /// To clients.
    pub to_clients: CarriedDatagrams,
    /// From the moment at which a datagram was due to the moment at which the kernel had taken it.
    pub lateness: Distribution,
    /// Processor time of the proxy.
    pub cpu_seconds: f64,
}

impl DatagramAccount {
    fn way(&mut self, from: Side) -> &mut CarriedDatagrams {
        match from {
            Side::Client => &mut self.to_service,
            Side::Service => &mut self.to_clients,
        }
    }
}

/// A datagram under way, the first due the smallest; those that are due at once in the order in which they came.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct UnderWay {
    due_ns: u64,
    number: u64,
    client: usize,
    is_to_service: bool,
    bytes: Box<[u8]>,
}

/// One client, and the socket by which the service knows it.
struct Client {
    address: SocketAddr,
    socket: UdpSocket,
    /// When the last datagram from either side is due: none overtakes another.
    last_due_ns: [u64; 2],
}

/// A proxy of datagrams that listens.
pub struct DatagramProxy {
    front: UdpSocket,
    spec: DatagramSpec,
    epoll: std::os::fd::OwnedFd,
    clients: Vec<Client>,
    numbers: HashMap<SocketAddr, usize>,
    under_way: BinaryHeap<Reverse<UnderWay>>,
    room_bytes: usize,
    came: u64,
    account: DatagramAccount,
}

impl DatagramProxy {
    /// Takes datagrams at `listen`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn bind(listen: SocketAddr, spec: DatagramSpec) -> io::Result<DatagramProxy> {
        let (front, epoll) = (UdpSocket::bind(listen)?, epoll::create(CreateFlags::CLOEXEC)?);
        prepare(&front)?;
        epoll::add(&epoll, &front, EventData::new_u64(FRONT), EventFlags::IN)?;
        Ok(DatagramProxy {
            front,
            spec,
            epoll,
            clients: Vec::new(),
            numbers: HashMap::new(),
            under_way: BinaryHeap::new(),
            room_bytes: ROOM_BYTES,
            came: 0,
            account: DatagramAccount::default(),
        })
    }

    /// Where it takes datagrams, with the real port.
    ///
    /// # Errors
    /// If the kernel does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.front.local_addr()
    }

    /// Carries datagrams until a signal comes and what is under way then has left, for two seconds at most.
    ///
    /// # Errors
    /// If epoll cannot be used.
    pub fn serve(mut self, signals: &mut Signals) -> io::Result<DatagramAccount> {
        // The kernel's usual 50 µs would be in every delay.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        epoll::add(&self.epoll, signals.wake_fd(), EventData::new_u64(SIGNALS), EventFlags::IN)?;
        let (mut events, mut buffer) = (Vec::with_capacity(EVENTS_PER_WAIT), vec![0; LONGEST_BYTES]);
        let mut leaves_until_ns = u64::MAX;
        loop {
            self.hand_on();
            let is_leaving = leaves_until_ns != u64::MAX;
            if is_leaving && (self.under_way.is_empty() || now_ns() >= leaves_until_ns) {
                self.account.cpu_seconds = seconds(thread_cpu_ns());
                return Ok(self.account);
            }
            let due_ns = self.under_way.peek().map(|Reverse(first)| first.due_ns);
            let sleep_ns = due_ns.map(|due_ns| due_ns.saturating_sub(now_ns() + AWAKE_NS));
            events.clear();
            let room = rustix::buffer::spare_capacity(&mut events);
            match epoll::wait(&self.epoll, room, sleep_ns.map(timespec).as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if events.is_empty() && sleep_ns == Some(0) {
                // The load engine may be on this processor.
                sched_yield();
            }
            for event in &events {
                match event.data.u64() {
                    FRONT if is_leaving => {}
                    FRONT => self.take_from_clients(&mut buffer),
                    SIGNALS if signals.take().iter().all(|&signal| signal == SIGUSR1) => {}
                    SIGNALS => leaves_until_ns = leaves_until_ns.min(now_ns() + LEAVING_NS),
                    number => self.take_from_service(number as usize, &mut buffer),
                }
            }
        }
    }

    fn take_from_clients(&mut self, buffer: &mut [u8]) {
        for _ in 0..EVENTS_PER_WAIT {
            match self.front.recv_from(buffer) {
                Ok((length, from)) => match self.client(from) {
                    Some(number) => self.take(number, Side::Client, &buffer[..length]),
                    None => self.account.to_service.dropped += 1,
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // That a client no longer listens is told by its next datagram, or by nobody.
                Err(_) => {}
            }
        }
    }

    fn take_from_service(&mut self, number: usize, buffer: &mut [u8]) {
        for _ in 0..EVENTS_PER_WAIT {
            match self.clients[number].socket.recv(buffer) {
                Ok(length) => self.take(number, Side::Service, &buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Nobody listens there. The client hears nothing, as from a host that is silent.
                Err(_) => {}
            }
        }
    }

    /// The number of the client there, a new one if need be; `None`: there are too many, or no socket is left.
    fn client(&mut self, address: SocketAddr) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&address) {
            return Some(number);
        }
        let number = self.clients.len();
        if number >= MOST_CLIENTS {
            return None;
        }
        let any = match self.spec.service.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect(self.spec.service).ok()?;
        prepare(&socket).ok()?;
        epoll::add(&self.epoll, &socket, EventData::new_u64(number as u64), EventFlags::IN).ok()?;
        self.clients.push(Client { address, socket, last_due_ns: [0; 2] });
        self.numbers.insert(address, number);
        self.account.clients += 1;
        Some(number)
    }

    /// Lets a datagram be under way, or be lost.
    fn take(&mut self, client: usize, from: Side, bytes: &[u8]) {
        let draws = Draws::new(self.spec.seed, self.came);
        self.came += 1;
        if draws.uniform(LOSS) < self.spec.loss_share {
            self.account.way(from).lost += 1;
            return;
        }
        if bytes.len() > self.room_bytes {
            self.account.way(from).dropped += 1;
            return;
        }
        self.room_bytes -= bytes.len();
        let last_ns = &mut self.clients[client].last_due_ns[from as usize];
        let due_ns = (now_ns() + self.spec.latency.sample_ns(draws) / 2).max(*last_ns);
        *last_ns = due_ns;
        let is_to_service = from == Side::Client;
        let bytes = bytes.into();
        self.under_way.push(Reverse(UnderWay { due_ns, number: self.came, client, is_to_service, bytes }));
    }

    /// Hands on what is due.
    fn hand_on(&mut self) {
        let mut now = now_ns();
        while self.under_way.peek().is_some_and(|Reverse(first)| first.due_ns <= now) {
            let Some(Reverse(due)) = self.under_way.pop() else { return };
            self.room_bytes += due.bytes.len();
            let client = &self.clients[due.client];
            let (from, outcome) = if due.is_to_service {
                (Side::Client, client.socket.send(&due.bytes))
            } else {
                (Side::Service, self.front.send_to(&due.bytes, client.address))
            };
            now = now_ns();
            let way = self.account.way(from);
            if outcome.is_ok() {
                way.datagrams += 1;
                way.bytes += due.bytes.len() as u64;
                self.account.lateness.record(now - due.due_ns);
            } else {
                way.dropped += 1;
            }
        }
    }
}

fn prepare(socket: &UdpSocket) -> io::Result<()> {
    // Where the system allows less, the kernel keeps less.
    let _ = set_socket_recv_buffer_size(socket, KEPT_BYTES);
    socket.set_nonblocking(true)
}
