//! Runs over TLS against the engine's own target, by both drivers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::common::{Plan, Server, Summary, Target};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};

/// A CA, a server's certificate for `localhost` and `127.0.0.1`, and a client's, as files that go with the test.
struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    fn make(name: &str) -> Certificates {
        let folder = std::env::temp_dir().join(format!("fairtrial-tls-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(rcgen::DnType::CommonName, format!("{name} CA"));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let certificates = Certificates { folder };
        certificates.write("ca.pem", &ca.pem());
        for (who, names) in [("server", ["localhost", "127.0.0.1"]), ("client", ["client", "client.test"])] {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(names.map(str::to_owned)).unwrap();
            let certificate = params.signed_by(&key, &ca).unwrap();
            certificates.write(&format!("{who}.pem"), &certificate.pem());
            certificates.write(&format!("{who}.key"), &key.serialize_pem());
        }
        certificates
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn target(&self, arguments: &[&str]) -> Target {
        let (certificate, key) = (self.path("server.pem"), self.path("server.key"));
        Target::start(&[&["--tls-certificate", &certificate, "--tls-key", &key], arguments].concat())
    }

    /// For a server of the test's own.
    fn server_config(&self) -> Arc<rustls::ServerConfig> {
        use rustls::pki_types::pem::PemObject;
        let chain = rustls::pki_types::CertificateDer::pem_file_iter(self.path("server.pem")).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::from_pem_file(self.path("server.key")).unwrap();
        let builder = rustls::ServerConfig::builder().with_no_client_auth();
        builder.with_single_cert(chain.collect::<Result<_, _>>().unwrap(), key).unwrap().into()
    }

    /// The plan's key `tls` that trusts the CA.
    fn trusting(&self) -> Value {
        json!({"ca_file": self.path("ca.pem")})
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn plan(target: &Target, tls: Value) -> Plan {
    Plan::closed(&target.address, 4).requests(200).with("tls", tls)
}

/// By both drivers; io_uring only where this kernel has it.
fn run_by_both(plan: &Plan) -> Vec<Summary> {
    let by_epoll = plan.clone().with("driver", json!("epoll")).run();
    let by_choice = plan.clone().with("driver", json!("auto")).run();
    vec![by_epoll, by_choice]
}

fn excerpts(summary: &Summary) -> String {
    summary.0["examples"].to_string()
}

#[test]
fn a_trusted_server_is_verified() {
    let certificates = Certificates::make("trusted");
    let target = certificates.target(&[]);
    for summary in run_by_both(&plan(&target, certificates.trusting())) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0), "{}", summary.0);
        assert_eq!(summary.0["tls"], json!({"version": "1.3", "cipher_suite": "TLS_AES_256_GCM_SHA384"}));
        assert_eq!(summary.count("connects"), 4);
        // A record adds 22 bytes at least, and each handshake its certificate.
        assert!(summary.count("wire_sent_bytes") > summary.count("sent_bytes") + 200 * 22);
        assert!(summary.count("wire_received_bytes") > summary.count("received_bytes") + 200 * 22 + 4 * 300);
    }
    assert_eq!(target.served().0, 400);
}

#[test]
fn names_are_verified() {
    let certificates = Certificates::make("names");
    let target = certificates.target(&[]);
    let named =
        |name: &str| plan(&target, json!({"ca_file": certificates.path("ca.pem"), "server_name": name}));
    assert_eq!(named("localhost").run().count("verified"), 200);
    let summary = named("example.org").requests(3).run();
    assert_eq!(summary.errors(), [("tls", 3)]);
    assert!(excerpts(&summary).contains("not for example.org"), "{}", excerpts(&summary));
    assert_eq!(summary.0["tls"], Value::Null);
}

#[test]
fn an_unknown_authority_is_refused_unless_insecure() {
    let (certificates, others) = (Certificates::make("unknown"), Certificates::make("others"));
    let target = certificates.target(&[]);
    for summary in run_by_both(&plan(&target, others.trusting()).requests(3)) {
        assert_eq!((summary.errors(), summary.count("answers")), (vec![("tls", 3)], 0));
        assert!(excerpts(&summary).contains("certificate_issuer"), "{}", excerpts(&summary));
    }
    let summary = plan(&target, json!({"insecure": true, "server_name": "any.name"})).run();
    assert_eq!(summary.count("verified"), 200);
    assert_eq!(target.served().0, 200);
}

#[test]
fn tls_1_2_and_1_3_alone() {
    let certificates = Certificates::make("versions");
    for (version, prefix) in [("1.2", "TLS_ECDHE_"), ("1.3", "TLS_AES_")] {
        let target = certificates.target(&["--tls-version", version]);
        for summary in run_by_both(&plan(&target, certificates.trusting())) {
            assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0), "{}", summary.0);
            assert_eq!(summary.0["tls"]["version"], version);
            assert!(
                summary.0["tls"]["cipher_suite"].as_str().unwrap().starts_with(prefix),
                "{}",
                summary.0["tls"]
            );
        }
    }
}

#[test]
fn a_client_certificate_is_shown_where_it_is_asked_for() {
    let certificates = Certificates::make("client");
    for version in ["1.2", "1.3"] {
        let ca = certificates.path("ca.pem");
        let target = certificates.target(&["--tls-client-ca", &ca, "--tls-version", version]);
        let with = json!({
            "ca_file": ca,
            "certificate_file": certificates.path("client.pem"),
            "key_file": certificates.path("client.key")
        });
        for summary in run_by_both(&plan(&target, with)) {
            assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0));
        }
        let summary = plan(&target, certificates.trusting()).requests(3).run();
        assert_eq!(
            (summary.count("answers"), summary.errors()),
            (0, vec![("tls", 3)]),
            "{version}: {}",
            summary.0
        );
        assert!(excerpts(&summary).contains("client_certificate"), "{version}: {}", excerpts(&summary));
        assert_eq!(target.served().0, 400);
    }
}

#[test]
fn many_connections_and_one_request_each() {
    let certificates = Certificates::make("many");
    let target = certificates.target(&[]);
    let many = Plan::closed(&target.address, 300).requests(1200).with("tls", certificates.trusting());
    for summary in run_by_both(&many) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (1200, 0), "{}", summary.0);
    }
    let one_each = plan(&target, certificates.trusting()).with("requests_per_connection", json!(1));
    for summary in run_by_both(&one_each) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0), "{}", summary.0);
        assert_eq!(summary.count("connects"), 200);
    }
}

#[test]
fn bodies_larger_than_a_record_both_ways() {
    let certificates = Certificates::make("large");
    let target = certificates.target(&["--body-bytes", "300000"]);
    let mut large = plan(&target, certificates.trusting())
        .expect(json!({"body_bytes": {"min": 300_000, "max": 300_000}}))
        .requests(40);
    large.0["requests"][0]["method"] = json!("POST");
    large.0["requests"][0]["body"] = json!("x".repeat(400_000));
    for summary in run_by_both(&large) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (40, 0), "{}", summary.0);
        assert!(summary.count("sent_bytes") > 40 * 400_000);
    }
}

#[test]
fn cut_answers_and_resets_are_told_apart() {
    let certificates = Certificates::make("cut");
    let cut = certificates.target(&["--cut-body", "1", "--body-bytes", "100"]);
    for summary in run_by_both(&plan(&cut, certificates.trusting()).requests(3)) {
        assert_eq!(summary.errors(), [("closed", 3)]);
    }
    let reset = certificates.target(&["--reset", "1"]);
    for summary in run_by_both(&plan(&reset, certificates.trusting()).requests(3)) {
        assert_eq!(summary.errors(), [("reset", 3)]);
    }
}

/// Serves one TLS connection: an answer that ends with the connection, with or without a close_notify.
fn answer_until_close(certificates: &Certificates, with_farewell: bool) -> Summary {
    let config = certificates.server_config();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut tls = rustls::ServerConnection::new(config).unwrap();
        let mut stream = rustls::Stream::new(&mut tls, &mut socket);
        let mut request = [0; 1000];
        assert!(stream.read(&mut request).unwrap() > 0);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nuntil the end").unwrap();
        if with_farewell {
            tls.send_close_notify();
            tls.write_tls(&mut socket).unwrap();
            // The socket stays open: the farewell alone must end the answer.
            let _ = socket.read(&mut request);
        }
    });
    let summary = Plan::closed(&address, 1).requests(1).with("tls", certificates.trusting()).run();
    server.join().unwrap();
    summary
}

#[test]
fn only_a_close_notify_ends_an_answer_without_length() {
    let certificates = Certificates::make("farewell");
    let summary = answer_until_close(&certificates, true);
    assert_eq!((summary.count("verified"), summary.all_errors()), (1, 0), "{}", summary.0);
    assert_eq!(summary.0["body_bytes"]["max"], 13);
    // Anybody can cut a connection: without the farewell the answer may not be all.
    assert_eq!(answer_until_close(&certificates, false).errors(), [("closed", 1)]);
}

/// How a connection ends whose every request is answered, as the server's TLS sees it.
fn serve_to_the_end(config: Arc<rustls::ServerConfig>, mut socket: TcpStream) -> std::io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut tls = rustls::ServerConnection::new(config).unwrap();
    let mut stream = rustls::Stream::new(&mut tls, &mut socket);
    let mut request = [0; 1000];
    while stream.read(&mut request)? > 0 {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
    }
    Ok(())
}

#[test]
fn connections_that_the_engine_closes_end_with_a_close_notify() {
    let certificates = Certificates::make("orderly");
    let config = certificates.server_config();
    let (report, ends) = mpsc::channel();
    let server = Server::start(move |_, socket| {
        let _ = report.send(serve_to_the_end(Arc::clone(&config), socket));
    });
    let kept = Plan::closed(&server.address, 4).requests(40).with("tls", certificates.trusting());
    let two_each = kept.clone().with("requests_per_connection", json!(2));
    for plan in [kept, two_each] {
        for summary in run_by_both(&plan) {
            assert_eq!((summary.count("verified"), summary.all_errors()), (40, 0), "{}", summary.0);
            for _ in 0..summary.count("connects") {
                ends.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
            }
        }
    }
}

/// The errors, and the examples' text, where the server says only this to two connections, and closes.
fn two_requests_to(certificates: &Certificates, farewell: &'static [u8]) -> (Vec<u64>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        for _ in 0..2 {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 4096]);
            socket.write_all(farewell).unwrap();
        }
    });
    let summary = Plan::closed(&address, 1).requests(2).with("tls", certificates.trusting()).run();
    server.join().unwrap();
    (
        summary.errors().iter().filter(|(kind, _)| *kind == "tls").map(|(_, count)| *count).collect(),
        excerpts(&summary),
    )
}

#[test]
fn servers_without_tls_are_told() {
    let certificates = Certificates::make("without");
    let (errors, text) = two_requests_to(&certificates, b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(errors == [2] && text.contains("does not speak TLS"), "{errors:?} {text}");
    let (errors, text) = two_requests_to(&certificates, b"");
    assert!(errors == [2] && text.contains("during the TLS handshake"), "{errors:?} {text}");
}

#[test]
fn wrong_files_are_named() {
    let certificates = Certificates::make("files");
    let refused = |tls: Value, expected: &str| {
        let (text, status) = Plan::closed("127.0.0.1:1", 1).with("tls", tls).refusal();
        assert!(text.contains(expected) && text.lines().count() == 1, "{text}");
        assert_eq!(status, Some(2));
    };
    refused(json!({"ca_file": "/nowhere.pem"}), "tls.ca_file: /nowhere.pem");
    refused(json!({"ca_file": certificates.path("ca.pem"), "server_name": "a b"}), "tls.server_name");
    refused(json!({"insecure": true, "key_file": certificates.path("client.key")}), "need each other");
    let empty = certificates.path("client.key");
    refused(json!({"ca_file": empty}), "holds no certificate");
    assert!(Path::new(&certificates.path("ca.pem")).exists());
}

#[test]
fn over_a_unix_socket() {
    let certificates = Certificates::make("unix");
    let path = certificates.path("socket");
    let (certificate, key) = (certificates.path("server.pem"), certificates.path("server.key"));
    let target = Target::start(&["--unix", &path, "--tls-certificate", &certificate, "--tls-key", &key]);
    for summary in run_by_both(&plan(&target, certificates.trusting())) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0), "{}", summary.0);
    }
}

#[test]
fn connections_log_in_over_tls() {
    let certificates = Certificates::make("set-up");
    let target = certificates.target(&["--body", r#"{"token": "t0ken"}"#]);
    let login = json!({"name": "login", "path": "/login", "take": {"token": {"pointer": "/token"}}});
    let order = json!({"path": "/", "template": true, "headers": [["x-token", "{{var token}}"]]});
    let plan = plan(&target, certificates.trusting()).with("setup", json!([login]));
    for summary in run_by_both(&plan.with("requests", json!([order]))) {
        assert_eq!((summary.count("verified"), summary.all_errors()), (200, 0), "{}", summary.0["examples"]);
        assert_eq!(summary.0["setup_requests"]["completed"], 4);
    }
}

#[test]
fn sessions_are_taken_up_only_if_the_plan_and_the_server_want_it() {
    let certificates = Certificates::make("resumption");
    for version in ["1.2", "1.3"] {
        for (server_resumes, plan_resumes) in [(true, true), (true, false), (false, true)] {
            let more: &[&str] = if server_resumes { &["--tls-resumption"] } else { &[] };
            let target = certificates.target(&[&["--tls-version", version], more].concat());
            let tls = json!({
                "ca_file": certificates.path("ca.pem"), "server_name": "localhost", "resume": plan_resumes
            });
            let summary = Plan::closed(&target.address, 2)
                .with("tls", tls)
                .with("requests_per_connection", json!(1))
                .requests(40)
                .run();
            assert_eq!((summary.count("verified"), summary.errors()), (40, vec![]));
            let made = &summary.0["handshakes"];
            let (full, resumed) = (made["full"].as_u64().unwrap(), made["resumed"].as_u64().unwrap());
            assert_eq!(full + resumed, summary.count("connects"), "{made}");
            let case = format!("TLS {version}, server {server_resumes}, plan {plan_resumes}: {made}");
            if server_resumes && plan_resumes {
                assert!(resumed > 30 && full >= 1, "{case}");
            } else {
                assert_eq!(resumed, 0, "{case}");
            }
        }
    }
}

#[test]
fn without_tls_there_are_no_handshakes() {
    let target = Target::start(&[]);
    assert!(Plan::closed(&target.address, 1).requests(1).run().0["handshakes"].is_null());
}
