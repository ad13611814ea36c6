//! A body as one number, equal for bodies that say the same: taken while the body is parsed, in one pass, without a tree.
//!
//! Every step is SipHash-1-3 behind a secret that the server does not know. It chooses the bodies, and could otherwise
//! look for two that have one number. Members of an object are added up, so that their order does not count, and
//! elements of an array are chained. Numbers count by value: 1 is 1.0, and -0 is 0.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::Hasher;

use regex_lite::{NoExpand, Regex};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::places::{Action, At, Places};
use crate::plan::NormalisationPlan;

/// What is known of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digest {
    /// Bodies with the same number say the same.
    Of(u64),
    /// An object has two members of one name: readers take one or the other, so that it says nothing for certain.
    MemberTwice,
}

/// Takes digests. One for each thread: it has scratch space.
#[derive(Clone, Debug)]
pub struct Digester {
    places: Places,
    texts: Vec<(Regex, String)>,
    secret: DefaultHasher,
    /// Hashes of the names of the members of every object that is open, the innermost last.
    names: Vec<u64>,
    has_twice: bool,
}

/// So that values of two kinds have no number in common.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
    Name,
    Member,
    Raw,
    Plain,
}

impl Digester {
    /// `key`: the secret.
    ///
    /// # Errors
    /// The key of the plan that does not fit, and why.
    pub fn new(plan: &NormalisationPlan, key: &[u8]) -> Result<Digester, String> {
        let mut places = Places::default();
        let lists = [
            ("volatile", &plan.volatile, Action::TypeAlone),
            ("renamed", &plan.renamed, Action::TypeAlone),
            ("unordered", &plan.unordered, Action::Unordered),
        ];
        for (name, pointers, action) in lists {
            for pointer in pointers {
                places.add(pointer, action).map_err(|text| format!("{name}: {text}"))?;
            }
        }
        let mut texts = Vec::new();
        for text in &plan.text {
            let pattern =
                Regex::new(&text.matches).map_err(|error| format!("text: {:?}: {error}", text.matches))?;
            texts.push((pattern, text.is.clone()));
        }
        let mut secret = DefaultHasher::new();
        secret.write(key);
        Ok(Digester { places, texts, secret, names: Vec::new(), has_twice: false })
    }

    /// The number of bytes as they are.
    #[inline]
    pub fn raw(&self, bytes: &[u8]) -> u64 {
        self.hash(Kind::Raw, |hasher| hasher.write(bytes))
    }

    /// The digest of a body. `media_type`: with or without parameters; empty: none.
    pub fn body(&mut self, media_type: &[u8], body: &[u8]) -> Digest {
        if is_json(media_type, body) {
            self.names.clear();
            self.has_twice = false;
            let mut reader = serde_json::Deserializer::from_slice(body);
            let at = self.places.root();
            let hash = Value { digester: self, at }.deserialize(&mut reader);
            if self.has_twice {
                return Digest::MemberTwice;
            }
            if let (Ok(hash), Ok(())) = (hash, reader.end()) {
                return Digest::Of(hash);
            }
        }
        Digest::Of(self.plain(body))
    }

    /// A body that is no JSON. A line end at its end does not count.
    fn plain(&self, body: &[u8]) -> u64 {
        let body = body.strip_suffix(b"\n").unwrap_or(body);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        // What is no UTF-8 is compared as it is: patterns are about characters.
        let text = if self.texts.is_empty() { None } else { std::str::from_utf8(body).ok() };
        let Some(text) = text else {
            return self.hash(Kind::Plain, |hasher| hasher.write(body));
        };
        let mut text = Cow::Borrowed(text);
        for (pattern, is) in &self.texts {
            text = Cow::Owned(pattern.replace_all(&text, NoExpand(is)).into_owned());
        }
        self.hash(Kind::Plain, |hasher| hasher.write(text.as_bytes()))
    }

    #[inline]
    fn hash(&self, kind: Kind, write: impl FnOnce(&mut DefaultHasher)) -> u64 {
        let mut hasher = self.secret.clone();
        hasher.write_u8(kind as u8);
        write(&mut hasher);
        hasher.finish()
    }
}

/// True if a body is compared as JSON: its type says so, or it begins as an object or an array does.
pub fn is_json(media_type: &[u8], body: &[u8]) -> bool {
    let end = memchr::memchr(b';', media_type).unwrap_or(media_type.len());
    let media_type = media_type[..end].trim_ascii();
    let tail = &media_type[media_type.len().saturating_sub(4)..];
    tail.eq_ignore_ascii_case(b"json") || matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The number of the value at a place.
struct Value<'d> {
    digester: &'d mut Digester,
    at: At,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = u64;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        match self.digester.places.action(self.at) {
            Some(Action::TypeAlone) => {
                let kind = deserializer.deserialize_any(KindOf)?;
                Ok(self.digester.hash(kind, |_| {}))
            }
            Some(Action::Unordered) => {
                deserializer.deserialize_any(Look { digester: self.digester, at: self.at, is_ordered: false })
            }
            None => {
                deserializer.deserialize_any(Look { digester: self.digester, at: self.at, is_ordered: true })
            }
        }
    }
}

struct Look<'d> {
    digester: &'d mut Digester,
    at: At,
    is_ordered: bool,
}

impl Look<'_> {
    #[inline]
    fn whole(&self, number: i128) -> u64 {
        self.digester.hash(Kind::Number, |hasher| hasher.write_i128(number))
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<u64, E> {
        Ok(self.digester.hash(Kind::Null, |hasher| hasher.write_u8(0)))
    }

    fn visit_bool<E: Error>(self, found: bool) -> Result<u64, E> {
        Ok(self.digester.hash(Kind::Boolean, |hasher| hasher.write_u8(found.into())))
    }

    fn visit_u64<E: Error>(self, found: u64) -> Result<u64, E> {
        Ok(self.whole(found.into()))
    }

    fn visit_i64<E: Error>(self, found: i64) -> Result<u64, E> {
        Ok(self.whole(found.into()))
    }

    fn visit_f64<E: Error>(self, found: f64) -> Result<u64, E> {
        // As far as whole numbers are read exactly: beyond 2^64 they come as doubles, too.
        const LARGEST: f64 = 18_446_744_073_709_551_616.0;
        if found.fract() == 0.0 && found.abs() < LARGEST {
            return Ok(self.whole(found as i128));
        }
        Ok(self.digester.hash(Kind::Number, |hasher| hasher.write_u64(found.to_bits())))
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<u64, E> {
        Ok(self.digester.hash(Kind::Text, |hasher| hasher.write(found.as_bytes())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<u64, A::Error> {
        let Look { digester, at, is_ordered } = self;
        let (mut chained, mut count) = (0_u64, 0_u64);
        loop {
            let below = digester.places.element(at, count);
            let Some(hash) = elements.next_element_seed(Value { digester: &mut *digester, at: below })?
            else {
                break;
            };
            count += 1;
            chained = if is_ordered {
                digester.hash(Kind::Member, |hasher| {
                    hasher.write_u64(chained);
                    hasher.write_u64(hash);
                })
            } else {
                chained.wrapping_add(hash)
            };
        }
        Ok(digester.hash(Kind::Array, |hasher| {
            hasher.write_u64(count);
            hasher.write_u64(chained);
        }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<u64, A::Error> {
        let Look { digester, at, .. } = self;
        let first = digester.names.len();
        let mut sum = 0_u64;
        while let Some((name, below)) = members.next_key_seed(Name { digester: &*digester, at })? {
            digester.names.push(name);
            let value = members.next_value_seed(Value { digester: &mut *digester, at: below })?;
            let member = digester.hash(Kind::Member, |hasher| {
                hasher.write_u64(name);
                hasher.write_u64(value);
            });
            sum = sum.wrapping_add(member);
        }
        let names = &mut digester.names[first..];
        let count = names.len() as u64;
        // Sorted, so that an object of a million members does not take a million million steps.
        names.sort_unstable();
        digester.has_twice |= names.windows(2).any(|pair| pair[0] == pair[1]);
        digester.names.truncate(first);
        Ok(digester.hash(Kind::Object, |hasher| {
            hasher.write_u64(count);
            hasher.write_u64(sum);
        }))
    }
}

/// The number of a member's name, and the place of its value.
struct Name<'d> {
    digester: &'d Digester,
    at: At,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = (u64, At);

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(u64, At), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name<'_> {
    type Value = (u64, At);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    #[inline]
    fn visit_str<E: Error>(self, name: &str) -> Result<(u64, At), E> {
        let hash = self.digester.hash(Kind::Name, |hasher| hasher.write(name.as_bytes()));
        Ok((hash, self.digester.places.member(self.at, name)))
    }
}

/// Of which kind a value is; what is in it is passed over.
struct KindOf;

impl<'de> Visitor<'de> for KindOf {
    type Value = Kind;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_bool<E: Error>(self, _found: bool) -> Result<Kind, E> {
        Ok(Kind::Boolean)
    }

    fn visit_u64<E: Error>(self, _found: u64) -> Result<Kind, E> {
        Ok(Kind::Number)
    }

    fn visit_i64<E: Error>(self, _found: i64) -> Result<Kind, E> {
        Ok(Kind::Number)
    }

    fn visit_f64<E: Error>(self, _found: f64) -> Result<Kind, E> {
        Ok(Kind::Number)
    }

    fn visit_str<E: Error>(self, _found: &str) -> Result<Kind, E> {
        Ok(Kind::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Kind, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Kind::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Kind, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind::Object)
    }
}
