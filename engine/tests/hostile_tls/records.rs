//! Records, and ends without one, that break a handshake or an answer.

use serde_json::json;

use super::Case;
use super::cases::Authorities;
use super::identities::{OLDER, USUAL, config};
use super::sealed::{ALERT, DATA, HANDSHAKE, header, message};
use super::servers::{HALF, Secure, asked, in_the_handshake, right, says, seals, stops_after};

pub fn broken(with: &Authorities) -> Vec<Case> {
    let usual = || config(&with.right(), USUAL);
    let past = |bytes: &'static [u8]| {
        asked(usual(), move |mut secure| {
            secure.say(HALF)?;
            secure.say_past(bytes)?;
            secure.leave();
            Ok(())
        })
    };
    let sealed = |kind, content: Vec<u8>| seals(usual(), move |sealed| sealed.record(kind, &content));
    vec![
        with.tls(
            "ciphertext of nobody in the handshake",
            in_the_handshake(usual(), false, |hello, _| [hello, forged()].concat()),
            "bad_record",
            "in the handshake: it cannot be decrypted",
        ),
        with.tls(
            "no record in the handshake",
            in_the_handshake(usual(), false, |hello, _| [hello, vec![0xff; 40]].concat()),
            "bad_record",
            "in the handshake",
        ),
        with.tls(
            "a record above the limit in the handshake",
            in_the_handshake(usual(), false, |hello, _| [hello, header(DATA, 0xffff).to_vec()].concat()),
            "record_size",
            "in the handshake",
        ),
        with.tls(
            "a handshake's message of a megabyte",
            says([header(HANDSHAKE, 4).as_slice(), &[2, 0x10, 0, 0]].concat()),
            "bad_message",
            "in the handshake",
        ),
        with.tls(
            "a Finished in place of a ServerHello",
            says([header(HANDSHAKE, 36).as_slice(), &message(20, &[0; 32])].concat()),
            "bad_message",
            "Finished",
        ),
        with.tls("ciphertext of nobody in an answer", past(&FORGED), "bad_record", "after the handshake"),
        with.tls(
            "plain HTTP in an answer",
            past(b"HTTP/1.1 500 Oops\r\n\r\n"),
            "bad_record",
            "after the handshake",
        ),
        with.tls(
            "an oversized record in an answer",
            past(&[DATA, 3, 3, 0xff, 0xff]),
            "record_size",
            "16 KiB",
        ),
        with.tls("a record of no type", sealed(99, vec![1, 2, 3]), "bad_record", "after the handshake"),
        with.tls(
            "a HelloRequest, TLS 1.3",
            sealed(HANDSHAKE, message(0, b"")),
            "renegotiation",
            "another handshake",
        ),
        with.tls(
            "HelloRequests, TLS 1.2",
            seals(config(&with.right(), OLDER), |sealed| sealed.records(3, HANDSHAKE, &message(0, b""))),
            "renegotiation",
            "another handshake",
        ),
        with.tls(
            "a HelloRequest that is insisted on, TLS 1.2",
            seals(config(&with.right(), OLDER), |sealed| {
                [sealed.record(HANDSHAKE, &message(0, b"")), sealed.record(ALERT, &[2, 40])].concat()
            }),
            "renegotiation",
            "another handshake",
        ),
        with.tls("a fatal alert in an answer", sealed(ALERT, vec![2, 80]), "tls_alert", "internal_error"),
    ]
}

/// A record of TLS 1.3 that nobody has encrypted.
const FORGED: [u8; 45] = {
    let mut record = [0; 45];
    (record[0], record[1], record[2], record[4]) = (DATA, 3, 3, 40);
    record
};

fn forged() -> Vec<u8> {
    FORGED.to_vec()
}

pub fn floods(with: &Authorities) -> Vec<Case> {
    let usual = || config(&with.right(), USUAL);
    vec![
        with.tls(
            "KeyUpdates",
            asked(usual(), |mut secure| {
                secure.say(HALF)?;
                for _ in 0..1_000 {
                    secure.tls.refresh_traffic_keys().unwrap();
                    secure.flush()?;
                }
                secure.leave();
                Ok(())
            }),
            "tls_flood",
            "KeyUpdates",
        ),
        with.tls(
            "empty records",
            seals(usual(), |sealed| sealed.records(1_000, DATA, b"")),
            "tls_flood",
            "empty",
        ),
        with.tls(
            "session tickets",
            seals(usual(), |sealed| sealed.records(400, HANDSHAKE, &ticket())),
            "tls_flood",
            "session tickets",
        ),
        with.tls(
            "warnings, TLS 1.2",
            seals(config(&with.right(), OLDER), |sealed| sealed.records(1_000, ALERT, &[1, 100])),
            "tls_flood",
            "warnings",
        ),
        with.tls(
            "user_canceled, TLS 1.3",
            seals(usual(), |sealed| sealed.records(1_000, ALERT, &[1, 90])),
            "tls_flood",
            "warnings",
        ),
    ]
}

/// A NewSessionTicket of a kilobyte: RFC 8446, 4.6.1.
fn ticket() -> Vec<u8> {
    let mut content = vec![0, 0, 0x1c, 0x20, 1, 2, 3, 4, 1, 0, 4, 0];
    content.extend([9; 1024]);
    content.extend([0, 0]);
    message(4, &content)
}

pub fn ends(with: &Authorities) -> Vec<Case> {
    let usual = || config(&with.right(), USUAL);
    vec![
        with.case(
            "an end within an answer",
            asked(usual(), |mut secure| {
                secure.say(HALF)?;
                secure.leave();
                Ok(())
            }),
            "closed",
            "no_close_notify",
            "without a close_notify",
        ),
        with.case(
            "an end of an answer without length",
            asked(usual(), |mut secure| {
                secure.say(b"HTTP/1.1 200 OK\r\n\r\nperhaps all")?;
                secure.leave();
                Ok(())
            }),
            "closed",
            "no_close_notify",
            "without a close_notify",
        ),
        with.case(
            "a close_notify within an answer",
            asked(usual(), |mut secure| {
                secure.say(HALF)?;
                secure.tls.send_close_notify();
                secure.flush()?;
                secure.leave();
                Ok(())
            }),
            "closed",
            "early_close_notify",
            "before its answer was complete",
        ),
        with.case(
            "a reset within an answer",
            asked(usual(), |mut secure| {
                secure.say(HALF)?;
                secure.reset();
                Ok(())
            }),
            "reset",
            "body_unfinished",
            "status 200 came, then 4 of 100 bytes",
        ),
    ]
}

/// Where the way of a failure through HTTP/2 is another one.
pub fn over_http2(with: &Authorities) -> Vec<Case> {
    let usual = || config(&with.right(), USUAL);
    /// SETTINGS, and then the server awaits the first HEADERS.
    fn greeted(secure: &mut Secure<'_>) -> std::io::Result<()> {
        secure.say(&[0, 0, 0, 4, 0, 0, 0, 0, 0])?;
        let mut frames = Vec::new();
        loop {
            // SETTINGS are acknowledged, then HEADERS of a stream come.
            frames.extend(secure.hear()?);
            if frames.windows(4).any(|part| part[0] == 1 && part[1] & 4 != 0 && part[2..] == [0, 0]) {
                return Ok(());
            }
        }
    }
    let asked_over_http2 = |bytes: &'static [u8]| {
        asked(usual(), move |mut secure| {
            greeted(&mut secure)?;
            secure.say_past(bytes)?;
            secure.leave();
            Ok(())
        })
    };
    [
        with.tls(
            "a stranger's, HTTP/2",
            right(config(&with.stranger.identity(|_| {}), USUAL)),
            "certificate_issuer",
            "",
        ),
        with.tls("plain HTTP, HTTP/2", says(*b"HTTP/1.1 400 Bad Request\r\n\r\n"), "plain_http", "400"),
        with.tls(
            "ciphertext of nobody, HTTP/2",
            asked_over_http2(&FORGED),
            "bad_record",
            "after the handshake",
        ),
        with.case("an end within an answer, HTTP/2", asked_over_http2(b""), "closed", "no_close_notify", ""),
        with.case("silence, HTTP/2", stops_after(b""), "timeout", "handshake_timeout", "the TLS handshake")
            .with("timeout_seconds", json!(0.2)),
    ]
    .map(Case::over_http2)
    .into()
}
