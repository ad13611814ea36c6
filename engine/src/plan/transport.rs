//! The plan's transport: the driver, TLS, and the way to wait for answers.

use std::path::PathBuf;

use serde::Deserialize;

/// Which driver moves the bytes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DriverChoice {
    /// io_uring where this kernel lets us, else epoll.
    #[default]
    Auto,
    /// epoll.
    Epoll,
    /// io_uring, and an error where it cannot be had.
    IoUring,
}

/// TLS to the server. All files are PEM.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TlsPlan {
    /// The name that the certificate must hold, also sent as SNI; left out, it is the address's host.
    #[serde(default)]
    pub server_name: Option<String>,
    /// Certificates to trust; left out, the system's.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// True: any certificate will do.
    #[serde(default)]
    pub insecure: bool,
    /// True: connections take up sessions of earlier ones, where the server lets them.
    #[serde(default)]
    pub resume: bool,
    /// The client's own certificate chain.
    #[serde(default)]
    pub certificate_file: Option<PathBuf>,
    /// The client's own key.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
}
