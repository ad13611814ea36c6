"""Variables of a workload file: where they are taken, and what is wrong with their use."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.experiment.workload_file.think import engine_think
from fairtrial.experiment.workload_file.variables import parse_taken

LOGIN = '[setup.login]\npost = "/login"\ntake.token = "/access_token"\n'
EACH = LOGIN + 'per = "connection"\n'
MAKE = '[requests.make]\njourney = "buy"\npost = "/carts"\ntake.id = "/id"\n'
PAY = '[requests.pay]\njourney = "buy"\npost = "/carts/{{var id}}"\n'
MAKE_NOTHING = 'headers.x-id = "{{var id}}"\n'
USE = '[requests.order]\nget = "/{{var token}}"\n'


def read(folder: Path, text: str) -> None:
    file = folder / "a.workload.toml"
    file.write_text(text)
    read_workload_file(file)


@pytest.mark.parametrize(
    "text",
    [
        '[requests.order]\nget = "/{{var token}}"',
        LOGIN + USE.replace("var token", "var tokn"),
        LOGIN + '[requests.order]\nget = "/"',
        '[setup.cart]\npost = "/{{var token}}"\n' + LOGIN + USE,
        'defaults.headers.x-key = "{{var token}}"\n' + LOGIN + USE,
        LOGIN + LOGIN.replace("login", "again") + USE,
        LOGIN.replace("/login", "/{{uniform 1 9}}") + USE,
        LOGIN + "weight = 2\n" + USE,
        LOGIN.replace("post", "head") + USE,
        LOGIN.replace('"/access_token"', '"access_token"') + USE,
        EACH + '[requests.order]\nget = "/"',
        EACH + USE + 'expect.text = "{{var token}}"',
        EACH + '[setup.cart]\npost = "/{{var token}}"\n' + USE,
        '[setup.cart]\nper = "connection"\npost = "/{{var token}}"\n' + EACH + USE,
        EACH + LOGIN.replace("login", "again") + USE,
        EACH.replace('"/access_token"', '"header X ~ (?=a)(b)"') + USE,
        EACH + 'expect.schema = "a.json"\n' + USE,
        EACH + 'think = "1 s"\n' + USE,
        EACH + 'journey = "buy"\n' + USE,
        MAKE.replace('journey = "buy"\n', "") + PAY,
        MAKE + PAY.replace("buy", "sell"),
        MAKE + '[requests.look]\nget = "/"\n' + PAY,
        MAKE + PAY + "weight = 2",
        MAKE + PAY + 'expect.text = "{{var id}}"',
        MAKE + PAY.replace("{{var id}}", "7"),
        MAKE + PAY + 'take.id = "header Location"',
        MAKE + 'expect.schema = "a.json"\n' + PAY,
        LOGIN.replace("token", "id") + MAKE + PAY,
        'cookies = "journey"\n' + MAKE + PAY + 'headers.Cookie = "a=b"',
        'cookies = "journey"\n' + EACH + 'headers.Cookie = "a=b"\n' + USE,
        LOGIN + 'expect.schema = "a.json"\n' + USE,
        LOGIN + 'expect.matches."/a" = "b"\n' + USE,
        LOGIN + 'expect.html = "a.html"\n' + USE,
        LOGIN + "expect.events.count = 1\n" + USE,
        LOGIN + "follow_redirects = 1\n" + USE,
        EACH + 'renew = "login"\n' + USE,
        LOGIN + USE + 'renew = "login"',
        EACH + USE + 'renew = "login"\nexpect.status = [200, 401]',
        EACH + USE + 'renew = "logout"',
        MAKE + 'renew = "make"\n' + PAY,
        MAKE + PAY + "follow_redirects = 21",
        MAKE + PAY + "follow_redirects = 2\nexpect.status = 302",
        MAKE + PAY + "follow_redirects = 2\nexpect.events.count = 1",
        '[requests.look]\nhead = "/"\nexpect.trailer.a = "b"',
        LOGIN + USE + 'think = "250"',
        LOGIN + USE + 'think = "2 h"',
        LOGIN + USE + 'think = "uniform 3 s to 1 s"',
        'rows.users = { file = "users.jsonl", pick = "once" }\n'
        + EACH.replace("/login", "/login/{{row users name}}")
        + USE,
    ],
)
def test_what_is_wrong_is_said_when_the_file_is_read(tmp_path: Path, text: str, snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        read(tmp_path, text)
    assert str(error.value) == snapshot


def test_a_setup_request_that_is_sent_once_sends_a_cookie_that_an_earlier_one_took(tmp_path: Path) -> None:
    login = LOGIN.replace("/access_token", "header Set-Cookie ~ session=([^;]+)")
    cart = '[setup.cart]\npost = "/carts"\nheaders.cookie = "session={{var token}}"\n'
    read(tmp_path, 'cookies = "journey"\n' + login + cart + '[requests.order]\nget = "/"\n')


def test_a_later_setup_request_uses_an_earlier_one_s_and_leaves_out_a_default(tmp_path: Path) -> None:
    read(
        tmp_path,
        'defaults.headers.authorization = "Bearer {{var token}}"\n'
        + LOGIN
        + 'headers.authorization = ""\n[setup.cart]\npost = "/carts"\ntake.cart = "header Location ~ /carts/([0-9]+)"\n'
        + '[requests.order]\nget = "/"\nexpect.json."/cart" = "{{var cart}}"\n',
    )


def test_what_expires_is_renewed_by_an_earlier_step_or_by_a_request_of_the_connection(tmp_path: Path) -> None:
    read(tmp_path, EACH + USE + 'renew = "login"\nfollow_redirects = 20\n')
    read(tmp_path, EACH + MAKE + 'headers.x-token = "{{var token}}"\n' + PAY + 'renew = "make"\n')


def test_setup_requests_take_none_of_the_defaults_whose_faults_quote_an_answer(tmp_path: Path) -> None:
    defaults = '[defaults.expect]\nmatches."/a" = "b"\ntype = "a/b"\n'
    file = tmp_path / "a.workload.toml"
    file.write_text(defaults + EACH + LOGIN.replace("login", "cart").replace("token", "id") + USE + MAKE_NOTHING)
    setup = read_workload_file(file).model.setup_entries()
    assert [(each.expect.matches, each.expect.type) for each in setup.values()] == [(None, "a/b")] * 2


def test_a_connection_s_request_uses_what_the_load_s_took_wherever_it_stands(tmp_path: Path) -> None:
    cart = '[setup.cart]\nper = "connection"\npost = "/carts/{{var token}}"\ntake.cart = "/id"\n'
    read(tmp_path, cart + LOGIN + USE.replace("{{var token}}", "{{var cart}}") + 'think = "250 ms"\n')


def test_steps_use_what_earlier_ones_of_their_journey_and_setup_requests_took(tmp_path: Path) -> None:
    other = (MAKE + PAY).replace("buy", "sell").replace("requests.", "requests.other-")
    read(tmp_path, EACH + MAKE + 'headers.x-token = "{{var token}}"\n' + PAY + other)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("header Location ~ /carts/[0-9]+", "0 groups"),
        ("header Location ~ (a)(b)", "2 groups"),
        ("header Location ~ (", "no regular expression"),
        ("header", "write a JSON pointer"),
        ("header Bad Name", "write a JSON pointer"),
    ],
)
def test_a_place_that_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_taken(text)


def test_a_step_may_think_and_a_think_time_may_be_drawn(tmp_path: Path) -> None:
    read(tmp_path, MAKE + 'think = "exponential 2 s"\n' + PAY + 'think = "1 s"\n')
    assert engine_think("250 ms") == 0.25
    assert engine_think("uniform 1 s to 2 min") == "uniform:1.000000000s:120.000000000s"
    assert engine_think("exponential 20ms") == "exponential:0.020000000s"
    assert engine_think("lognormal 2 s sigma 0.5") == "lognormal:2.000000000s:0.5"


@pytest.mark.parametrize(
    "text", ["uniform 1 s", "uniform 1 to 2", "exponential 2 h", "lognormal 2 s", "lognormal 2 s sigma 5", "zipf 1.1"]
)
def test_what_is_no_think_time_is_answered_with_those_that_there_are(text: str) -> None:
    with pytest.raises(ValueError, match="lognormal 2 s sigma"):
        engine_think(text)
