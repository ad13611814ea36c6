//! Certificates as servers have them, right and wrong, and what a server of rustls makes of them.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig, SupportedCipherSuite, SupportedProtocolVersion, version};
use serde_json::{Value, json};

/// An authority with a file of its certificate, which goes with the test.
pub struct Authority {
    folder: PathBuf,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and a key, which need not belong together.
pub struct Identity {
    pub certificate: CertificateDer<'static>,
    pub key: PrivateKeyDer<'static>,
}

impl Authority {
    pub fn new(name: &str) -> Authority {
        let folder = std::env::temp_dir().join(format!("fairtrial-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(folder.join("authority.pem"), issuer.pem()).unwrap();
        Authority { folder, issuer }
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// The plan's key `tls` that trusts the authority.
    pub fn trusting(&self) -> Value {
        json!({"ca_file": self.path("authority.pem"), "server_name": "localhost"})
    }

    /// The same with a client's certificate, which this authority has signed.
    pub fn trusting_with_client(&self, trusted: &Authority) -> Value {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["client.test".to_owned()]).unwrap();
        std::fs::write(self.path("client.pem"), params.signed_by(&key, &self.issuer).unwrap().pem()).unwrap();
        std::fs::write(self.path("client.key"), key.serialize_pem()).unwrap();
        let mut tls = trusted.trusting();
        tls["certificate_file"] = json!(self.path("client.pem"));
        tls["key_file"] = json!(self.path("client.key"));
        tls
    }

    /// The plan's key `tls` that trusts this certificate alone.
    pub fn trusting_only(&self, identity: &Identity) -> Value {
        use base64::Engine;
        let text = base64::engine::general_purpose::STANDARD.encode(&identity.certificate);
        let file = self.path("only.pem");
        let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
        std::fs::write(&file, pem).unwrap();
        json!({"ca_file": file, "server_name": "localhost"})
    }

    /// A certificate for `localhost`, as `change` would have it.
    pub fn identity(&self, change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let (params, key) = params(change);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        identity(certificate.der(), &key)
    }

    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        roots
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The same, signed by itself.
pub fn self_signed(change: impl FnOnce(&mut CertificateParams)) -> Identity {
    let (params, key) = params(change);
    identity(params.self_signed(&key).unwrap().der(), &key)
}

fn params(change: impl FnOnce(&mut CertificateParams)) -> (CertificateParams, KeyPair) {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    change(&mut params);
    (params, KeyPair::generate().unwrap())
}

fn identity(certificate: &CertificateDer<'static>, key: &KeyPair) -> Identity {
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    Identity { certificate: certificate.clone(), key }
}

/// What a server does in its handshakes.
pub struct Habits {
    pub version: &'static SupportedProtocolVersion,
    pub alpn: &'static [&'static str],
    /// Clients must show a certificate of one of these.
    pub clients: Option<RootCertStore>,
}

/// TLS 1.3 with ALPN for both versions of HTTP.
pub const USUAL: Habits = Habits { version: &version::TLS13, alpn: &["h2", "http/1.1"], clients: None };

/// TLS 1.2 likewise.
pub const OLDER: Habits = Habits { version: &version::TLS12, ..USUAL };

/// A server's TLS. Its cipher suites are those by which [`super::sealed`] makes records.
pub fn config(identity: &Identity, habits: Habits) -> Arc<ServerConfig> {
    let suites: Vec<SupportedCipherSuite> = vec![
        ring::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
        ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ];
    let provider =
        Arc::new(rustls::crypto::CryptoProvider { cipher_suites: suites, ..ring::default_provider() });
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[habits.version])
        .unwrap();
    let builder = match habits.clients {
        None => builder.with_no_client_auth(),
        Some(roots) => builder.with_client_cert_verifier(
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap(),
        ),
    };
    let key = ring::sign::any_supported_type(&identity.key).unwrap();
    let certified = CertifiedKey::new(vec![identity.certificate.clone()], key);
    let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
    config.alpn_protocols = habits.alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    config.enable_secret_extraction = true;
    config.send_tls13_tickets = 0;
    Arc::new(config)
}
