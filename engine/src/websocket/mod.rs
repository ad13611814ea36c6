//! WebSocket (RFC 6455) as a link between a session and its driver: a request is a message that the client sends, its
//! answer a message of the server. The lanes of a connection are the messages that it has in flight.
//!
//! With a broadcast, a message is answered when each connection has its copy: see [`broadcast`].
//!
//! An answer belongs to the message with the same id, where the plan says at which JSON pointer messages have theirs; else
//! answers come in the order of the messages. A connection counts as connected when its opening handshake is done.

mod broadcast;
mod conversation;
mod failure;
mod frame;
mod handshake;
mod idle;
mod link;
mod random;

pub use conversation::WebSocketConversation;
use frame::Opcode;
#[cfg(test)]
pub(crate) use frame::tests::served;
#[cfg(test)]
pub(crate) use handshake::accept_of;
pub use handshake::{Opening, check_header};
pub use idle::{IdleAccount, IdleConnections, IdleState};

use crate::plan::Broadcast;

/// What a connection is opened with, and how answers find their messages.
#[derive(Clone, Debug)]
pub struct Socket {
    /// The opening handshake, but for its key.
    pub opening: Opening,
    /// By place among the requests, whether its message is binary.
    pub is_binary: Vec<bool>,
    /// The names of the JSON pointer at which messages have their ids; `None`: answers come in order.
    pub id: Option<Vec<String>>,
    /// Each message goes to all connections, or to all others.
    pub broadcast: Option<Broadcast>,
    /// A message of the server that is longer breaks the connection. Bytes.
    pub message_bytes_limit: u64,
}

impl Socket {
    /// What the message at this place among the requests is sent as.
    #[inline]
    fn opcode(&self, place: usize) -> Opcode {
        if self.is_binary[place] { Opcode::Binary } else { Opcode::Text }
    }

    /// Checks that a message which is the same each time has an id, where messages have ids.
    ///
    /// # Errors
    /// If it has none.
    pub fn check(&self, message: &[u8]) -> Result<(), String> {
        match &self.id {
            Some(names) if conversation::id_of(message, names).is_none() => {
                Err("body: the message has no id: nothing stands at websocket.id".to_owned())
            }
            _ => Ok(()),
        }
    }
}
