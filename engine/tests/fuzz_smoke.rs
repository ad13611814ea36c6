//! Fuzzing for everybody: seeded mutations of the corpus, with the stable compiler, for a bounded time.
//!
//! `FUZZ_SECONDS` is the time for each parser (default 5). Each run begins with a seed of its own, so that many runs try
//! more than one; what fails names the seed with which `FUZZ_SEED` does it again. `fuzz/` holds the same properties for
//! cargo-fuzz, which finds more in more time.

#[path = "../fuzz/properties.rs"]
mod properties;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fairtrial_engine::dataset::mix;

/// Longest input, bytes; above the limit for heads.
const LONGEST: usize = 100_000;

/// Bytes that mean something to the parsers.
const TOKENS: [&str; 32] = [
    "\r\n",
    "\r\n\r\n",
    "\n\n",
    ":",
    " ",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    ";",
    "ffffffffffffffff",
    "-1",
    "00",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 ",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "204",
    "{{",
    "}}",
    "{{uniform 1 9}}",
    "{{field ",
    "zipf 10 1.1",
    "sequence",
    "\"id\":",
    "\"id\": 7",
    ", \"more\": {\"name\": \"\"}",
    "\"name\":",
    "\\u0069",
    "{",
    "}",
    ",",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (mix(self.0) % bound.max(1) as u64) as usize
    }
}

/// Changes `input` in one place.
fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len() + 1);
    match random.below(8) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at..(at + 1 + random.below(8)).min(input.len()))),
        3 => input.truncate(at),
        4 => {
            // A piece again, perhaps many times.
            let piece = input[at..(at + 1 + random.below(32)).min(input.len())].to_vec();
            let times = if random.below(50) == 0 { 3000 } else { 1 + random.below(3) };
            input.splice(at..at, piece.repeat(times));
        }
        5 => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len() + 1);
            input.splice(at.., other[from..].iter().copied());
        }
        _ => drop(input.splice(at..at, TOKENS[random.below(TOKENS.len())].bytes())),
    }
    input.truncate(LONGEST);
}

fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: no number")))
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = format!("{}/fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let corpus: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(corpus.len() >= 8);
    corpus
}

/// Tries the corpus, and mutations of it until the time is over.
fn fuzz(name: &str, property: fn(&[u8])) {
    let corpus = corpus(name);
    corpus.iter().for_each(|input| property(input));
    let end = Instant::now() + Duration::from_secs(environment("FUZZ_SECONDS", 5));
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut seed = environment("FUZZ_SEED", mix(since_1970.as_nanos() as u64) >> 1);
    while Instant::now() < end {
        let mut random = Random(mix(seed));
        let mut input = corpus[random.below(corpus.len())].clone();
        for _ in 0..1 + random.below(12) {
            mutate(&mut input, &corpus, &mut random);
        }
        if std::panic::catch_unwind(|| property(&input)).is_err() {
            panic!("FUZZ_SEED={seed} breaks {name}: {:?}", input.escape_ascii().to_string());
        }
        seed += 1;
    }
}

#[test]
fn most_answers_of_the_corpus_are_compared_with_what_other_means_make_of_them() {
    let corpus = corpus("response");
    let compared = corpus.iter().filter(|input| properties::has_oracle(input)).count();
    assert!(compared * 2 > corpus.len(), "{compared} of {}", corpus.len());
}

#[test]
fn some_bodies_are_rows_and_some_are_none() {
    let corpus = corpus("row");
    let are_rows: Vec<[bool; 2]> = (0..1000_u32).map(|n| properties::are_rows(&n.to_le_bytes())).collect();
    let drawn = are_rows.iter().filter(|[_, drawn]| *drawn).count();
    assert!((200..800).contains(&drawn), "{drawn} of 1000 that are drawn");
    let of_corpus = corpus.iter().filter(|body| properties::are_rows(body)[0]).count();
    assert!((2..corpus.len() - 1).contains(&of_corpus), "{of_corpus} of {}", corpus.len());
}

#[test]
fn rows() {
    fuzz("row", properties::row);
}

#[test]
fn responses() {
    fuzz("response", properties::response);
}

#[test]
fn templates() {
    fuzz("template", properties::template);
}
