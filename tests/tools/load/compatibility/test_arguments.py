"""Arguments that are unsupported or wrong."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.ab import read_ab
from fairtrial.tools.load.compatibility.wrk import read_wrk

URL = "http://127.0.0.1:8080/"

UNSUPPORTED = {
    "ab -X proxy:80": "proxies are not supported",
    "ab -g file": "gnuplot files are not written",
    "ab -w": "HTML tables are not printed",
    "ab -Z ALL": "rustls",
    "ab -h": "fairtrial ab --help",
    "wrk -s x.lua": "Lua scripts are not run",
    "wrk -R 100": "only wrk2 has it",
    "wrk -v": "not wrk itself",
}


@pytest.mark.parametrize("line", UNSUPPORTED)
def test_an_unsupported_flag_is_refused_by_name(line: str) -> None:
    tool, flag, *value = line.split()
    with pytest.raises(Problem, match=f"{tool} {flag} is not supported") as raised:
        (read_ab if tool == "ab" else read_wrk)([flag, *value, URL])
    assert UNSUPPORTED[line] in f"{raised.value.reason} {raised.value.remedy}"
    assert raised.value.remedy


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ab", "one URL, found 0"),
        (f"ab {URL} {URL}", "one URL, found 2"),
        (f"ab -n many {URL}", "'many' is not a whole number"),
        (f"ab -n 0 {URL}", "whole number from 1"),
        (f"ab -n 5 -c 10 {URL}", "10 at a time of 5 requests"),
        (f"ab --latency {URL}", "unrecognized arguments: --latency"),
        (f"ab -i -p x {URL}", "exclude each other"),
        (f"wrk -t4 -c2 {URL}", "4 threads for 2 connections"),
        (f"wrk -dsoon {URL}", "not a time"),
        (f"wrk -q {URL}", "unrecognized arguments: -q"),
    ],
)
def test_wrong_use(line: str, words: str) -> None:
    tool, *arguments = line.split()
    with pytest.raises(Problem) as raised:
        (read_ab if tool == "ab" else read_wrk)(arguments)
    assert words in raised.value.reason
    assert raised.value.remedy
