"""Scripts as bash reads them."""

import subprocess

import pytest

from fairtrial_import.shell_quotes import as_bash
from fairtrial_import.shell_script import HOLE, ShellCommand, shell_commands

LINES = [
    r"""curl 'a b' "c d" e\ f '' x""",
    r"""a'b'"c"d""",
    r'''"\$x \`y\` \" \\ \n \z"''',
    r"""$'tab\there\nquote\' \x41\101 \u00e9 \U0001F600 \\ \q'""",
    r"""$'\xc3\xa9'""",
    "one \\\n two 'three\\\nfour' \"five\\\nsix\"",
    "'a\nb' \"c\nd\"",
    "tabs\tand  spaces ",
    "a#b # c",
    "$ 5$ \"$\" a=b 'c'=d",
    "x{1}y {} http://h/?a=1#f",
    "a 2>/dev/null b 2>&1 c",
]


def by_bash(script: str) -> list[str]:
    """The words that a program gets which the script calls `show`."""
    show = f"show() {{ printf '%s\\0' \"$@\"; }}\n{script}"
    environment = {"LC_ALL": "C.UTF-8"}
    return (
        subprocess.run(["bash", "-c", show], capture_output=True, check=True, env=environment)
        .stdout.decode()
        .split("\0")[:-1]
    )


def commands(text: str) -> list[ShellCommand]:
    return shell_commands(text, "x")


def test_words_are_those_of_bash() -> None:
    for line in LINES:
        (command,) = commands(f"show {line}")
        assert command.words[1:] == by_bash(f"show {line}"), line


VALUES = """
A=1 B='two words'
export C="$A-${B}" D=${NONE:-default}
unset E
show "$A" "$B" '$C' "$C" "${D}" \\$A "\\$B" ${A}x
A=3; show "$A"
"""


def test_variables_that_a_script_sets_are_replaced_as_bash_does() -> None:
    shown = [word for command in commands(VALUES) if command.words[0] == "show" for word in command.words[1:]]
    assert shown == by_bash(VALUES)


def test_what_only_a_run_tells_is_a_hole() -> None:
    script = 'T=$(curl http://h/login | jq .t)\nfor i in 1 2; do curl "http://h/$i?t=$T&n=$1" "${ARGS[@]}" `date`; done'
    calls = [command.words[1:] for command in commands(script) if command.words[0] == "curl"]
    assert [[HOLE.sub(r"<\1>", word) for word in words] for words in calls] == [
        ["http://h/login"],
        ["http://h/<i>?t=<T>&n=<argument 1>", "<ARGS>", "<output of line 2>"],
    ]


def test_commands_are_found_wherever_they_stand() -> None:
    script = """#!/bin/sh
    # curl not
    f() { curl one; }
    if ! sudo curl two; then exit; fi && X=1 curl three|jq . & curl four;curl five
    out=`curl six`; echo "$(curl seven "$(curl eight)")"
    time curl nine > curl 2>&1 < curl
    """
    called = [command.words[1] for command in commands(script) if command.words[:1] == ["curl"]]
    assert sorted(called) == sorted(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
    assert {command.line for command in commands(script) if command.words == ["curl", "nine"]} == {6}


@pytest.mark.parametrize(
    ("script", "stdin"),
    [
        ("x <<'END'\na $B\n\\$\nEND\n", "a $B\n\\$\n"),
        ('B=b\nx <<END | y\na "$B" \\$B\nEND\n', 'a "b" $B\n'),
        ("x <<-END\n\ta\n\tEND\n", "a\n"),
        ("cat <<E | x\na\nE\n", "a\n"),
        ("echo 'a b' c | x", "a b c\n"),
        ("echo -n a | x", "a"),
        ("printf '%s' a |\n x", "a"),
        ("x <<< 'a'", "a\n"),
        ("date | x", None),
        ("x", None),
    ],
)
def test_standard_input(script: str, stdin: str | None) -> None:
    (found,) = (command for command in commands(script) if command.words == ["x"])
    assert found.stdin == stdin


def test_a_file_on_standard_input() -> None:
    assert commands("x < 'a b'")[0].stdin_file == "a b"


def test_a_character_in_two_halves_as_browsers_write_it() -> None:
    assert commands(r"$'\ud83d\ude00'")[0].words == ["😀"]


@pytest.mark.parametrize("line", ["'a", '"a', "$'a", '"$(b', "$(b", "a `b"])
def test_what_is_not_closed_ends_no_other_command(line: str) -> None:
    first, broken, *_, last = commands(f"one\ncurl {line}\ncurl two")
    assert (first.words, last.words) == (["one"], ["curl", "two"])
    assert (broken.words[0], broken.line) == ("curl", 2) and "is not closed" in broken.problem


CMD = (
    'curl ^"http://h/a?b=1^&c=%^41^" ^\n  -H ^"x: a^\\^"b^\\^"^" ^\n'
    '  --data-raw ^"^{^\\^"n^\\^":^\\^"^\\^\\n \'^\n\nz^\\^"^}^" &\ncurl ^"http://h/b^"'
)


def test_what_browsers_copy_for_cmd_exe() -> None:
    first, second = commands(as_bash(CMD))
    assert first.words == [
        *("curl", "http://h/a?b=1&c=%41", "-H", 'x: a"b"', "--data-raw"),
        '{"n":"\\n \'\nz"}',
    ]
    assert second.words == ["curl", "http://h/b"]


def test_powershell() -> None:
    text = 'curl.exe -X POST `\n  -H \'a: b\' -d \'{\\"c\\": 1}\' -d "x`"y" `\n  http://h/a\n'
    (command,) = commands(as_bash(text))
    assert command.words == ["curl.exe", "-X", "POST", "-H", "a: b", "-d", '{"c": 1}', "-d", 'x"y', "http://h/a"]


@pytest.mark.parametrize("text", ["curl 'http://h/^\"x'", "x=`date`\ncurl -s http://h/"])
def test_what_is_written_for_bash_stays(text: str) -> None:
    assert as_bash(text) == text
