"""The files that `fairtrial init` writes: the experiment, and the requests if they are not imported."""

from collections.abc import Sequence
from pathlib import Path

from fairtrial.experiment.ab_test import SLICED_SECONDS
from fairtrial_import.assemble import slug, unused_name
from fairtrial_import.toml_text import comments, inline, key, string
from fairtrial_init.answers import Answers

WORKLOAD_ENDING = ".workload.toml"
SERVED_ENDING = ".served.openapi.json"
"""The path of the document that the service itself serves."""
CONTENDER = "app"
AT = 43
"""The column at which remarks stand behind keys."""


def experiment_text(name: str, answers: Answers, remarks: Sequence[str]) -> str:
    """`fairtrial.toml`.

    Args:
        name: the service's, as a slug.
        remarks: what a reader has to know of the commands.
    """
    lines = [
        "# This service on trial. `fairtrial init` wrote this file, and it is yours to change.",
        "#",
        "#     fairtrial run --quick                     how fast is it? A look, with a report",
        "#     fairtrial ab-test                         did the change make it slower? Two commits side by side",
        "#",
        "# docs/experiments.md of Fairtrial explains every key.",
        "",
        _line("name", string(name), "the results are in results/NAME-TIME/"),
        _line("title", string(name)),
        _line("workload", string(f"{name}{WORKLOAD_ENDING}"), "what it is asked"),
        _line("stacks", inline([CONTENDER])),
        _line("# service", '"postgresql"', "each trial has one of its own, whose address is in DATABASE_URL"),
        "",
        *comments(remarks),
        f"[contenders.{CONTENDER}]",
        _line("folder", '"."', "copied and built apart, so that nothing is changed here"),
        *_build(answers),
        _line("command", inline(list(answers.command)), "word by word: no shell reads it"),
        _port(answers),
        _ready(answers),
        network_line(answers),
        '# env = { LOG_LEVEL = "warning" }          # recorded: secrets belong into the environment of `fairtrial`',
        "",
        "[load]",
        _line("kind", '"closed"', "each connection sends its next request when it has its answer"),
        _line("connections", "16"),
        _line("warmup_seconds", "1.0", "at least, until the pace is flat; not counted"),
        _line("duration_seconds", f"{SLICED_SECONDS:g}"),
        "",
        "# What must be true? `fairtrial run` judges it, with an interval (docs/claims.md):",
        "#",
        "# [[claims]]",
        '# id = "p99"',
        '# kind = "budget"',
        '# text = "99 in 100 answers come within 50 ms"',
        f'# of = "{CONTENDER}"',
        '# metric = "response_time_p99"',
        '# at_most = "50 ms"',
    ]
    return "\n".join(lines) + "\n"


def proposed_workload(name: str, paths: Sequence[str], others: Sequence[str]) -> str:
    """A workload file that asks these paths by GET.

    Args:
        name: the service's, as a slug.
        others: paths with parameters, which only its owner can fill in.
    """
    lines = [
        f"# What {name} is asked, and what its answers must be. `fairtrial init` wrote it; it is yours to change.",
        "#",
        f"#     fairtrial load -f {name}{WORKLOAD_ENDING} http://127.0.0.1:8080/      where it runs already",
        "#",
        "# An answer that is not as expected does not count: expect as much as you can. docs/workload-file.md of",
        "# Fairtrial explains every key.",
        "",
        f"title = {string(name)}",
        '# data = { postgresql = "schema.sql" }      # what the database of fairtrial.toml holds: docs/two-services.md',
        "",
        "[defaults]                                 # what all requests have in common",
        "expect.status = 200",
        '# expect.type = "application/json"',
        '# headers = { authorization = "Bearer {{env API_TOKEN}}" }     # from the environment, and never shown',
    ]
    names: set[str] = set()
    for place, path in enumerate(paths):
        request = unused_name(slug(f"get {path.partition('?')[0].strip('/') or 'root'}") or "get", names)
        names.add(request)
        lines += ["", f"[requests.{key(request)}]"]
        lines += [_line("weight", "1", "its share of all requests is the weight over the sum")] if not place else []
        lines += [f"get = {string(path)}"]
        if not place:
            lines += ['# expect.json = { "/total" = 400 }         # by JSON pointer, what must stand there']
    lines += [
        "",
        "# More, to be filled in. {{uniform 1 20}} draws a number; {{row NAME COLUMN}} takes a row of a CSV or JSONL:",
        "#",
        "# [rows.items]",
        '# file = "items.csv"',
        "#",
        "# [requests.order]",
        '# post = "/orders"',
        '# json = { item = "{{row items id}}", quantity = "{{uniform 1 3}}" }',
        "# expect.status = 201",
    ]
    if others:
        lines += ["#", *comments([f"The source also has {', '.join(others)}."])]
    return "\n".join(lines) + "\n"


def workload_file(folder: Path, name: str) -> Path:
    """Where the workload file is written."""
    return folder / f"{name}{WORKLOAD_ENDING}"


def service_name(folder: Path) -> str:
    """The service's name: that of its folder, as a slug."""
    return slug(folder.name) or "service"


def _line(name: str, value: str, remark: str = "") -> str:
    line = f"{name} = {value}"
    return f"{line.ljust(AT - 1)} # {remark}" if remark else line


def _build(answers: Answers) -> list[str]:
    if not answers.build:
        return ['# build = [["npm", "ci"]]                  # commands that build the copy; there is nothing to build']
    lines = [f"    {inline(list(command))}," for command in answers.build]
    return [_line("build", "[", "in the copy, once for each content"), *lines, "]"]


def _port(answers: Answers) -> str:
    if answers.port is None:
        return "# port = 8080                              # not set: it listens on the port that PORT says, on HOST"
    return _line("port", str(answers.port), "it always listens there; leave it out if it takes PORT")


def _ready(answers: Answers) -> str:
    if answers.ready is None:
        return '# ready = { path = "/healthz" }            # not set: ready as soon as GET / is answered, whatever by'
    value = "{ tcp = true }" if answers.ready.tcp else f"{{ path = {string(answers.ready.path or '/')} }}"
    return _line("ready", value, "when it can serve")


def network_line(answers: Answers) -> str:
    """The lines of the experiment on the network in which the service runs."""
    if answers.private_network:
        return _line("network", '"own"', "it listens on all addresses: here nothing reaches it from outside")
    return '# network = "own"                          # for a program that listens on all addresses (0.0.0.0)'
