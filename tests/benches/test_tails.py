"""The table of percentiles in slices and in whole trials, from records."""

from pathlib import Path
from typing import Any

from benches.tails import figures, read, report


def engine(p50: float, p99: float, longest: float) -> dict[str, Any]:
    return {"response_time": {"percentiles": {"50": p50, "99": p99}, "max_seconds": longest}}


def trial(stack: str, of_slices: dict[str, Any] | None, whole: dict[str, Any] | None) -> dict[str, Any]:
    slices = None if whole is None else {"whole_window": {"engine": whole}}
    return {"condition": f"{stack}/default/plaintext/none", "engine": of_slices, "slices": slices}


def test_tails_are_those_of_the_whole_window_and_of_a_whole_trial_its_own() -> None:
    bent, whole = engine(0.002, 0.03, 0.2), engine(0.0021, 0.009, 0.03)
    found = figures([trial("a", bent, whole), trial("b", whole, None), trial("c", None, None)])
    assert found == {
        "a": {"p50": 0.002, "p99": 0.009, "longest": 0.03, "p99 of the slices": 0.03},
        "b": {"p50": 0.0021, "p99": 0.009, "longest": 0.03, "p99 of the slices": 0.009},
    }


def test_the_table_has_the_ratio_of_each_figure_with_its_interval(tmp_path: Path) -> None:
    names = ("p50", "p99", "longest", "p99 of the slices")
    pairs = [
        {
            "slices": {"a": dict.fromkeys(names, 0.001 * (1 + place / 100)) | {"p99 of the slices": 0.003}},
            "whole": {"a": dict.fromkeys(names, 0.001)},
        }
        for place in range(6)
    ]
    row = report(pairs).splitlines()[2]
    assert row.startswith("| a | 1, 1, 1 | 1.02 (1.00 to 1.05) |") and "3.00 (3.00 to 3.00) | 6 |" in row
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"slices": {"a": {"p50": 1}}, "whole": {"a": {"p50": 1}}}\n{"slices": {"a"')
    assert len(read(file)) == 1
