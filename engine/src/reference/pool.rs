//! The instances of a run's requests, with the answers that were kept of them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::digest::Digester;
use super::keep::KeptAnswer;
use super::{NO_INSTANCE, request_line};
use crate::http1::request::EncodedRequest;
use crate::mix::RequestMix;
use crate::plan::RequestPlan;
use crate::rows::Pick;
use crate::template::Renderer;

/// By place in the mix; `None`: the request is not compared.
#[derive(Debug)]
pub struct Pool(Vec<Option<Instances>>);

/// The instances of one request.
#[derive(Debug, Default)]
struct Instances {
    name: String,
    /// The request is always the same: it has one instance, whose bytes are not needed.
    is_fixed: bool,
    bytes: Vec<u8>,
    /// Where each instance ends.
    ends: Vec<usize>,
    /// What each is about: see [`crate::template::Message::render`].
    about: Vec<u64>,
    kept: Vec<Option<Expected>>,
    /// Those of which an answer was kept.
    answered: Vec<u32>,
}

/// An answer that was kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub status: u16,
    /// Of the media type.
    pub media_type: u64,
    /// `None`: nothing is equal to it.
    pub digest: Option<u64>,
}

impl Pool {
    /// Renders the instances as a run in mode `keep` with this seed did, whose requests were the compared ones alone.
    ///
    /// # Errors
    /// A request that cannot be rendered twice.
    pub(super) fn new(
        plans: &[RequestPlan],
        requests: &[EncodedRequest],
        seed: u64,
        instances: u32,
    ) -> Result<Pool, String> {
        let compared: Vec<usize> = (0..plans.len()).filter(|&place| plans[place].compared).collect();
        let mut pool = Pool(plans.iter().map(|_| None).collect());
        for &place in &compared {
            let message = &requests[place].message;
            let takes_once = message.tables().iter().any(|table| matches!(table.pick(), Pick::Once));
            if message.first_sequence().is_some() || takes_once {
                return Err(format!(
                    "requests[{place}].compared: each of its instances can be sent once only"
                ));
            }
            let is_fixed = message.fixed(false).is_some();
            pool.0[place] =
                Some(Instances { name: plans[place].name.clone(), is_fixed, ..Instances::default() });
        }
        let mut renderer = Renderer::new(seed, 0);
        let mix = RequestMix::new(&vec![1; compared.len()])?;
        for _ in 0..u64::from(instances) * compared.len() as u64 {
            let place = compared[mix.next()];
            let message = &requests[place].message;
            let Some(of_request) = &mut pool.0[place] else { continue };
            if of_request.is_fixed && !of_request.ends.is_empty() {
                continue;
            }
            let about = message.render(false, &mut renderer, &mut of_request.bytes).unwrap_or(0);
            of_request.end_instance(about);
        }
        Ok(pool)
    }

    /// Reads the kept answers. Those to further instances are passed over.
    ///
    /// # Errors
    /// The file cannot be read, or is not about these instances.
    pub(super) fn read(
        &mut self,
        path: &Path,
        plans: &[RequestPlan],
        digester: &Digester,
    ) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut line = String::new();
        for number in 1_u64.. {
            line.clear();
            if reader.read_line(&mut line).map_err(failed)? == 0 {
                break;
            }
            let of_line = |text: String| format!("line {number}: {text}");
            let kept: KeptAnswer<'_> =
                serde_json::from_str(&line).map_err(|error| of_line(error.to_string()))?;
            let place = plans.iter().position(|plan| plan.compared && plan.name == kept.request);
            let Some(of_request) = place.and_then(|place| self.0[place].as_mut()) else { continue };
            of_request.keep(&kept, digester).map_err(of_line)?;
        }
        Ok(())
    }

    /// The instance of a request that is always the same.
    #[inline]
    pub(super) fn fixed_instance(&self, request: usize) -> u32 {
        match &self.0[request] {
            Some(of_request) if of_request.is_fixed && !of_request.answered.is_empty() => 0,
            _ => NO_INSTANCE,
        }
    }

    /// Every second time an instance whose answer was kept, written to `out`.
    ///
    /// The others are drawn afresh: instances come again and again, and a server that remembers answers would be
    /// measured by its memory. Chance decides which, so that a server cannot know one from the other.
    #[inline]
    pub(super) fn draw(
        &self,
        request: usize,
        closes: bool,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> Option<(u64, u32)> {
        let of_request = self.0[request].as_ref()?;
        if of_request.answered.is_empty() || renderer.below(2) == 0 {
            return None;
        }
        let place = renderer.below(of_request.answered.len() as u64) as usize;
        let instance = of_request.answered[place];
        let bytes = of_request.bytes(instance);
        if closes {
            // In front of the blank line: as many bytes as the request has, and it is the same request.
            let end = head_end(bytes);
            out.extend_from_slice(&bytes[..end]);
            out.extend_from_slice(b"Connection: close\r\n");
            out.extend_from_slice(&bytes[end..]);
        } else {
            out.extend_from_slice(bytes);
        }
        Some((of_request.about[instance as usize], instance))
    }

    /// The answer that was kept.
    #[inline]
    pub(super) fn expected(&self, request: usize, instance: u32) -> Option<Expected> {
        self.0[request].as_ref()?.kept.get(instance as usize).copied().flatten()
    }

    /// By place in the mix, the name of a compared request and how many instances it has.
    pub(super) fn requests(&self) -> impl Iterator<Item = Option<(&str, usize)>> {
        self.0.iter().map(|of_request| {
            of_request.as_ref().map(|of_request| (of_request.name.as_str(), of_request.ends.len()))
        })
    }
}

impl Instances {
    fn end_instance(&mut self, about: u64) {
        self.ends.push(self.bytes.len());
        self.about.push(about);
        self.kept.push(None);
    }

    fn bytes(&self, instance: u32) -> &[u8] {
        let place = instance as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    fn keep(&mut self, kept: &KeptAnswer<'_>, digester: &Digester) -> Result<(), String> {
        let instance = kept.instance as usize;
        if instance >= self.ends.len() {
            return Ok(());
        }
        let asked = request_line(self.bytes(kept.instance));
        let asked = String::from_utf8_lossy(&asked[..asked.len().min(kept.asked.len())]);
        if asked != kept.asked {
            return Err(format!(
                "instance {instance} of {} is {asked:?} here, and the answer is to {:?}",
                self.name, kept.asked
            ));
        }
        let digest = match &kept.digest {
            Some(digits) => {
                Some(u64::from_str_radix(digits, 16).map_err(|error| format!("digest: {error}"))?)
            }
            None => None,
        };
        let media_type = digester.raw(&media_type(kept.content_type.as_bytes()));
        if self.kept[instance].is_none() {
            self.answered.push(kept.instance);
        }
        self.kept[instance] = Some(Expected { status: kept.status, media_type, digest });
        Ok(())
    }
}

/// A media type without parameters, in lower case.
pub(super) fn media_type(content_type: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(b';', content_type).unwrap_or(content_type.len());
    content_type[..end].trim_ascii().to_ascii_lowercase()
}

/// Where the blank line behind the headers begins.
fn head_end(bytes: &[u8]) -> usize {
    memchr::memmem::find(bytes, b"\r\n\r\n").map_or(bytes.len(), |at| at + 2)
}
