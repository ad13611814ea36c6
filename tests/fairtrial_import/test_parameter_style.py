"""Styles of values: the whole table of the specification, and what it leaves open."""

from typing import Any

import pytest

from fairtrial_import.parameter_style import STYLES, is_defined, percent_encoded, styled, with_reserved

VALUES = {"empty": "", "string": "blue", "array": ["blue", "black", "brown"], "object": {"R": 100, "G": 200, "B": 150}}
TABLE = """
matrix          false  ;color  ;color=blue  ;color=blue,black,brown              ;color=R,100,G,200,B,150
matrix          true   ;color  ;color=blue  ;color=blue;color=black;color=brown  ;R=100;G=200;B=150
label           false  .       .blue        .blue,black,brown                    .R,100,G,200,B,150
label           true   .       .blue        .blue.black.brown                    .R=100.G=200.B=150
simple          false  (none)  blue         blue,black,brown                     R,100,G,200,B,150
simple          true   (none)  blue         blue,black,brown                     R=100,G=200,B=150
form            false  color=  color=blue   color=blue,black,brown               color=R,100,G,200,B,150
form            true   color=  color=blue   color=blue&color=black&color=brown   R=100&G=200&B=150
spaceDelimited  false  n/a     n/a          color=blue%20black%20brown           color=R%20100%20G%20200%20B%20150
spaceDelimited  true   n/a     n/a          n/a                                  n/a
pipeDelimited   false  n/a     n/a          color=blue%7Cblack%7Cbrown           color=R%7C100%7CG%7C200%7CB%7C150
pipeDelimited   true   n/a     n/a          n/a                                  n/a
deepObject      true   n/a     n/a          n/a             color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150
"""
"""OpenAPI 3.1.1, Style Examples; the second column is `explode`."""
CELLS = [
    (style, explode == "true", kind, cell)
    for style, explode, *cells in (line.split() for line in TABLE.strip().splitlines())
    for kind, cell in zip(VALUES, cells, strict=True)
]


@pytest.mark.parametrize(("style", "explode", "kind", "cell"), CELLS)
def test_the_table_of_the_specification(style: str, explode: bool, kind: str, cell: str) -> None:
    value = VALUES[kind]
    assert is_defined(value, style, explode) == (cell != "n/a")
    if cell != "n/a":
        assert styled("color", value, style, explode, percent_encoded) == cell.replace("(none)", "")


def test_every_style_explodes_as_the_specification_has_it_by_default() -> None:
    forms = {name: styled("a", {"b": 1}, name, None, percent_encoded) for name in STYLES}
    assert forms == {
        "simple": "b,1",
        "label": ".b,1",
        "matrix": ";a=b,1",
        "form": "b=1",
        "spaceDelimited": "a=b%201",
        "pipeDelimited": "a=b%7C1",
        "deepObject": "a%5Bb%5D=1",
        "cookie": "b=1",
    }


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        ("a,b/c d&é", "simple", "a%2Cb%2Fc%20d%26%C3%A9"),
        ([True, None, 1.5], "form", "a=true&a=&a=1.5"),
        ([], "form", ""),
        ({}, "matrix", ""),
        ({"b": "", "c": 1}, "exploded matrix", ";b;c=1"),
        ({"b": ""}, "form", "b="),
        ({"b": ""}, "exploded label", ".b="),
        ({"b": {"c": [1]}}, "deepObject", "a%5Bb%5D%5Bc%5D%5B0%5D=1"),
        ([{"b": 1}], "form", "a=%7B%22b%22%3A1%7D"),
    ],
)
def test_other_values(value: Any, style: str, text: str) -> None:
    *explodes, name = style.split()
    assert styled("a", value, name, bool(explodes) or None, percent_encoded) == text


@pytest.mark.parametrize(
    ("value", "style"),
    [({"b": {"c": 1}}, "form"), ([[1]], "simple"), ([1], "deepObject"), ([1, None], "form"), ({"b": None}, "label")],
)
def test_what_the_specification_leaves_open_is_told(value: Any, style: str) -> None:
    assert not is_defined(value, style, None)


def test_reserved_characters_stay_where_they_may() -> None:
    assert with_reserved("/a:b?c=d&e,f%20g%h #[é]") == "/a:b?c=d&e,f%20g%25h%20%23%5B%C3%A9%5D"
