"""The bodies that answers are compared with: the list of categories, pages, similar articles, and users' articles."""

import json
import math
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from fairtrial.catalog.workloads import categories, matching_mix, page, similar_items
from fairtrial.catalog.workloads.similar_items import expected_answers, most_similar, stem, terms, vectors
from tests.catalog.workloads.honest import data_of


def test_the_list_of_categories_is_compact_and_of_its_length() -> None:
    body = categories.body()
    assert len(body.encode()) == 5113
    parsed = json.loads(body)
    assert [category["id"] for category in parsed] == list(range(1, 33))
    assert json.dumps(parsed, separators=(",", ":")) == body
    assert {category["slug"] for category in parsed if " " in category["slug"] or "&" in category["slug"]} == set()
    assert all(category["description"].endswith(".") for category in parsed)


ITEM = {"id": 3, "name": 'a <b> & "c"', "uuid": "u-3", "description": "it's 5 > 4"}


def test_a_page_is_escaped_and_lists_the_items_before_it() -> None:
    html = page.page(ITEM, [{"name": "two"}, {"name": "<one>"}])
    assert html.startswith('<!doctype html><html><head><meta charset="utf-8"><title>a &lt;b&gt; &amp; &quot;c&quot;<')
    assert "<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1><p>u-3</p><p>it&#x27;s 5 &gt; 4</p>" in html
    assert "<ol><li>two</li><li>&lt;one&gt;</li></ol><footer>32 categories</footer></body></html>" in html
    assert f"<nav>{page.fragment()}</nav>" in html
    assert "<li>Coffee &amp; Tea</li>" in page.fragment()


class Items(HTMLParser):
    """The texts of the list items of a page's ordered list."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._inside: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._inside.add(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside.discard(tag)

    def handle_data(self, data: str) -> None:
        if {"ol", "li"} <= self._inside:
            self.texts.append(data)


def test_a_page_has_the_ten_items_before_it_the_nearest_first(engine: Path) -> None:
    assert engine
    data = data_of("page")
    every = data.generated.rows_at(range(1, data.generated.described["last_id"] + 1))
    pages = page.pages(data)
    assert 8 < len(pages) <= 32
    for number, html in pages.items():
        before = [row["name"] for row in every if row["id"] < number]
        assert Items(html).texts == before[-10:][::-1]


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("queries", "query"),
        ("dies", "die"),  # not longer than four letters: the second rule
        ("eies", "eie"),
        ("zombieies", "zombieie"),  # ends in eies
        ("boxes", "boxe"),
        ("goes", "goe"),  # ends in oes: the third rule
        ("trees", "tree"),
        ("cars", "car"),
        ("as", "as"),
        ("bus", "bus"),
        ("glass", "glass"),
        ("car", "car"),
    ],
)
def test_words_are_stemmed_as_the_page_says(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_terms_are_words_without_stop_words() -> None:
    assert terms("The Queries of 2 trees, and a CAR's!") == ["query", "tree", "car", "s"]


ARTICLES = [
    {"id": 1, "name": "red car", "type": "car", "tags": "", "description": ""},
    {"id": 2, "name": "red car", "type": "car", "tags": "", "description": ""},
    {"id": 3, "name": "blue", "type": "boat", "tags": "red", "description": "car"},
    {"id": 4, "name": "green", "type": "tree", "tags": "", "description": ""},
    {"id": 5, "name": "green", "type": "tree", "tags": "", "description": ""},
]


def test_weights_are_of_length_one_and_count_fields_as_often_as_they_should() -> None:
    scaled = vectors(ARTICLES)
    for vector in scaled.values():
        assert math.sqrt(sum(weight**2 for weight in vector.values())) == pytest.approx(1)
    assert scaled[1]["car"] / scaled[1]["red"] == pytest.approx(11 / 10)  # both are in three of the five articles
    assert scaled[3]["car"] / scaled[3]["red"] == pytest.approx(3)


def test_the_most_similar_come_first_and_ties_by_lower_id() -> None:
    ranked = most_similar(1, vectors(ARTICLES))
    assert [number for _, number in ranked] == [2, 3, 4, 5]
    assert ranked[0][0] == pytest.approx(1)
    assert 0 < ranked[1][0] < 1
    assert [similarity for similarity, _ in ranked[2:]] == [0, 0]


def test_sixteen_articles_are_requested_and_none_whose_order_is_in_doubt(engine: Path) -> None:
    assert engine
    data = data_of("similar-items")
    answers = expected_answers(data)
    assert len(answers) == 16
    scaled = vectors(data.generated.rows_at(range(1, similar_items.ROWS + 1)))
    for number, text in answers.items():
        ranked = most_similar(number, scaled)[:11]
        assert json.loads(text) == {"id": number, "similar": [other for _, other in ranked[:10]]}
        assert all(first[0] > second[0] for first, second in pairwise(ranked))


def test_a_user_is_the_sum_of_the_articles_that_he_rated() -> None:
    scaled = vectors(ARTICLES)
    user = matching_mix.user_vector([1, 3], scaled)
    assert math.sqrt(sum(weight**2 for weight in user.values())) == pytest.approx(1)
    assert user["blue"] / user["boat"] == pytest.approx(10)  # words of the third article alone
    assert user["red"] / user["blue"] == pytest.approx((scaled[1]["red"] + scaled[3]["red"]) / scaled[3]["blue"])
    ranking = matching_mix.best_for([1, 3], scaled)
    assert [number for _, number in ranking] == [2, 4, 5], "what he rated is left out"
    of_second = sum(user[term] * weight for term, weight in scaled[2].items())
    assert ranking[0][0] == pytest.approx(of_second)


def test_sixteen_users_are_requested_who_rated_twenty_articles_each(engine: Path) -> None:
    assert engine
    data = data_of("matching-mix")
    articles, ratings = data.tables
    by_user = matching_mix.rated(data.generated.spec)
    assert by_user == matching_mix.rated(dict(data.generated.spec))
    assert (len(by_user), ratings.rows.count) == (100, 2000)
    assert all(len(set(of_user)) == 20 and set(of_user) <= set(range(1, 2001)) for of_user in by_user.values())
    scaled = vectors(data.generated.rows_at(range(1, articles.rows.count + 1)))
    answers = matching_mix.expected_of_users(data)
    assert len(answers) == 16
    for user, text in list(answers.items())[:2]:
        best = matching_mix.best_for(by_user[user], scaled)[:10]
        assert json.loads(text) == {
            "id": user,
            "articles": [{"id": number, "similarity_millionths": round(found * 1e6)} for found, number in best],
        }
