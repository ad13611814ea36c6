//! A server of QUIC by the crate quinn-proto, which says what a test wants on top of it.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use quinn_proto::crypto::rustls::QuicServerConfig;
use quinn_proto::{
    Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    RandomConnectionIdGenerator, ServerConfig, StreamEvent, StreamId, TransportConfig, VarInt, WriteError,
};
use rcgen::CertifiedKey;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// SETTINGS without a setting, on a control stream.
pub const SETTINGS: &[u8] = &[0, 4, 0];

/// What a server does.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// As soon as a connection is there.
    pub greets: fn(&mut Connection),
    /// For each request, which is numbered from 0 on its connection. True: it forgets all connections.
    pub answers: fn(&mut Connection, StreamId, usize) -> bool,
    pub protocol: &'static [u8],
    /// Behind what `answers` has written, each answer goes on with this again and again, up to so many bytes, and ends.
    pub more: (&'static [u8], usize),
    pub idle_milliseconds: u32,
    /// How many requests it takes at once.
    pub streams: u32,
    /// How much of a request may come before it has read some of it.
    pub window_bytes: u32,
    /// False: it reads nothing of requests.
    pub reads: bool,
    /// It has whoever comes prove the address first (RFC 9000, section 8.1.2).
    pub retries: bool,
    /// So many connections, the first ones, get the first packet of its first flight, and then nothing.
    pub half_ways: usize,
    /// Once the handshake is done, it sends nothing.
    pub falls_silent: bool,
    /// With each turn, as long as a connection is there: what it does unasked.
    pub turns: fn(&mut Connection),
}

/// An honest server's, but for what it answers.
pub const HONEST: Behaviour = Behaviour {
    greets: |connection| {
        opens(connection, SETTINGS);
    },
    answers: |_, _, _| false,
    protocol: b"h3",
    more: (b"", 0),
    idle_milliseconds: 30_000,
    streams: 100,
    window_bytes: 1_000_000,
    reads: true,
    retries: false,
    half_ways: 0,
    falls_silent: false,
    turns: |_| (),
};

/// Opens a stream of the server's own, which begins so.
pub fn opens(connection: &mut Connection, bytes: &[u8]) -> StreamId {
    let id = connection.streams().open(Dir::Uni).unwrap();
    connection.send_stream(id).write(bytes).unwrap();
    id
}

/// Sends all of an answer.
pub fn says(connection: &mut Connection, id: StreamId, bytes: &[u8]) {
    connection.send_stream(id).write(bytes).unwrap();
    connection.send_stream(id).finish().unwrap();
}

pub fn closes(connection: &mut Connection, code: u32, reason: &'static str) {
    connection.close(Instant::now(), VarInt::from_u32(code), Bytes::from_static(reason.as_bytes()));
}

/// A connection, how often it was asked, and how much its answers have said.
struct Asked {
    connection: Connection,
    requests: usize,
    said_more: HashMap<StreamId, usize>,
    datagrams: usize,
    is_silent: bool,
}

/// The length of the first packet of a datagram of the handshake, without a token (RFC 9000, section 17.2).
fn first_packet_bytes(datagram: &[u8]) -> usize {
    let own = 6 + usize::from(datagram[5]);
    let token = own + 1 + usize::from(datagram[own]);
    let length = token + 1;
    length + 2 + usize::from(u16::from_be_bytes([datagram[length] & 0x3f, datagram[length + 1]]))
}

/// Says as much as there is room for. False at the end.
fn says_more(
    connection: &mut Connection,
    id: StreamId,
    said: &mut usize,
    (piece, bytes): (&[u8], usize),
) -> bool {
    loop {
        let next = &piece[*said % piece.len()..];
        match connection.send_stream(id).write(&next[..next.len().min(bytes - *said)]) {
            Ok(written) => *said += written,
            Err(WriteError::Blocked) => return true,
            Err(_) => return false,
        }
        if *said == bytes {
            connection.send_stream(id).finish().unwrap();
            return false;
        }
    }
}

/// Reads what has come of a request: only then may another take its place.
fn reads_to_the_end(connection: &mut Connection, id: StreamId) {
    if let Ok(mut chunks) = connection.recv_stream(id).read(true) {
        while let Ok(Some(_)) = chunks.next(usize::MAX) {}
    }
}

struct Peer {
    socket: UdpSocket,
    config: Arc<EndpointConfig>,
    server: Arc<ServerConfig>,
    endpoint: Endpoint,
    connections: HashMap<ConnectionHandle, Asked>,
    behaviour: Behaviour,
}

/// Serves until the test's process ends. Gives the address.
pub fn serve(behaviour: Behaviour) -> SocketAddr {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    tls.alpn_protocols = vec![behaviour.protocol.to_vec()];
    let mut server = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(Arc::new(tls)).unwrap()));
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(Some(VarInt::from_u32(behaviour.idle_milliseconds).into()));
    transport.max_concurrent_bidi_streams(behaviour.streams.into());
    transport.stream_receive_window(behaviour.window_bytes.into());
    server.transport_config(Arc::new(transport));
    let mut config = EndpointConfig::default();
    // Connections that are forgotten are told so.
    config.cid_generator(|| Box::new(RandomConnectionIdGenerator::new(8)));
    let (config, server) = (Arc::new(config), Arc::new(server));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(2))).unwrap();
    let address = socket.local_addr().unwrap();
    let endpoint = Endpoint::new(Arc::clone(&config), Some(Arc::clone(&server)), false, None);
    let mut peer = Peer { socket, config, server, endpoint, connections: HashMap::new(), behaviour };
    thread::spawn(move || {
        loop {
            peer.turn();
        }
    });
    address
}

impl Peer {
    fn turn(&mut self) {
        let mut bytes = [0; 2048];
        if let Ok((length, from)) = self.socket.recv_from(&mut bytes) {
            self.hear(from, &bytes[..length]);
        }
        let mut forgets = false;
        for (handle, asked) in &mut self.connections {
            let Asked { connection, requests, said_more, datagrams, is_silent } = asked;
            if connection.poll_timeout().is_some_and(|timeout| timeout <= Instant::now()) {
                connection.handle_timeout(Instant::now());
            }
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while let Some(event) = connection.poll() {
                match event {
                    Event::Connected => {
                        *is_silent = self.behaviour.falls_silent;
                        (self.behaviour.greets)(connection);
                    }
                    Event::Stream(StreamEvent::Opened { dir: Dir::Bi }) => {
                        while let Some(id) = connection.streams().accept(Dir::Bi) {
                            if self.behaviour.reads {
                                reads_to_the_end(connection, id);
                            }
                            forgets |= (self.behaviour.answers)(connection, id, *requests);
                            *requests += 1;
                            if self.behaviour.more.1 > 0 {
                                said_more.insert(id, 0);
                            }
                        }
                    }
                    Event::Stream(StreamEvent::Readable { id })
                        if id.dir() == Dir::Bi && self.behaviour.reads =>
                    {
                        reads_to_the_end(connection, id);
                    }
                    _ => {}
                }
            }
            if *requests > 0 && !connection.is_closed() {
                (self.behaviour.turns)(connection);
            }
            said_more.retain(|&id, said| says_more(connection, id, said, self.behaviour.more));
            let mut datagram = Vec::new();
            while let Some(sent) = connection.poll_transmit(Instant::now(), 1, &mut datagram) {
                if handle.0 < self.behaviour.half_ways {
                    let bytes = if *datagrams == 0 { first_packet_bytes(&datagram) } else { 0 };
                    datagram.truncate(bytes);
                }
                *datagrams += 1;
                if !*is_silent && !datagram.is_empty() {
                    let _ = self.socket.send_to(&datagram, sent.destination);
                }
                datagram.clear();
            }
        }
        if forgets {
            self.connections.clear();
            let (config, server) = (Arc::clone(&self.config), Arc::clone(&self.server));
            self.endpoint = Endpoint::new(config, Some(server), false, None);
        }
    }

    fn hear(&mut self, from: SocketAddr, bytes: &[u8]) {
        let mut answer = Vec::new();
        let now = Instant::now();
        match self.endpoint.handle(now, from, None, None, BytesMut::from(bytes), &mut answer) {
            Some(DatagramEvent::ConnectionEvent(handle, event)) => {
                if let Some(asked) = self.connections.get_mut(&handle) {
                    asked.connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming))
                if self.behaviour.retries && incoming.may_retry() =>
            {
                if let Ok(sent) = self.endpoint.retry(incoming, &mut answer) {
                    let _ = self.socket.send_to(&answer[..sent.size], sent.destination);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match self.endpoint.accept(incoming, now, &mut answer, None) {
                    Ok((handle, connection)) => {
                        let asked = Asked {
                            connection,
                            requests: 0,
                            said_more: HashMap::new(),
                            datagrams: 0,
                            is_silent: false,
                        };
                        self.connections.insert(handle, asked);
                    }
                    Err(refused) => {
                        if let Some(sent) = refused.response {
                            let _ = self.socket.send_to(&answer[..sent.size], sent.destination);
                        }
                    }
                }
            }
            Some(DatagramEvent::Response(sent)) => {
                let _ = self.socket.send_to(&answer[..sent.size], sent.destination);
            }
            None => {}
        }
    }
}
