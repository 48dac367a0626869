//! From an address to settings and encryption. `sslmode` and `sslrootcert` mean what they mean to PostgreSQL's own programs:
//! `prefer` and `require` encrypt without asking who is there, `verify-ca` asks for a certificate that `sslrootcert` vouches
//! for, and `verify-full` for one with the host's name as well.

use crate::address::Address;
use crate::error::{Error, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How a connection is kept from others.
pub(super) enum Encryption {
    /// Without encryption.
    None,
    /// By TLS.
    Tls(MakeRustlsConnect),
}

/// What is asked of a server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Anybody,
    Authority,
    Host,
}

/// Settings of the connection to an address.
pub(super) fn read(address: &Address) -> Result<(Config, Encryption)> {
    let bad = |reason: String| Error::BadAddress { address: address.clone(), reason };
    let rest = address.postgres().unwrap_or_default();
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (mut mode, mut roots, mut others) = ("prefer".to_owned(), None, Vec::new());
    for option in options.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("sslmode", value)) => mode = value.to_owned(),
            Some(("sslrootcert", value)) => roots = Some(unescaped(value)),
            Some(_) | None => others.push(option),
        }
    }
    let url = format!("postgres://{place}?{}", others.join("&"));
    // A text that cannot be read may hold a password, and the parser's message quotes a part of the text.
    let mut config: Config = url.parse().map_err(|_| {
        bad("it is postgres://user:password@host:port/database?option=value&…, special characters escaped as %40"
            .into())
    })?;
    if config.get_password().is_none()
        && let Ok(password) = std::env::var("PGPASSWORD")
    {
        config.password(password);
    }
    let (ssl, trust) = match mode.as_str() {
        "disable" => (SslMode::Disable, Trust::Anybody),
        "prefer" | "allow" => (SslMode::Prefer, Trust::Anybody),
        // If there is a root certificate, PostgreSQL's own programs use it, for the sake of those who expect that.
        "require" if roots.is_some() => (SslMode::Require, Trust::Authority),
        "require" => (SslMode::Require, Trust::Anybody),
        "verify-ca" => (SslMode::Require, Trust::Authority),
        "verify-full" => (SslMode::Require, Trust::Host),
        _ => return Err(bad("sslmode is disable, prefer, require, verify-ca or verify-full".into())),
    };
    config.ssl_mode(ssl);
    config.keepalives_idle(std::time::Duration::from_secs(30));
    if ssl == SslMode::Disable {
        return Ok((config, Encryption::None));
    }
    let client = client(trust, roots.as_deref()).map_err(bad)?;
    Ok((config, Encryption::Tls(MakeRustlsConnect::new(client))))
}

fn client(trust: Trust, roots: Option<&str>) -> std::result::Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let said = |error: rustls::Error| error.to_string();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(said)?;
    let authority = match trust {
        Trust::Anybody => None,
        Trust::Authority | Trust::Host => {
            let path =
                roots.ok_or("sslmode=verify-ca and verify-full need sslrootcert=FILE, the certificate to trust")?;
            let unreadable = |error: rustls::pki_types::pem::Error| format!("sslrootcert {path}: {error}");
            let mut store = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                store.add(certificate.map_err(unreadable)?).map_err(|error| format!("sslrootcert {path}: {error}"))?;
            }
            if store.is_empty() {
                return Err(format!("sslrootcert {path} holds no certificate"));
            }
            let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider)).build();
            Some(verifier.map_err(|error| format!("sslrootcert {path}: {error}"))?)
        }
    };
    let verifier = Arc::new(Verifier { trust, authority, provider });
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Looks at a certificate as `sslmode` asks.
#[derive(Debug)]
struct Verifier {
    trust: Trust,
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(authority) = &self.authority else { return Ok(ServerCertVerified::assertion()) };
        match authority.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            // The name is checked last: all else holds by then.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.trust == Trust::Authority => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// `%20` and its like as the characters that they stand for.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
