"""Values of environment variables are hidden in whatever an answer or the engine quotes."""

from fairtrial.experiment.workload_file.secrets import Secrets


def test_values_are_hidden_however_they_are_spelled() -> None:
    secrets = Secrets({"TOKEN": 'se/c"ret', "EMPTY": ""})
    for text in ('a se/c"ret b', "a se%2Fc%22ret b", 'a se/c\\"ret b'):
        assert secrets.hidden(text) == "a {{env TOKEN}} b"
    assert secrets.hidden("nothing here") == "nothing here"


def test_a_value_that_is_cut_off_at_the_end_is_hidden_as_far_as_it_is_there() -> None:
    secrets = Secrets({"TOKEN": "abcdefghij"})
    assert secrets.hidden("x abcdefghi") == "x {{env TOKEN}}"
    assert secrets.hidden("x abc") == "x abc"


def test_a_value_that_holds_another_is_hidden_whole() -> None:
    assert Secrets({"A": "1234", "B": "x1234y"}).hidden("x1234y 1234") == "{{env B}} {{env A}}"


def test_without_variables_nothing_is_hidden() -> None:
    assert Secrets({}).hidden("abc") == "abc"
