//! The requests that each connection sends before the load.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::{Expect, InvalidPlan, Load, Plan, RequestPlan};
use crate::template::{Part, Placeholder, parse};

/// One setup request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupPlan {
    /// What the request is called.
    pub name: String,
    /// The method, as it is sent.
    #[serde(default = "super::request::default_method")]
    pub method: String,
    /// The request target, from the slash on.
    pub path: String,
    /// Header names and values, sent in this order.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body's text.
    #[serde(default)]
    pub body: Option<String>,
    /// A file that holds the body; never a template.
    #[serde(default)]
    pub body_file: Option<PathBuf>,
    /// True: `path`, header values and `body` hold placeholders: `{{row …}}` and `{{var …}}`.
    #[serde(default)]
    pub template: bool,
    /// What must be true of the answer; every one is checked.
    #[serde(default)]
    pub expect: Expect,
    /// By the name of a variable, where in the answer its value stands.
    #[serde(default)]
    pub take: BTreeMap<String, TakePlan>,
}

/// Where a variable stands: at a JSON pointer of the body, or in a header.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakePlan {
    /// RFC 6901.
    #[serde(default)]
    pub pointer: Option<String>,
    /// A header's name.
    #[serde(default)]
    pub header: Option<String>,
    /// A regular expression of one group, which is the value.
    #[serde(default)]
    pub pattern: Option<String>,
}

impl SetupPlan {
    /// The same, as requests of the mix are written.
    pub fn request(&self) -> RequestPlan {
        RequestPlan {
            name: self.name.clone(),
            method: self.method.clone(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
            body_file: self.body_file.clone(),
            template: self.template,
            acknowledge: false,
            compared: false,
            weight: 1,
            spot_check_at_seconds: Vec::new(),
            think_seconds: None,
            expect: self.expect.clone(),
        }
    }
}

/// Checks what setup requests go together with.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    if plan.setup.is_empty() {
        return Ok(());
    }
    let reason = if plan.pipeline > 1 {
        "needs pipeline 1"
    } else if plan.requests_per_connection == Some(1) {
        "every request would have setup requests of its own, so it needs requests_per_connection null or above 1"
    } else if plan.reference.is_some() {
        "each connection has its own answers, so none are compared: it needs reference null"
    } else if matches!(plan.load, Load::Closed { local_ports: Some(_), .. }) {
        "needs load.local_ports null"
    } else {
        return plan.setup.iter().enumerate().try_for_each(|(place, setup)| of_request(place, setup));
    };
    Err(InvalidPlan(format!("setup: {reason}")))
}

fn of_request(place: usize, setup: &SetupPlan) -> Result<(), InvalidPlan> {
    let key = format!("setup[{place}]");
    super::check::request(&setup.request(), &key)?;
    let invalid = |text: &str| Err(InvalidPlan(format!("{key}.{text}")));
    for name in setup.take.keys() {
        if name.is_empty() || name.contains(|letter: char| letter.is_whitespace() || letter == '}') {
            return invalid(&format!("take: {name:?} can stand in no placeholder"));
        }
    }
    if setup.expect.keep_bodies {
        return invalid("expect.keep_bodies: bodies of setup requests may hold credentials");
    }
    let texts = setup.headers.iter().map(|(_, value)| value).chain([&setup.path]).chain(&setup.body);
    for text in texts.filter(|_| setup.template) {
        let is_drawn = |part: &Part<'_>| matches!(part, Part::Placeholder(each) if !matches!(each, Placeholder::Row { .. } | Placeholder::Variable { .. }));
        if parse(text).is_ok_and(|parts| parts.iter().any(is_drawn)) {
            return invalid("template: only {{row …}} and {{var …}} can stand in a setup request");
        }
    }
    Ok(())
}
