"""A stack that breaks the contract does other work than its rivals do."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding

OWN_REQUEST = "mend what answers, or `expect` of the request in the workload file"


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each clause that failed, and one if SIGTERM did not end the stack."""
    own = case.record.own_workload
    for trial in case.trials:
        for clause in trial.contract:
            if not clause.passed:
                evidence = f"{clause.name}: {clause.requirement}; observed: {clause.evidence}"
                is_own = own is not None and clause.name in own.requests
                yield case.finding(trial.index, "refusal", evidence, OWN_REQUEST if is_own else "")
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
