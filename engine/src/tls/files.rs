//! Certificates and keys as PEM files have them.

use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// All certificates of a file, at least one.
///
/// # Errors
/// A line that names the file.
pub(super) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let found: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))?.collect();
    match found {
        Ok(found) if found.is_empty() => Err(wrong(&"holds no certificate in PEM form")),
        Ok(found) => Ok(found),
        Err(error) => Err(wrong(&error)),
    }
}

/// A file's first private key.
///
/// # Errors
/// A line that names the file.
pub(super) fn key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_file(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// The certificates of a file as roots to trust.
///
/// # Errors
/// A line that names the file.
pub(super) fn roots(file: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(roots)
}
