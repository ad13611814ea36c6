"""What five published studies printed, and what it refutes."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial_cross_examine.contradictions.model import Contradiction
from fairtrial_cross_examine.examination import Examination, examine_output
from fairtrial_cross_examine.read import read_evidence

STUDIES = Path(__file__).parent / "data" / "studies"


def examined(name: str) -> Examination:
    return examine_output(read_evidence([STUDIES / f"{name}.toml"]))


def of(kind: str, examination: Examination) -> Sequence[Contradiction]:
    return [each for each in examination.contradictions if each.kind == kind]


def kinds(examination: Examination) -> set[str]:
    return {each.kind for each in examination.contradictions}


def test_four_apis_prints_a_time_that_nobody_waited(snapshot: object) -> None:
    examination = examined("four-apis")
    assert kinds(examination) == {"time-per-request"}
    found = of("time-per-request", examination)
    assert len(found) == 7
    assert found[0].says == snapshot


def test_rest_stress_shows_one_chosen_run_and_unequal_work(snapshot: object) -> None:
    examination = examined("rest-stress")
    assert kinds(examination) == {"chosen-run", "unequal-lengths", "stated-ratio"}
    (chosen,) = of("chosen-run", examination)
    assert "The two closest differ by 1.3%" in chosen.says
    (unequal,) = of("unequal-lengths", examination)
    assert unequal.says == snapshot
    assert of("stated-ratio", examination)[0].says == snapshot
    assert "3 in another" in of("stated-ratio", examination)[1].says


def test_neverblock_delays_and_a_lost_zero(snapshot: object) -> None:
    examination = examined("neverblock")
    assert kinds(examination) == {"implied-delay", "rate"}
    delays = {each.runs[0]: each for each in of("implied-delay", examination)}
    assert list(delays) == [
        f"Ruby {version} blocking, {delay} ms" for version in ("1.8", "1.9") for delay in (10, 50)
    ], "not at 100 ms, and not at 500 ms, which were extrapolated"
    assert delays["Ruby 1.8 blocking, 10 ms"].says == snapshot
    (lost,) = of("rate", examination)
    assert lost.runs == ["select sleep(1), NeverBlock"]
    assert "With 1.075797 s they agree" in lost.says


COLLAPSED = {
    "Ruby threads, 1/2": "15.9 s",
    "Ruby threads, 2/2": "9.99 s",
    "Ruby threads, 5/5": "24.4 s",
    "Ruby threads, 10/10": "55.9 s",
    "Node.js, 2/2": "5.05 s",
    "Node.js, 5/5": "18.9 s",
    "Node.js, 10/10": "53.1 s",
}


def test_link_too_big_has_seven_cells_whose_clients_were_gone() -> None:
    found = {each.runs[0]: each for each in of("clients-idle", examined("link-too-big"))}
    assert {name: each.figures["at work"] for name, each in found.items()} == COLLAPSED
    for name, each in found.items():
        connections = name.rpartition("/")[2]
        assert f"Connects failed on {connections} of {connections} connections" in each.says
    assert "they would have made 3,440" in found["Ruby threads, 1/2"].says
    assert "they would have made 7,377" in found["Node.js, 2/2"].says


def test_link_too_big_shares_a_maximum_between_all_servers(snapshot: object) -> None:
    (stall,) = of("stalls", examined("link-too-big"))
    assert stall.says == snapshot
    assert "TCP_RTO_MIN" in stall.figures["timer"]


def test_link_too_big_has_means_that_no_client_had_time_for() -> None:
    examination = examined("link-too-big")
    assert kinds(examination) == {"clients-idle", "stalls", "too-much-time"}
    assert [each.runs[0] for each in of("too-much-time", examination)] == [
        "EventMachine, 2/2",
        "Node.js, 1/1",
        "EventMachine, 1/2",
    ]


def test_ggm_compares_a_list_with_an_error_page(snapshot: object) -> None:
    examination = examined("ggm")
    assert kinds(examination) == {"errors-as-throughput", "unequal-lengths", "unsupported-percentile"}
    (errors,) = of("errors-as-throughput", examination)
    assert errors.says == snapshot
    assert errors.figures["goodput"] == "0.00/s"
    (lengths,) = of("unequal-lengths", examination)
    assert lengths.says == snapshot
    (percentile,) = of("unsupported-percentile", examination)
    assert percentile.runs == ["Goliath, 100 requests"] and percentile.says.startswith("p99 1.22 s")


def test_ggm_as_ab_printed_it_says_that_no_request_was_answered(snapshot: object) -> None:
    """Of its page: two outputs, the first of which is indented."""
    evidence = read_evidence([STUDIES / "ggm.md"])
    assert [(run.url, run.connections) for run in evidence.runs] == [
        ("http://goliath.example:80/v1/categories", 100),
        ("http://rails.example:80/categories.json", 100),
    ]
    (errors,) = of("errors-as-throughput", examine_output(evidence))
    assert errors.runs == ["ggm.md #2"] and errors.figures["goodput"] == "0.00/s"
    assert errors.says == snapshot


@pytest.mark.parametrize("file", sorted(STUDIES.glob("*.toml")), ids=lambda file: file.stem)
def test_every_study_is_refuted_in_something(file: Path) -> None:
    assert examine_output(read_evidence([file])).exit_status == 1


def test_the_studies_are_five() -> None:
    assert len(list(STUDIES.glob("*.toml"))) == 5
