import pytest

from fairtrial.base.formatting import bound_in_words, count, figure, plain, span, violation_in_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (2, "2"),
        (1.5, "1.5"),
        (0.9, "0.9"),
        (0.0312, "0.0312"),
        (12.34, "12.3"),
        (99.95, "100"),
        (1234.5, "1,234"),
    ],
)
def test_bounds_are_said_as_people_write_them(value: float, words: str) -> None:
    assert plain(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0.00"),
        (0.00012, "0.00012"),
        (0.45, "0.450"),
        (0.99951, "1.00"),
        (3, "3.00"),
        (9.996, "10.0"),
        (14, "14.0"),
        (99.96, "100"),
        (21719.3, "21,719"),
    ],
)
def test_figures_keep_three_digits(value: float, words: str) -> None:
    assert figure(value) == words


def test_bounds_and_their_violations() -> None:
    assert bound_in_words(2, None) == "at least 2"
    assert bound_in_words(None, 3) == "at most 3"
    assert bound_in_words(2, 3) == "between 2 and 3"
    assert violation_in_words(2, 3) == "below 2 or above 3"
    assert span((1.2, 3.4)) == "1.20 to 3.40"
    assert (count(1, "block"), count(1200, "block")) == ("1 block", "1,200 blocks")
