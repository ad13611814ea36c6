"""A stack that breaks the contract does other work than its rivals do."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each clause that failed, and one if SIGTERM did not end the stack."""
    for trial in case.trials:
        for clause in trial.contract:
            if not clause.passed:
                yield case.finding(
                    trial.index, "refusal", f"{clause.name}: {clause.requirement}; observed: {clause.evidence}"
                )
        if trial.stop is not None and trial.stop.forced:
            yield case.finding(
                trial.index,
                "refusal",
                f"SIGTERM did not end the stack: it was killed after {trial.stop.seconds:.1f} s",
                "let the program exit on SIGTERM within 5 s: stop listening, finish what is in flight, close the pool",
            )


CHECK = Check(
    name="contract",
    looks_at="the clauses tried on the running stack before the load, and how the stack ended on SIGTERM",
    thresholds={},
    remedy="mend the stack until `fairtrial check STACK` passes every clause",
    examine=examine,
)
