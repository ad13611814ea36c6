//! What is tested of both drivers.

mod bodies;
mod changed_rows;
mod closed_load;
mod connect_failures;
mod course;
mod deadline;
mod event_streams;
mod first_byte;
mod given_rows;
mod halt;
mod http2;
mod journeys;
mod kept_bodies;
mod locations;
mod misbehaving_servers;
mod open_load;
mod parts;
mod reference;
mod rows;
mod set_up;
mod sockets;
mod templates;
mod tls;
mod trace;
mod warm_up;
mod whole_run;
