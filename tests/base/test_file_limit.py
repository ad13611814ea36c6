"""The limit of open files, as far as a load needs it: raised where it may be, and a problem where it may not."""

import resource

import pytest

from fairtrial.base.file_limit import allow_connections
from fairtrial.base.problem import Problem

Limits = tuple[int, int]


@pytest.mark.parametrize(
    ("connections", "before", "after"),
    [
        (64, (1024, 4096), None),
        (960, (1024, 4096), None),
        (961, (1024, 4096), (1025, 4096)),
        (961, (1024, resource.RLIM_INFINITY), (1025, resource.RLIM_INFINITY)),
        (5000, (resource.RLIM_INFINITY, resource.RLIM_INFINITY), None),
    ],
)
def test_a_limit_is_raised_as_far_as_needed(
    monkeypatch: pytest.MonkeyPatch, connections: int, before: Limits, after: Limits | None
) -> None:
    limits: list[Limits] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: before)
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, value: limits.append(value))
    allow_connections(connections)
    assert limits == ([] if after is None else [after])


def test_what_is_not_allowed_is_said(monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (1024, 4096))
    with pytest.raises(Problem) as error:
        allow_connections(4033)
    assert str(error.value) == snapshot
