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
    "line",
    [
        "ab",
        f"ab {URL} {URL}",
        f"ab -n many {URL}",
        f"ab -n 0 {URL}",
        f"ab -n 5 -c 10 {URL}",
        f"ab --latency {URL}",
        f"ab -i -p x {URL}",
        f"wrk -t4 -c2 {URL}",
        f"wrk -dsoon {URL}",
        f"wrk -q {URL}",
    ],
)
def test_wrong_use(line: str, snapshot: object) -> None:
    tool, *arguments = line.split()
    with pytest.raises(Problem) as raised:
        (read_ab if tool == "ab" else read_wrk)(arguments)
    assert raised.value.reason == snapshot
    assert raised.value.remedy
