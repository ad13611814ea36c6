"""TOML files into models: an error names the key as it stands in the file, and what was probably meant."""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from fairtrial.base.problem import Problem
from fairtrial.base.strict import SLUG, Strict
from fairtrial.base.toml_file import LARGEST_FILE_BYTES, read_toml
from fairtrial.experiment.model import Experiment


class Closed(Strict):
    kind: Literal["closed"] = "closed"
    connections: int = Field(ge=1)
    keep_alive: bool = True

    @field_validator("connections")
    @classmethod
    def _even(cls, connections: int) -> int:
        if connections % 2:
            raise ValueError("must be even")
        return connections


class Open(Strict):
    kind: Literal["open"]
    rate: float
    keep_alive_seconds: float = 1.0

    @model_validator(mode="after")
    def _fast_enough(self) -> "Open":
        if self.rate < 1:
            raise ValueError("a rate below 1")
        return self


def kind_of(value: Any) -> str:
    return str(value.get("kind", "closed")) if isinstance(value, dict) else str(getattr(value, "kind", "closed"))


Load = Annotated[Annotated[Closed, Tag("closed")] | Annotated[Open, Tag("open")], Discriminator(kind_of)]


class Part(Strict):
    rows: int


class Model(Strict):
    name: str = Field(pattern=SLUG)
    place: Literal["in", "out"] = "in"
    load: Load | None = None
    parts: tuple[Part, ...] = ()
    variants: dict[str, Part] = Field(default_factory=dict)
    value: int | str | None = None
    folder: Path | None = None


def problem_of(tmp_path: Path, text: str, model: type[Any] = Model, **known: Any) -> str:
    """What `read_toml` says of a file with this text, without the file's path."""
    file = tmp_path / "file.toml"
    file.write_text(text)
    with pytest.raises(Problem) as caught:
        read_toml(file, model, **known)
    assert caught.value.remedy
    lines = caught.value.reason.splitlines()
    assert all(line.startswith(f"{file}: ") for line in lines)
    return "\n".join(line.removeprefix(f"{file}: ") for line in lines)


def test_a_file_becomes_a_model_with_what_is_known_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_text('name = "x"\n[load]\nconnections = 4\n[variants.two]\nrows = 2\n')
    assert read_toml(file, Model, folder=tmp_path) == Model(
        name="x", load=Closed(connections=4), variants={"two": Part(rows=2)}, folder=tmp_path
    )


@pytest.mark.parametrize(
    "text",
    [
        "naem = 'x'\nname = 'x'",
        "",
        "name = 3",
        "name = 'x'\n[load]\nconnections = 0",
        "name = 'x'\n[load]\nconnections = 3",
        "name = 'x'\n[load]\nkeep_alive = true",
        "name = 'x'\n[load]\nconnections = 2\nkeepalive = true",
        "name = 'x'\n[load]\nkind = 'open'\nrate = 0.5",
        "name = 'x'\n[load]\nkind = 'opne'",
        "name = 'x'\n[[parts]]\nrows = 1\n[[parts]]\nrow = 2\nrows = 2",
        "name = 'x'\n[variants.two]\nrow = 2\nrows = 2",
        "name = 'x'\nvariants = 2",
        "name = 'x'\nvariants = {}\nparts = 2",
        "name = 'x'\n[[variants]]\nrows = 2",
        "name = 'x'\n[parts]\nrows = 2",
        "name = 'x'\n[[load]]\nkind = 'open'",
        "name = 'X y'",
        "name = ''\nplace = 'here'",
        "name = 'x'\nplace = 'inn'",
        "name = 'x'\n[load]\nconnections = 'few'",
    ],
)
def test_the_key_is_that_of_the_file(tmp_path: Path, text: str, snapshot: object) -> None:
    assert problem_of(tmp_path, text) == snapshot


def test_the_keys_of_the_union_member_that_the_file_chose_are_allowed(tmp_path: Path, snapshot: object) -> None:
    complaint = problem_of(tmp_path, "name = 'x'\n[load]\nkind = 'open'\nrate = 2\nkeep_alive = true")
    assert complaint == snapshot


def test_a_union_without_a_tag_names_no_type(tmp_path: Path) -> None:
    complaints = problem_of(tmp_path, "name = 'x'\nvalue = [1]").splitlines()
    assert [complaint.partition(":")[0] for complaint in complaints] == ["value", "value"]


def test_no_message_speaks_of_what_is_within_fairtrial(tmp_path: Path) -> None:
    """Of functions, models and Python's types, which a writer of TOML does not know."""
    texts = ["name = 3", "name = 'x'\nvariants = 2", "name = 'x'\n[load]\nkind = 'opne'", "name = 'x'\nplace = 3"]
    words = " ".join(problem_of(tmp_path, text) for text in texts)
    assert not re.search(r"Input|dictionary|string|_of\(\)|union|tag", words), words
    assert "did you mean open?" in words


def test_the_remedy_names_the_page_of_this_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "file.toml").write_text("")
    with pytest.raises(Problem) as caught:
        read_toml(tmp_path / "file.toml", Model, "docs/cluster.md")
    assert caught.value.remedy.startswith("docs/cluster.md ")


def test_a_missing_table_comes_with_an_example(tmp_path: Path, snapshot: object) -> None:
    text = 'name = "x"\ntitle = "x"\nworkload = "plaintext"\nstacks = ["a"]\n'
    complaint = problem_of(tmp_path, text, Experiment)
    assert complaint == snapshot
    file = tmp_path / "file.toml"
    file.write_text(text + complaint.partition("such as ")[2])
    assert read_toml(file, Experiment).load.connections == 16


def test_requests_in_the_wrong_table_are_told_by_their_key(tmp_path: Path) -> None:
    text = 'name = "x"\ntitle = "x"\nworkload = "plaintext"\n[requests.hello]\npath = "/"\n[load]\n'
    (complaint,) = problem_of(tmp_path, text + '[contenders.app]\nfolder = "."\n', Experiment).splitlines()
    assert complaint.startswith("requests: ") and "[workload.requests.hello]" in complaint


def test_an_experiments_load(tmp_path: Path, snapshot: object) -> None:
    text = 'name = "x"\ntitle = "x"\nworkload = "w"\nservice = "s"\nstacks = ["a"]\n[load]\nkeepalive = true\n'
    complaint = problem_of(tmp_path, text, Experiment)
    assert complaint == snapshot
    text = text.replace("keepalive = true", 'kind = "open"\nrate_per_second = 5\nconnection = 5')
    assert problem_of(tmp_path, text, Experiment) == snapshot


def test_a_key_that_is_known_already_cannot_be_set(tmp_path: Path) -> None:
    assert problem_of(tmp_path, 'name = "x"\nfolder = "y"', folder=tmp_path).startswith("folder: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"name = ", "not valid TOML"),
        (b"name = '\xff'", "not UTF-8"),
        (b"#" * (LARGEST_FILE_BYTES + 1), f"larger than {LARGEST_FILE_BYTES} bytes"),
    ],
)
def test_what_is_no_toml(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "file.toml"
    file.write_bytes(content)
    with pytest.raises(Problem, match=reason) as caught:
        read_toml(file, Model)
    assert str(file) in caught.value.reason and caught.value.remedy


def test_a_file_that_is_not_there(tmp_path: Path, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        read_toml(tmp_path / "absent.toml", Model)
    assert str(caught.value) == snapshot
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('name = "a\\u0000b"', "name"),
        ('"na\\u0000me" = "x"', "na\\\\x00me"),
        ('name = "x"\nvariants.fast."\\u0000" = 1', "variants.fast.\\\\x00"),
        ('name = "x"\nparts = [["y", "\\u0000"]]', "parts[0][1]"),
    ],
)
def test_a_nul_is_refused_wherever_it_stands(tmp_path: Path, text: str, key: str) -> None:
    """No program, path or variable can hold one; whoever starts a program would be told by a traceback."""
    assert f"{key}: holds a NUL".replace("\\\\", "\\") in problem_of(tmp_path, text)


@pytest.mark.parametrize("path", ["/dev/zero", "fifo"])
def test_what_is_no_file_is_neither_read_nor_waited_for(tmp_path: Path, path: str, snapshot: object) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(Problem) as error:
        read_toml(tmp_path / path, Model)
    assert str(error.value) == snapshot


def test_a_file_that_is_nested_without_an_end(tmp_path: Path) -> None:
    assert "not valid TOML" in problem_of(tmp_path, "value = " + "[" * 100_000)
