"""One experiment with everything in it: every outcome, every verdict, every severity."""

from collections.abc import Sequence
from pathlib import Path

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.identity import StackIdentity
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.write import RecordWriter
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

RATES = {"rust-axum": 21_800.0, "go-net-http": 14_200.0, "node-http:two": 11_900.0}
HOSTILE = "\x1b[2J</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def an_eventful_experiment() -> ExperimentBuilder:
    return (
        an_experiment("rust-axum", "go-net-http", "node-http:two", "python-threads", "bun-serve")
        .sharing_processors()
        .checking("errors", share=0.002)
        .claiming(
            "rust-axum",
            "node-http:two",
            text="Rust serves half as much again",
            at_least=1.5,
            published=2.1,
            source="a study",
        )
        .claiming("node-http:two", "go-net-http", text="Node.js keeps up with Go", at_least=0.95)
        .claiming("rust-axum", "python-threads", text="Rust beats threads in Python tenfold", at_least=10)
    )


def trials_for(record: ExperimentRecord, window: float = 3.0) -> list[TrialRecord]:
    def make(name: str, block: int) -> TrialBuilder:
        if name == "bun-serve":
            return a_trial().failing("requirements", "bun was not found", "install Bun")
        if name == "python-threads":
            trial = a_trial().serving(1500).but(window=window)
            return trial.erring(status_5xx=600).showing(HOSTILE) if block in {2, 4} else trial
        rate = RATES[name] * (1 + 0.01 * (block % 3 - 1))
        return a_trial().serving(rate).taking(16 / rate).but(engine_cpu=rate / 25_000, window=window)

    return trials_of(record, make)


def judged(window: float = 3.0) -> tuple[Result, ExperimentRecord, Sequence[TrialRecord]]:
    record = an_eventful_experiment().record()
    trials = trials_for(record, window)
    return judge(record, trials, interrupted=False), record, trials


def with_real_stacks(record: ExperimentRecord) -> ExperimentRecord:
    """The record with identities as long as those of shipped stacks."""
    concurrency = "one event loop, a thread per database connection"
    versions = {
        "python3 --version": "Python 3.11.7",
        "gcc --version": "gcc (Debian 12.2.0-14+deb12u1) 12.2.0",
        "ruby -e puts Gem::Specification.find_by_name('eventmachine').version": "1.2.7",
    }
    stacks: list[StackIdentity] = []
    for place, stack in enumerate(record.stacks):
        changes = {
            "language": "JavaScript",
            "framework": "pgx, go-sql-driver/mysql, net/http",
            "server": "uvicorn (uvloop, httptools)",
            "concurrency": concurrency,
            "versions": dict(list(versions.items())[: place + 1]),
        }
        stacks.append(stack.model_copy(update=changes))
    return record.model_copy(update={"stacks": stacks})


def recorded(folder: Path) -> Path:
    """The results folder of that run, without its reports."""
    _, record, trials = judged()
    folder.mkdir()
    with RecordWriter(folder) as writer:
        writer.append(record)
        for trial in trials:
            # No two trials measure the same.
            own = trial.engine and trial.engine.model_copy(update={"warmup_seconds": 1 + 1e-6 * trial.index})
            writer.append(trial.model_copy(update={"engine": own}))
    return folder
