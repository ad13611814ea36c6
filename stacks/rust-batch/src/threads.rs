//! Tasks that are threads of the standard library. `tokio_tasks.rs` has the same for tokio's tasks.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier};
use std::thread::{Builder, JoinHandle};

use anyhow::anyhow;

use crate::job::{self, Job, Message};

pub fn run(job: &Job) -> anyhow::Result<()> {
    let gathering = Gathering::join(&job.gathering)?;
    match job.switches {
        None => create(job.tasks, gathering),
        Some(switches) => switch(job.tasks, switches, gathering),
    }
}

/// Has so many threads exist at once: each arrives at the gathering, and waits until all may end.
fn create(tasks: usize, mut gathering: Gathering) -> anyhow::Result<()> {
    let may_end = Arc::new(Barrier::new(tasks + 1));
    let threads = start(tasks, &gathering, |_| {
        let may_end = may_end.clone();
        move || {
            may_end.wait();
        }
    })?;
    job::assert_all_were_there(&gathering.line()?)?;
    may_end.wait();
    join(threads)
}

/// Hands a token round a ring of threads, each of which has a channel. No message ends a thread.
fn switch(tasks: usize, switches: u32, mut gathering: Gathering) -> anyhow::Result<()> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..tasks).map(|_| mpsc::channel()).unzip();
    let (to_last, last) = mpsc::channel();
    let mut receivers = receivers.into_iter();
    let threads = start(tasks, &gathering, |number| {
        let inbox = receivers.next().expect("a channel for each thread");
        let successor = senders[(number + 1) % tasks].clone();
        let to_last = to_last.clone();
        move || hand_on(number, &inbox, &successor, &to_last)
    })?;
    let token = job::token(&gathering.line()?)?;
    let left = switches;
    senders[0].send(Some(Message { token, left }))?;
    gathering.give_back(last.recv()?)?;
    job::assert_all_were_there(&gathering.line()?)?;
    for sender in senders {
        sender.send(None)?;
    }
    join(threads)
}

fn hand_on(
    number: usize,
    inbox: &Receiver<Option<Message>>,
    successor: &Sender<Option<Message>>,
    last: &Sender<u32>,
) {
    while let Ok(Some(received)) = inbox.recv() {
        let message = received.step(number);
        // Nobody is gone before the token is back.
        if message.left == 0 {
            let _ = last.send(message.token);
        } else {
            let _ = successor.send(Some(message));
        }
    }
}

/// Starts threads, each of which arrives before it begins its task.
fn start<T: FnOnce() + Send + 'static>(
    count: usize,
    gathering: &Gathering,
    mut task: impl FnMut(usize) -> T,
) -> anyhow::Result<Vec<JoinHandle<io::Result<()>>>> {
    let mut threads = Vec::with_capacity(count);
    for number in 0..count {
        let stream = gathering.stream.clone();
        let task = task(number);
        let thread = Builder::new().spawn(move || {
            (&*stream).write_all(b".")?;
            task();
            Ok(())
        });
        threads.push(thread.map_err(|error| anyhow!("after {number} threads: {error}"))?);
    }
    Ok(threads)
}

fn join(threads: Vec<JoinHandle<io::Result<()>>>) -> anyhow::Result<()> {
    for thread in threads {
        thread.join().map_err(|_| anyhow!("a thread panicked"))??;
    }
    Ok(())
}

/// The connection to the task barrier.
struct Gathering {
    stream: Arc<UnixStream>,
    lines: BufReader<UnixStream>,
}

impl Gathering {
    fn join(path: &str) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        let lines = BufReader::new(stream.try_clone()?);
        Ok(Self {
            stream: Arc::new(stream),
            lines,
        })
    }

    /// The barrier's next line; empty if there is none any more.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        Ok(line)
    }

    fn give_back(&self, token: u32) -> io::Result<()> {
        (&*self.stream).write_all(format!("{token}\n").as_bytes())
    }
}
