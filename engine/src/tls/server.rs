//! The server's side, for the target.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{ServerConfig, ServerConnection, version};

use super::files;

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2.
    V1_2,
    /// TLS 1.3.
    V1_3,
}

/// What a server needs. All files are PEM.
#[derive(Clone, Debug)]
pub struct TlsServerSpec {
    /// The server's certificate, with those between it and its CA.
    pub certificate_file: PathBuf,
    /// Its key.
    pub key_file: PathBuf,
    /// Clients must show a certificate of one of these.
    pub client_ca_file: Option<PathBuf>,
    /// The only version spoken; `None`: both.
    pub only: Option<TlsVersion>,
    /// Clients may take up sessions of earlier connections.
    pub resumes: bool,
}

/// A server's TLS, ready for connections.
#[derive(Clone, Debug)]
pub struct ServerTls {
    config: Arc<ServerConfig>,
}

impl ServerTls {
    /// Reads the files.
    ///
    /// # Errors
    /// A line that names the file.
    pub fn new(spec: &TlsServerSpec) -> Result<ServerTls, String> {
        let provider = Arc::new(ring::default_provider());
        let versions: &[_] = match spec.only {
            Some(TlsVersion::V1_2) => &[&version::TLS12],
            Some(TlsVersion::V1_3) => &[&version::TLS13],
            None => rustls::ALL_VERSIONS,
        };
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(|error| error.to_string())?;
        let builder = match &spec.client_ca_file {
            None => builder.with_no_client_auth(),
            Some(file) => {
                let roots = Arc::new(files::roots(file)?);
                let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let certificates = files::certificates(&spec.certificate_file)?;
        let mut config = builder
            .with_single_cert(certificates, files::key(&spec.key_file)?)
            .map_err(|error| format!("{}: {error}", spec.key_file.display()))?;
        config.alpn_protocols = vec![super::ALPN.to_vec()];
        if spec.resumes {
            config.ticketer = ring::Ticketer::new().map_err(|error| error.to_string())?;
        } else {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        Ok(ServerTls { config: Arc::new(config) })
    }

    pub(crate) fn accept(&self) -> Result<ServerConnection, rustls::Error> {
        ServerConnection::new(Arc::clone(&self.config))
    }
}
