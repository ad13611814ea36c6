"""Calls that stand before an output."""

import pytest

from fairtrial_cross_examine.command_line import last_command

TOOLS = ("ab", "wrk", "wrk2", "hey", "oha", "vegeta")


@pytest.mark.parametrize(
    ("line", "tool", "option", "value"),
    [
        ("$ hey -n 1000 -c 50 http://127.0.0.1:8080/", "hey", "-c", "50"),
        ("user@box:~$ wrk -t2 -c100 -d30s http://127.0.0.1:8080/", "wrk", "-c", "100"),
        ("./wrk2 -R2000 -c 10 http://127.0.0.1/", "wrk2", "-R", "2000"),
        ("/usr/local/bin/oha --connections=20 http://127.0.0.1/", "oha", "--connections", "20"),
        (
            'echo "GET http://127.0.0.1/" | vegeta attack -rate=50/1s -duration=5s | vegeta report',
            "vegeta",
            "-rate",
            None,
        ),
        ("ab -k -n 10 http://[::1]/", "ab", "-n", "10"),
    ],
)
def test_options(line: str, tool: str, option: str, value: str | None) -> None:
    command = last_command(f"some prose\n{line}\nRunning …", TOOLS)
    assert command.tool == tool
    if value is not None:
        assert command.option(option) == value


def test_numbers() -> None:
    command = last_command("vegeta attack -rate=50/1s -workers 3 | vegeta report", TOOLS)
    assert command.number("-rate") == 50 and command.whole("-workers") == 3
    command = last_command("wrk2 -R 2k -c x http://a/", TOOLS)
    assert command.number("-R") == 2000 and command.number("-c") is None


@pytest.mark.parametrize(
    "text",
    [
        "we used wrk for this",
        "see https://github.com/wg/wrk for more",
        "the tool hey is fine",
        "I ran hey against http://127.0.0.1/ twice",
        "hey - we tried it",
        "x" * 5000 + " wrk -c 10 http://a/",
        "",
    ],
)
def test_prose_is_no_call(text: str) -> None:
    assert not last_command(text, TOOLS).is_given


def test_the_last_call_of_the_tool_counts() -> None:
    text = "$ hey -c 1 http://a/\n$ hey -c 2 http://a/\n$ oha -c 3 http://a/"
    command = last_command(text, ("hey",))
    assert command.option("-c") == "2"


def test_an_open_quotation() -> None:
    command = last_command("$ wrk -c 10 -H 'Accept: http://a/", TOOLS)
    assert command.option("-c") == "10"
