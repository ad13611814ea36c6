//! Tasks of tokio, on its runtime of as many threads as there are processors. `threads.rs` has the same for threads.

use std::io;
use std::sync::Arc;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::runtime::Builder;
use tokio::sync::Barrier;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use crate::job::{self, Job, Message};

type Tasks = JoinSet<io::Result<()>>;

pub fn run(job: &Job) -> anyhow::Result<()> {
    let runtime = Builder::new_multi_thread().enable_io().build()?;
    runtime.block_on(async {
        let gathering = Gathering::join(&job.gathering).await?;
        match job.switches {
            None => create(job.tasks, gathering).await,
            Some(switches) => switch(job.tasks, switches, gathering).await,
        }
    })
}

/// Has so many tasks exist at once: each arrives at the gathering, and waits until all may end.
async fn create(count: usize, mut gathering: Gathering) -> anyhow::Result<()> {
    let may_end = Arc::new(Barrier::new(count + 1));
    let mut tasks = Tasks::new();
    for _ in 0..count {
        let (report, may_end) = (gathering.report.clone(), may_end.clone());
        tasks.spawn(async move {
            write(&report, b".").await?;
            may_end.wait().await;
            Ok(())
        });
    }
    job::assert_all_were_there(&gathering.line().await?)?;
    may_end.wait().await;
    join(tasks).await
}

/// Hands a token round a ring of tasks, each of which has a channel. No message ends a task.
async fn switch(count: usize, switches: u32, mut gathering: Gathering) -> anyhow::Result<()> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..count).map(|_| mpsc::unbounded_channel()).unzip();
    let (to_last, mut last) = mpsc::unbounded_channel();
    let mut tasks = Tasks::new();
    for (number, inbox) in receivers.into_iter().enumerate() {
        let successor = senders[(number + 1) % count].clone();
        let (report, to_last) = (gathering.report.clone(), to_last.clone());
        tasks.spawn(async move {
            write(&report, b".").await?;
            hand_on(number, inbox, successor, to_last).await;
            Ok(())
        });
    }
    let token = job::token(&gathering.line().await?)?;
    let left = switches;
    senders[0].send(Some(Message { token, left }))?;
    let token = last.recv().await.context("all tasks ended")?;
    write(&gathering.report, format!("{token}\n").as_bytes()).await?;
    job::assert_all_were_there(&gathering.line().await?)?;
    for sender in senders {
        sender.send(None)?;
    }
    join(tasks).await
}

async fn hand_on(
    number: usize,
    mut inbox: UnboundedReceiver<Option<Message>>,
    successor: UnboundedSender<Option<Message>>,
    last: UnboundedSender<u32>,
) {
    while let Some(Some(received)) = inbox.recv().await {
        let message = received.step(number);
        // Nobody is gone before the token is back.
        if message.left == 0 {
            let _ = last.send(message.token);
        } else {
            let _ = successor.send(Some(message));
        }
    }
}

async fn join(mut tasks: Tasks) -> anyhow::Result<()> {
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// The connection to the task barrier.
struct Gathering {
    report: Arc<OwnedWriteHalf>,
    lines: BufReader<OwnedReadHalf>,
}

impl Gathering {
    async fn join(path: &str) -> io::Result<Self> {
        let (read, write) = UnixStream::connect(path).await?.into_split();
        Ok(Self {
            report: Arc::new(write),
            lines: BufReader::new(read),
        })
    }

    /// The barrier's next line; empty if there is none any more.
    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.lines.read_line(&mut line).await?;
        Ok(line)
    }
}

/// Writes to the connection that all tasks share. Each may wait for it to take bytes.
async fn write(connection: &OwnedWriteHalf, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        connection.writable().await?;
        match connection.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
