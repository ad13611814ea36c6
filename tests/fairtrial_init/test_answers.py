"""Answers: what is typed, what is proposed, and what is refused."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.ready import Ready
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial_init.answers import (
    Answers,
    command_words,
    line_of,
    port_in_command,
    port_of,
    ready_of,
    requests_of,
    with_made_up,
)
from fairtrial_init.ask import InitOptions, answers_from
from fairtrial_init.files import experiment_text, proposed_workload, service_name
from fairtrial_init.proposal import StartProposal

HTTP = StartProposal(
    kind="Python", command=("python3", "a b.py"), port="8123", paths=("/items", "/items/{id}", "/health")
)


def answered(
    given: InitOptions, *typed: str, proposals: Sequence[StartProposal] = (HTTP,), documents: Sequence[str] = ()
) -> tuple[Answers, list[tuple[str, str]], list[str]]:
    """The answers, the questions with what was proposed, and what was said of wrong answers."""
    answers, questions, said = iter(typed), [], []

    def ask(question: str, proposed: str) -> str:
        questions.append((question.partition("?")[0], proposed))
        return next(answers) or proposed

    return answers_from(given, proposals, documents, Path(), ask, said.append), questions, said


def test_three_questions_with_what_is_proposed(snapshot: object) -> None:
    answers, questions, said = answered(InitOptions(), "", "", "")
    assert questions == [("How is it started", "python3 'a b.py'"), (snapshot, "8123"), ("What is it asked", "/items")]
    expected = Answers(
        command=("python3", "a b.py"),
        build=(),
        port=8123,
        ready=Ready(path="/health"),
        document=None,
        paths=("/items",),
        are_proposed=True,
    )
    assert answers == expected and said == []


def test_a_wrong_answer_is_asked_for_again(snapshot: object) -> None:
    options = InitOptions(command="node 'x"[:4] + " x.js")
    answers, questions, said = answered(options, "many", "3000", "items", "/a, /b?x=1")
    assert len(questions) == 4
    assert (answers.port, answers.paths) == (3000, ("/a", "/b?x=1"))
    assert said[0] == snapshot and "items is neither a path" in said[1]


def test_a_command_of_one_s_own_says_its_port() -> None:
    for line, port in (("uvicorn a:app --port $PORT", None), ("gunicorn -b 127.0.0.1:9000 a", 9000), ("./x -p 81", 81)):
        answers, questions, _ = answered(InitOptions(requests="/"), line, "")
        assert answers.port == port and len(questions) == 2


def test_options_answer_before_questions() -> None:
    given = InitOptions(command="./serve", port="PORT", ready="tcp", requests="/x", build=["make", ""])
    answers, questions, _ = answered(given)
    assert questions == []
    assert answers.port is None and answers.ready == Ready(tcp=True) and answers.build == (("make",),)


def test_a_document_is_proposed_before_paths(tmp_path: Path, snapshot: object) -> None:
    with pytest.raises(Problem) as error:  # it was there when it was proposed
        answers_from(InitOptions(), [HTTP], ["openapi.yaml"], tmp_path, None, print)
    assert str(error.value) == snapshot
    (tmp_path / "openapi.yaml").write_text("")
    answers = answers_from(InitOptions(), [HTTP], ["openapi.yaml"], tmp_path, None, print)
    assert answers.document == tmp_path / "openapi.yaml" and answers.paths == ()


@pytest.mark.parametrize("option", ["command", "port", "requests"])
def test_what_nobody_says_is_missing(option: str) -> None:
    given = InitOptions(**{"command": "./serve", "port": "80", "requests": "/"} | {option: None})
    with pytest.raises(Problem, match=f"--{option} is missing"):
        answers_from(given, [], [], Path(), None, print)


def test_a_line_and_its_words() -> None:
    assert command_words("node 'a b.js'") == ("node", "a b.js")
    assert command_words("serve --port $PORT") == ("sh", "-c", "exec serve --port $PORT")
    assert command_words("cd x && ./serve") == ("sh", "-c", "cd x && ./serve")
    for line in ("node 'a b.js'", "serve --port $PORT", "cd x && ./serve"):
        assert line_of(command_words(line)) == line
    assert port_in_command("java -jar x.jar --server.port=8080") == "8080"


@pytest.mark.parametrize("wrong", ["", "0", "65536", "-1", "80a", "٣"])
def test_what_is_no_port(wrong: str) -> None:
    with pytest.raises(Problem, match="neither a port nor PORT"):
        port_of(wrong)


def test_what_is_no_command_no_path_and_no_request() -> None:
    for call, reason in (
        (lambda: command_words("node 'x"), "No closing quotation"),
        (lambda: command_words("  "), "it is empty"),
        (lambda: ready_of("healthz"), "is no path"),
        (lambda: requests_of("", Path()), "none is named"),
        (lambda: requests_of("/a{{uniform 1}}", Path()), "uniform"),
        (lambda: requests_of("/a\x1b[2J", Path()), r"\\x1b"),
    ):
        with pytest.raises(Problem, match=reason):
            call()
    assert requests_of("/a?x={{uniform 1 9}} /b", Path()) == (None, ("/a?x={{uniform 1 9}}", "/b"))


@pytest.mark.parametrize("folder", ["Shop Löffel\n", "..", "-", '7 "x"]'])
def test_what_is_written_can_be_read(tmp_path: Path, folder: str) -> None:
    """Whatever the folder is called, and whatever the source has as paths."""
    name = service_name(Path("/tmp") / folder)
    awkward = ('/a"b', "/é%20\\", "/a", "/A", "/{{{{", "/")
    command = ("sh", "-c", 'exec "x" \\ # é\n')
    for port, ready in ((None, None), (81, Ready(tcp=True)), (81, Ready(path="/a'b"))):
        answers = Answers(command=command, build=(("a", '"'),), port=port, ready=ready, document=None, paths=awkward)
        (tmp_path / "fairtrial.toml").write_text(experiment_text(name, answers, ["x\x1b" + "y " * 200]))
        contender = load_experiment(tmp_path / "fairtrial.toml").contenders["app"]
        assert (contender.command, contender.origin.port, contender.origin.ready) == (list(command), port, ready)
    paths = [path for path in awkward if path.isascii()]
    workload = tmp_path / f"{name}.workload.toml"
    workload.write_text(proposed_workload(name, paths, ["/items/{id}\n[evil]"]))
    requests = read_workload_file(workload).model.requests
    assert [entry.get for entry in requests.values()] == paths


def test_what_stands_in_comments_works_once_it_is_uncommented(tmp_path: Path) -> None:
    """Of both files: each commented key and table is one that there is."""
    answers = Answers(command=("x",), build=(), port=None, ready=None, document=None, paths=("/a",))
    (tmp_path / "items.csv").write_text("id\n1\n")
    (tmp_path / "schema.sql").write_text("")
    for file, text in (
        ("fairtrial.toml", experiment_text("x", answers, [])),
        ("x.toml", proposed_workload("x", ["/a"], [])),
    ):
        lines = [line.removeprefix("# ") for line in text.splitlines() if not line.startswith(("#  ", "# `", "#\n"))]
        kept = [line for line in lines if line.startswith("[") or " = " in line]
        (tmp_path / file).write_text("\n".join(kept))
    experiment = load_experiment(tmp_path / "fairtrial.toml")
    assert experiment.claims and experiment.contenders["app"].build and experiment.contenders["app"].origin.port == 8080
    model = read_workload_file(tmp_path / "x.toml").model
    assert set(model.requests) == {"get-a", "order"} and model.defaults.headers
    assert read_toml(tmp_path / "x.toml", type(model)) == model


@pytest.mark.parametrize(
    ("path", "filled"),
    [
        ("/items", "/items"),
        ("/items/{id}/parts/{part}", "/items/1/parts/1"),
        ("/items/<int:pk>", "/items/1"),
        ("/items/:id", "/items/1"),
        ("/at/12:30", "/at/12:30"),
        ("/users/<uuid:key>", "/users/00000000-0000-4000-8000-000000000001"),
        ("/users/{userUuid}", "/users/00000000-0000-4000-8000-000000000001"),
        ("/files/{path...}", None),
        ("/files/*", None),
        ("/items/{id:[0-9]+}", None),
    ],
)
def test_parameters_of_a_path_get_made_up_values(path: str, filled: str | None) -> None:
    assert with_made_up(path) == filled
