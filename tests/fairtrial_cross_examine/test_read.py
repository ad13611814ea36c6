"""Files as evidence: what is read, what is refused, and how large it may be."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine import read
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.texts import HEY, HYPERFINE, VEGETA, WRK

STATEMENT = '[[run]]\nname = "a"\nrequests = 10\ntime = "2.0 s"\n'


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_several_files(tmp_path: Path) -> None:
    files = [
        written(tmp_path, "wrk.txt", WRK),
        written(tmp_path, "more.txt", HEY + VEGETA),
        written(tmp_path, "table.toml", STATEMENT),
        written(tmp_path, "powershell.txt", HYPERFINE.encode("utf-16")),
    ]
    evidence = read_evidence(files)
    assert [run.tool for run in evidence.runs] == ["wrk", "hey", "vegeta", "statement", "hyperfine", "hyperfine"]
    assert evidence.runs[0].name == "wrk.txt" and evidence.runs[1].name == "more.txt #1"


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    files = [written(tmp_path, f"{folder}/out.txt", WRK) for folder in ("before", "after")]
    assert [run.name for run in read_evidence(files).runs] == [str(file) for file in files]


def test_json_documents_that_follow_each_other(tmp_path: Path) -> None:
    one = '{"results": [{"command": "x", "mean": 0.1, "min": 0.1, "max": 0.1, "times": [0.1]}]}'
    evidence = read_evidence([written(tmp_path, "all.json", f"{one}\n{one}\n")])
    assert [run.name for run in evidence.runs] == ["all.json: x #1", "all.json: x #2"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("prose.txt", "a blog post", "holds nothing that ab, artillery,"),
        ("empty.txt", "", "holds nothing"),
        ("other.json", '{"a": 1}', "holds nothing"),
        ("broken.json", '{"a": ', "holds nothing"),
        ("binary.bin", bytes(range(256)), "holds nothing"),
        ("deep.json", "[" * 100_000, "cannot be read"),
        ("odd.json", '{"summary": 5, "latencyPercentiles": [], "rps": 1}', "cannot be read as one"),
        ("nan.json", '{"results": [{"command": "x", "mean": NaN, "min": 1}]}', "cannot be read as one"),
        ("table.toml", "[[run]]\n", "run[0].name: missing"),
        ("table.toml", '[[run]]\nname = "a"\nmean = 5\n', 'is written as text with its unit, such as "22.63 ms"'),
        ("table.toml", '[[run]]\nname = "a"\nmean = "5 MiB"\n', "not a time"),
        ("table.toml", '[[run]]\nname = "a"\nsecond = "5 s"\n', "unknown key"),
        ("table.toml", '[[run]]\nname = "a"\npercentiles = { 101 = "5 s" }\n', "is not between 0 and 100"),
        ("table.toml", STATEMENT + STATEMENT, "two are named 'a'"),
        ("table.toml", STATEMENT + '[[ratio]]\nsubject = "x"\nof = "a"\nto = "b"\nfactor = "2"\n', "no run named 'b'"),
        ("table.toml", STATEMENT + '[[ratio]]\nsubject = "x"\nof = "a"\nfactor = "2"\n', "only one of"),
        ("table.toml", STATEMENT + '[[ratio]]\nsubject = "x"\nfactor = "twice"\n', "is not a number"),
        ("table.toml", "title = 5", "run: missing"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, content: str | bytes, reason: str) -> None:
    with pytest.raises(Problem) as caught:
        read_evidence([written(tmp_path, name, content)])
    assert reason in caught.value.reason
    assert caught.value.exit_status == 2 and caught.value.remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for name in ("absent.txt", "absent.toml"):
        with pytest.raises(Problem, match="No such file"):
            read_evidence([tmp_path / name])


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "LARGEST_FILE_BYTES", 100)
    with pytest.raises(Problem, match="larger than 100 bytes"):
        read_evidence([written(tmp_path, "wrk.txt", WRK)])


def test_too_many_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MOST_RUNS", 1)
    with pytest.raises(Problem, match="more than 1 runs"):
        read_evidence([written(tmp_path, "h.txt", HYPERFINE)])


def test_ratios_of_statements(tmp_path: Path) -> None:
    text = STATEMENT + '[[ratio]]\nsubject = "x"\nfactor = "50% more"\n'
    (ratio,) = read_evidence([written(tmp_path, "table.toml", text)]).ratios
    assert (ratio.factor.value, ratio.factor.within) == pytest.approx((1.5, 0.005))


def test_common_keys_of_statements(tmp_path: Path) -> None:
    text = '[every]\nconnections = 20\ntool = "ab"\n' + STATEMENT + '[[run]]\nname = "b"\nconnections = 5\n'
    first, second = read_evidence([written(tmp_path, "table.toml", text)]).runs
    assert (first.connections, first.tool, second.connections) == (20, "ab", 5)


@pytest.mark.parametrize(
    "content",
    [
        "\n" * 100_000,
        " \n" * 100_000,
        "wrk " * 50_000,
        "wrk \n" * 50_000,
        "(" * 100_000,
        "9" * 100_000,
        "\x1b[" * 100_000,
    ],
    ids=["line ends", "spaces", "one long line", "many names", "brackets", "digits", "escapes"],
)
def test_text_that_would_take_the_square_of_its_length(tmp_path: Path, content: str) -> None:
    """Without an end within a test's patience, where a pattern tries every part of it."""
    with pytest.raises(Problem, match="holds nothing"):
        read_evidence([written(tmp_path, "long.txt", content)])
    assert len(read_evidence([written(tmp_path, "both.txt", content + "\n" + WRK)]).runs) == 1
