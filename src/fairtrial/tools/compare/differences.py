"""What differs between two runs beside the programs under trial: each is a reason why figures may differ."""

from collections.abc import Iterator, Mapping

from fairtrial.record.model import DatasetIdentity, ExperimentRecord

OF_NO_BEARING = {"name", "title", "summary", "claims", "stacks", "blocks", "seed"}
"""Keys of an experiment that leave the figures of a condition as they are."""


def differences(before: ExperimentRecord, after: ExperimentRecord) -> list[str]:
    """In words, host first. The contents of stacks are left out: they are what is compared."""
    return [
        *_changed("host", before.host.model_dump(), after.host.model_dump()),
        *_changed("placement", before.placement.model_dump(), after.placement.model_dump()),
        *_changed(
            "experiment",
            before.experiment.model_dump(mode="json", exclude=OF_NO_BEARING),
            after.experiment.model_dump(mode="json", exclude=OF_NO_BEARING),
        ),
        *_changed("service", _services(before), _services(after)),
        *_changed("dataset", _dataset(before), _dataset(after)),
        *_changed("runtime", *_runtimes(before, after)),
        *_changed("lab", _lab(before), _lab(after)),
    ]


def _changed(what: str, before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _changed(f"{what}: {key}", old, new)
        elif old != new:
            yield f"{what}: {key} was {_said(old)} and is {_said(new)}"


def _said(value: object) -> str:
    return "not there" if value is None else str(value)


def _services(record: ExperimentRecord) -> dict[str, object]:
    return {service.name: service.model_dump(exclude={"name"}) for service in record.services}


def _dataset(record: ExperimentRecord) -> dict[str, object]:
    def said(dataset: DatasetIdentity) -> dict[str, object]:
        return {"sha256": dataset.sha256, "rows": dataset.rows}

    of_all = {} if record.dataset is None else said(record.dataset)
    return of_all | {condition: said(dataset) for condition, dataset in record.datasets.items()}


def _runtimes(*records: ExperimentRecord) -> list[dict[str, object]]:
    """What commands said of their versions, of stacks that are in every record."""
    versions = [{stack.name: dict(stack.versions) for stack in record.stacks} for record in records]
    return [{name: said for name, said in one.items() if all(name in other for other in versions)} for one in versions]


def _lab(record: ExperimentRecord) -> dict[str, object]:
    return {"fairtrial": record.fairtrial_version, "engine": record.engine_version}
