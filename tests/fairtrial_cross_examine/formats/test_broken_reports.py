"""Reports that were cut or stopped, and forms that are not read: what is not read is said, and is on no other run."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import all_formats, clean, read_text
from fairtrial_cross_examine.model import Figure, PrintedRun
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.reports import (
    ARTILLERY_OLD,
    BOMBARDIER,
    BOMBARDIER_JSON,
    GATLING_JSON,
    JMETER_JSON,
    LOADTEST_JSON,
    LOCUST,
    SIEGE,
)
from tests.fairtrial_cross_examine.formats.test_fuzz import ALL_TEXTS, SEED
from tests.fairtrial_cross_examine.formats.texts import AB, AUTOCANNON, H2LOAD, HEY, HYPERFINE, K6_OLD, VEGETA, WRK

OUTPUTS = Path(__file__).parents[1] / "data" / "tools"
CUTS = 10
FEWEST_LINES = 2
"""Lines of a tool that tell whose an output is."""


def read(folder: Path, text: str) -> Sequence[PrintedRun]:
    file = folder / "x"
    file.write_text(text, encoding="utf-8")
    return read_evidence([file]).runs


def figures(runs: Sequence[PrintedRun]) -> set[str]:
    found: set[str] = set()
    for run in runs:
        times = run.times
        has = {"requests": run.requests, "rate": run.rate_per_second, "mean": times.mean, "max": times.maximum}
        has |= {"min": times.minimum, "seconds": run.seconds or run.rate_seconds}
        found |= {name for name, figure in has.items() if figure is not None}
        found |= {f"p{share}" for share in times.percentiles}
        found |= {"failed"} if run.failures or run.unanswered else set()
    return found


def is_told(cut: str, text: str, tool: str) -> bool:
    """Whether enough of an output is left to tell whose it is."""
    lines = clean(cut).splitlines()
    known = [line for line in lines if any(pattern.match(line) for pattern in all_formats()[tool].lines)]
    return len(known) >= FEWEST_LINES or (text.startswith("{") and 3 * len(cut) > len(text))


JSONS = {
    "bombardier": BOMBARDIER_JSON,
    "gatling": GATLING_JSON,
    "jmeter": JMETER_JSON,
    "loadtest": LOADTEST_JSON,
}


@pytest.mark.parametrize("text", ALL_TEXTS, ids=lambda text: text[:12])
def test_what_a_cut_takes_away_is_said(tmp_path: Path, text: str) -> None:
    """Beside a whole report, so that the file is read: a figure of the whole is there, or something is said."""
    chance = random.Random(SEED)
    whole = read(tmp_path, text)
    whole_of_company, company = ("ab", AB) if whole[0].tool != "ab" else ("wrk", WRK)
    lines = text.splitlines(keepends=True) if text.count("\n") > 1 else re.findall(".{1,40}", text)
    for place in chance.sample(range(1, len(lines)), min(CUTS, len(lines) - 1)) if len(lines) > 1 else ():
        cut = "".join(lines[:place])
        if not is_told(cut, text, whole[0].tool):
            continue
        runs = [run for run in read(tmp_path, f"{company}\n\nthe other:\n\n{cut}") if run.tool != whole_of_company]
        assert runs, cut[-80:]
        said = any(run.not_read or run.ambiguous or run.remarks for run in runs)
        assert said or figures(whole) <= figures(runs), cut[-80:]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (VEGETA.partition("Status")[0], ["failed"]),
        (VEGETA.partition("Requests  ")[2].partition("\n")[2], ["requests", "rate"]),
        (AB.partition("  66%")[0], ["percentiles"]),
        (AB.partition("Percentage")[0], ["percentiles"]),
        (SIEGE.partition("Shortest")[0], ["min"]),
        (HYPERFINE.partition("  Range")[0], ["max"]),
        (LOCUST.partition("Response time perc")[0], ["percentiles"]),
        (ARTILLERY_OLD.partition("    p99")[0], ["percentiles", "failed"]),
        (HEY.partition("  Average")[0], ["requests", "rate", "mean"]),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else ",".join(value),
)
def test_what_is_missing_is_named(text: str, missing: list[str]) -> None:
    run = read_text(text, "x")[0]
    assert run.not_read == missing


def test_percentiles_that_were_not_asked_for_are_not_missing() -> None:
    text = AB.partition("Percentage")[0]
    assert not read_text(f"$ ab -n 100 -c 100 -d http://a/\n{text}", "x")[0].not_read
    assert not read_text(text.replace("requests:      100", "requests:      1"), "x")[0].not_read


JSON_FILES = sorted(OUTPUTS.glob("*.json"))
JSON_TEXTS = [*(file.read_text() for file in JSON_FILES), *JSONS.values()]


@pytest.mark.parametrize("text", JSON_TEXTS, ids=[*(file.name for file in JSON_FILES), *JSONS])
@pytest.mark.parametrize("share", [0.5, 0.97])
def test_json_that_breaks_off(tmp_path: Path, text: str, share: float, snapshot: object) -> None:
    tool = read(tmp_path, text)[0].tool
    cut = text[: int(share * len(text.strip()))]
    if tool == "hyperfine":
        runs = read(tmp_path, cut)
        assert sum(run.has_figures for run in runs) == 1 and ["mean"] in [run.not_read for run in runs]
    else:
        with pytest.raises(Problem) as error:
            read(tmp_path, cut)
        assert str(error.value) == snapshot
    broken, *whole = read(tmp_path, f"{cut}\n\n{text}")
    assert not broken.has_figures and "breaks off" in broken.remarks[0]
    assert [run.times for run in whole] == [run.times for run in read(tmp_path, text)]


STOPS = [
    "^C\n\n",
    "^C\nme@host:~$ tail -4 older.txt\n",
    "^C\n[me@host results]$ cat other\n",
    "\nThe other one, with a cache:\n\n",
    "$ cat a; hey -z 5s http://b/\n",
]
HEADS = {
    "wrk": (WRK, "  Thread Stats"),
    "autocannon": (AUTOCANNON, "┌─────────┬──────┬"),
    "bombardier": (BOMBARDIER.partition("\n")[2], "Statistics"),
    "h2load": (H2LOAD.replace("protocol: h2", "protocol: http/1.1"), "finished in"),
    "k6": (K6_OLD, "     checks"),
}


@pytest.mark.parametrize("tool", HEADS)
@pytest.mark.parametrize("stop", STOPS)
def test_a_stopped_run_has_no_part_in_figures_of_another(tool: str, stop: str) -> None:
    """Those behind it have lost their first lines: nobody knows whose they are, and that is said."""
    text, place = HEADS[tool]
    head, figures_of_another = text[: text.index(place)], text[text.index(place) :]
    alone = read_text(figures_of_another, "x")[0]
    if stop == "^C\n\n" and tool not in ("wrk", "h2load"):
        return  # it prints its figures then
    *stopped, other = read_text(head + stop + figures_of_another, "x")
    assert (other.connections, other.url, other.load) == (alone.connections, None, alone.load)
    assert other.times == alone.times and "its first lines are missing" in " ".join(other.remarks)
    assert all(not run.has_figures and run.not_read for run in stopped)


@pytest.mark.parametrize("stop", ["^C", "^C\n"])
def test_what_a_stopped_run_prints_itself_is_its_own(stop: str) -> None:
    place = WRK.index("  Thread Stats")
    (run,) = read_text(WRK[:place] + stop + WRK[place:], "x")
    assert run == read_text(WRK, "x")[0]
    (run,) = read_text(VEGETA.replace("Requests  ", "^CRequests  "), "x")
    assert run == read_text(VEGETA, "x")[0]


def test_the_call_behind_a_stopped_run_is_that_of_the_figures_below_it() -> None:
    place = WRK.index("  Thread Stats")
    stopped, other = read_text(f"{WRK[:place]}^C\n$ wrk -c 40 -t 4 http://b/ | tail\n{WRK[place:]}", "x")
    assert (stopped.connections, other.connections, other.url) == (10, 40, "http://b/")
    assert not other.remarks


OTHER_FORMS = {
    "ab -e": "Percentage served,Time in ms\n0,0.123\n1,0.124\n",
    "ab -g": "starttime\tseconds\tctime\tdtime\tttime\twait\nMon Feb 02 10:00:00 2026\t1770026400\t0\t1\t1\t1\n",
    "vegeta": "Bucket         #   %       Histogram\n[0s,    10ms]  60  60.00%  ####\n[10ms,  +Inf]  40  40.00%  ##\n",
    "hey": "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n0.1,0,0\n",
    "oha": "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n0.1,0,0,0,0.2,2,200\n",
    "locust": "Type Name # reqs # fails | Avg Min Max Med | req/s failures/s\nGET  /  10 0(0.00%) | 1 1 1 1 | 1 0\n",
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_forms_that_are_not_read_are_named(tmp_path: Path, form: str, snapshot: object) -> None:
    tool = form.partition(" ")[0]
    with pytest.raises(Problem) as error:
        read(tmp_path, OTHER_FORMS[form])
    assert str(error.value) == snapshot
    *whole, other = read(tmp_path, f"{WRK}\n{OTHER_FORMS[form]}")
    assert [run.tool for run in whole] == ["wrk"] and other.tool == tool and other.not_read[0].startswith("the ")


AB_HTML = """\
This is ApacheBench, Version 2.3 &lt;$Revision: 1 $&gt;<br>
..done


<table >
<tr ><th colspan=2 bgcolor=white>Server Software:</th><td colspan=2 bgcolor=white>some</td></tr>
<tr ><th colspan=2 bgcolor=white>Server Hostname:</th><td colspan=2 bgcolor=white>127.0.0.1</td></tr>
<tr ><th colspan=2 bgcolor=white>Server Port:</th><td colspan=2 bgcolor=white>8080</td></tr>
<tr ><th colspan=2 bgcolor=white>Document Path:</th><td colspan=2 bgcolor=white>/a</td></tr>
<tr ><th colspan=2 bgcolor=white>Document Length:</th><td colspan=2 bgcolor=white>5 bytes</td></tr>
<tr ><th colspan=2 bgcolor=white>Concurrency Level:</th><td colspan=2 bgcolor=white>10</td></tr>
<tr ><th colspan=2 bgcolor=white>Time taken for tests:</th><td colspan=2 bgcolor=white>2.000 seconds</td></tr>
<tr ><th colspan=2 bgcolor=white>Complete requests:</th><td colspan=2 bgcolor=white>5000</td></tr>
<tr ><th colspan=2 bgcolor=white>Failed requests:</th><td colspan=2 bgcolor=white>0</td></tr>
<tr ><th colspan=2 bgcolor=white>Non-2xx responses:</th><td colspan=2 bgcolor=white>4000</td></tr>
<tr ><th colspan=2 bgcolor=white>Total transferred:</th><td colspan=2 bgcolor=white>500000 bytes</td></tr>
<tr ><th colspan=2 bgcolor=white>HTML transferred:</th><td colspan=2 bgcolor=white>25000 bytes</td></tr>
<tr ><th colspan=2 bgcolor=white>Requests per second:</th><td colspan=2 bgcolor=white>2500.00</td></tr>
<tr ><th colspan=2 bgcolor=white>Transfer rate:</th><td colspan=2 bgcolor=white>244.14 kb/s received</td></tr>
<tr ><th >Connnection Times (ms)</th></tr>
<tr ><th >&nbsp;</th> <th >min</th>   <th >avg</th>   <th >max</th></tr>
<tr ><th >Connect:</th><td >    0</td><td >    0</td><td >    2</td></tr>
<tr ><th >Processing:</th><td >    1</td><td >    3</td><td >   17</td></tr>
<tr ><th >Total:</th><td >    1</td><td >    3</td><td >   19</td></tr>
</table>
"""


def test_the_table_of_ab_in_html(tmp_path: Path) -> None:
    (run,) = read(tmp_path, AB_HTML)
    assert (run.tool, run.url, run.connections) == ("ab", "http://127.0.0.1:8080/a", 10)
    assert run.failures == {"non-2xx": 4000} and not run.not_read
    assert run.times.maximum == Figure(value=0.019, within=0.001)
    found = examine_output(read_evidence([tmp_path / "x"])).contradictions
    assert [each.kind for each in found] == ["errors-as-throughput"]
