//! `fairtrial-guard`: runs a command and leaves nothing of it behind. See `docs/engine-protocol.md`.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

use fairtrial_guard::covers::Covers;
use fairtrial_guard::places::{Place, Places};
use fairtrial_guard::user::CommandUser;
use fairtrial_guard::{GuardError, GuardPlan, guard};
use lexopt::{Arg, Parser, ValueExt};

const HELP: &str = "\
Runs a command and ends its whole process tree when standard input ends.

fairtrial-guard [--cpus 0,1] [--grace-seconds 5] [--file PATH=SOURCE] [--host NAME=ADDRESS]
                [--user UID:GID] [--most-processes COUNT] [--open FOLDER] [--hide FOLDER] [--keep PATH]
                -- COMMAND [ARG ...]

  --cpus CPU,CPU           processors that the command is bound to
  --grace-seconds SECONDS  between SIGTERM and SIGKILL, 0 to 86400; 5 by default
  --file PATH=SOURCE       a file or folder that the command alone finds at PATH, read-only; may be repeated
  --host NAME=ADDRESS      a host name that the command alone knows; may be repeated
  --user UID:GID           who the command is, without other groups and with umask 077; takes root
  --most-processes COUNT   threads and processes that this user may have at once
  --open FOLDER            a folder that only its owner may enter: the command finds the folders in it, which keep
                           their rights; may be repeated, outer ones first
  --hide FOLDER            a folder that the command finds empty; may be repeated
  --keep PATH              what stays below hidden folders, read-only; may be repeated
  --help, --version        print this, or the version";

/// A wrong argument.
const WRONG_ARGUMENT: u8 = 2;

/// The command cannot be started.
const NOT_STARTED: u8 = 127;

/// What the arguments ask for.
enum Asked {
    Plan(Box<GuardPlan>),
    Text(String),
}

fn asked() -> Result<Asked, lexopt::Error> {
    let (mut cpus, mut grace, mut command) = (Vec::new(), Duration::from_secs(5), Vec::new());
    let (mut places, mut covers) = (Places::default(), Covers::default());
    let (mut user, mut most_processes) = (None, None);
    let mut arguments = Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("cpus") => {
                cpus = arguments
                    .value()?
                    .parse_with(|text| text.split(',').map(str::parse).collect::<Result<_, _>>())?;
            }
            Arg::Long("grace-seconds") => grace = arguments.value()?.parse_with(seconds)?,
            Arg::Long("file") => {
                let (path, source) = pair(arguments.value()?, "PATH=SOURCE")?;
                places.files.push(Place { path: path.into(), source: source.into() });
            }
            Arg::Long("host") => places.hosts.push(pair(arguments.value()?, "NAME=ADDRESS")?),
            Arg::Long("user") => user = Some(arguments.value()?.parse_with(user_and_group)?),
            Arg::Long("most-processes") => most_processes = Some(arguments.value()?.parse()?),
            Arg::Long("open") => covers.opened.push(arguments.value()?.into()),
            Arg::Long("hide") => covers.hidden.push(arguments.value()?.into()),
            Arg::Long("keep") => covers.kept.push(arguments.value()?.into()),
            Arg::Long("help") | Arg::Short('h') => return Ok(Asked::Text(HELP.to_owned())),
            Arg::Long("version") | Arg::Short('V') => {
                return Ok(Asked::Text(format!("fairtrial-guard {}", env!("CARGO_PKG_VERSION"))));
            }
            Arg::Value(program) => {
                command.push(program);
                command.extend(arguments.raw_args()?);
            }
            _ => return Err(argument.unexpected()),
        }
    }
    let mut words = command.into_iter();
    let program: OsString = words.next().ok_or("there is no command after --")?;
    if user.is_none() && most_processes.is_some() {
        return Err("--most-processes is for a --user of the command's own".into());
    }
    let user = user.map(|(uid, gid)| CommandUser { uid, gid, most_processes });
    let arguments = words.collect();
    Ok(Asked::Plan(Box::new(GuardPlan { cpus, grace, places, covers, user, program, arguments })))
}

/// Two numbers that are not root's, nor the one that means nobody at all to the kernel.
fn user_and_group(text: &str) -> Result<(u32, u32), &'static str> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|&id| id != 0 && id != u32::MAX);
    let numbers = text.split_once(':').and_then(|(uid, gid)| Some((number(uid)?, number(gid)?)));
    numbers.ok_or("not UID:GID, two numbers other than root's")
}

/// The texts before and behind the first `=`.
fn pair(value: OsString, form: &str) -> Result<(String, String), lexopt::Error> {
    let text = value.string()?;
    let (first, second) = text.split_once('=').ok_or_else(|| format!("{text:?} is not {form}"))?;
    Ok((first.to_owned(), second.to_owned()))
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("not a number from 0 to 86400"),
    }
}

fn main() -> ExitCode {
    let plan = match asked() {
        Ok(Asked::Plan(plan)) => plan,
        Ok(Asked::Text(text)) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => return fails(&error, WRONG_ARGUMENT),
    };
    match guard(&plan, std::io::stdin().as_fd()) {
        Ok(status) => ExitCode::from(status),
        Err(error @ GuardError::Start(..)) => fails(&error, NOT_STARTED),
        Err(error @ GuardError::Processors(_)) => fails(&error, WRONG_ARGUMENT),
        Err(error @ (GuardError::Places(_) | GuardError::System(_))) => fails(&error, 1),
    }
}

fn fails(error: &dyn std::error::Error, status: u8) -> ExitCode {
    eprintln!("fairtrial-guard: {error}");
    ExitCode::from(status)
}
