"""A stack that reached its service past the proxy did not have the latency that is printed."""

from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.record.model import TrialRecord


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each proxy that the stack went past, or that cannot have carried what its service did for it."""
    databases = {condition.id: condition.service for condition in case.record.conditions}
    for trial in case.trials:
        for service, past in trial.connections_past_proxies.items():
            if past:
                yield case.finding(
                    trial.index,
                    "refusal",
                    f"{count(past, 'connection')} to {service} itself, past the proxy before it",
                )
        for service, proxy in trial.proxies.items():
            carried = proxy.to_service.bytes
            least = _least_done(trial, is_database=service == databases[trial.condition])
            if carried < least:
                yield case.finding(
                    trial.index,
                    "refusal",
                    f"the proxy before {service} carried {carried:,} bytes to it, too few for what it did: {least:,} "
                    "statements or answers at least",
                )


def _least_done(trial: TrialRecord, *, is_database: bool) -> int:
    """What the service did for the stack, counted so that each takes a byte or more of the stack."""
    answered = trial.engine is not None and trial.engine.verified > 0
    any_byte = 1 if answered or trial.program is not None else 0
    counted = trial.ledger.done.get("statements", 0) if is_database and trial.ledger is not None else 0
    return max(any_byte, counted)


CHECK = Check(
    name="latency-bypassed",
    looks_at="the connections that the stack held past a proxy, in the warm-up and when the window closed; and the "
    "bytes that the proxy carried, compared with the statements that the database counted, or else with none",
    thresholds={},
    remedy="connect to the address in DATABASE_URL and CACHE_URL, and to no other that the server names itself",
    examine=examine,
)
