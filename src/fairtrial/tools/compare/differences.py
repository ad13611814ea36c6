"""Differences between two runs besides the programs under trial: each is a reason why figures may differ."""

from collections.abc import Iterator, Mapping

from fairtrial.record.identity import DatasetIdentity
from fairtrial.record.model import ExperimentRecord

WITHOUT_EFFECT = {"name", "title", "summary", "claims", "stacks", "blocks", "seed"}
"""Keys of an experiment that do not affect the figures of a condition."""

BOUND = {"load_cpus", "server_cpus", "service_cpus", "disjoint"}
"""Keys of a placement that are true of an older record as well, where services shared the server's processors. The
rest says what the same processors are."""


def changed_settings(before: ExperimentRecord, after: ExperimentRecord) -> list[str]:
    """One line for each difference, host first. The contents of stacks are left out: they are what is compared."""
    return [
        *changes("host", before.host.model_dump(), after.host.model_dump()),
        *changes("placement", before.placement.model_dump(include=BOUND), after.placement.model_dump(include=BOUND)),
        *changes("network", {"own": before.own_network}, {"own": after.own_network}),
        *changes("idle", _idle(before), _idle(after)),
        *changes(
            "experiment",
            before.experiment.model_dump(mode="json", exclude=WITHOUT_EFFECT),
            after.experiment.model_dump(mode="json", exclude=WITHOUT_EFFECT),
        ),
        *changes("service", _services(before), _services(after)),
        *changes("dataset", _dataset(before), _dataset(after)),
        *changes("workload file", _workload_file(before), _workload_file(after)),
        *changes("runtime", *_runtimes(before, after)),
        *changes("lab", _lab(before), _lab(after)),
    ]


def changes(what: str, before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """A line for each key, at any depth, whose value differs: `host: kernel was 6.1 and is 6.8`."""
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from changes(f"{what}: {key}", old, new)
        elif old != new:
            yield f"{what}: {key} was {_in_words(old)} and is {_in_words(new)}"


def _in_words(value: object) -> str:
    return "not there" if value is None else str(value)


def _idle(record: ExperimentRecord) -> dict[str, object]:
    return {} if record.idle is None else record.idle.model_dump(exclude={"reason"})


def _services(record: ExperimentRecord) -> dict[str, object]:
    return {service.name: service.model_dump(exclude={"name"}) for service in record.services}


def _dataset(record: ExperimentRecord) -> dict[str, object]:
    def content(dataset: DatasetIdentity) -> dict[str, object]:
        return {"sha256": dataset.sha256, "rows": dataset.rows}

    of_every_condition = {} if record.dataset is None else content(record.dataset)
    return of_every_condition | {condition: content(dataset) for condition, dataset in record.datasets.items()}


def _workload_file(record: ExperimentRecord) -> dict[str, object]:
    identity = record.own_workload
    return {} if identity is None else {"sha256": identity.sha256, "requests": identity.requests}


def _runtimes(*records: ExperimentRecord) -> list[dict[str, object]]:
    """The versions that commands printed, for the stacks that are in every record."""
    versions = [{stack.build_name: dict(stack.versions) for stack in record.stacks} for record in records]
    common = set.intersection(*(set(stacks) for stacks in versions))
    return [{name: printed for name, printed in stacks.items() if name in common} for stacks in versions]


def _lab(record: ExperimentRecord) -> dict[str, object]:
    return {"fairtrial": record.fairtrial_version, "engine": record.engine_version}
