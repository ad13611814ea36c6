"""From articles to term vectors: docs/workloads.md of the project, "similar-items", says the rules."""

import math
import re
from collections import Counter
from typing import Any

STOP_WORDS = frozenset("a an and are as at be by for from in is it of on or that the to was with".split())  # noqa: SIM905
FIELD_WEIGHTS = {"name": 10, "description": 3, "type": 1, "tags": 1}

Vector = dict[str, float]
"""Weights of terms; their squares add up to 1."""


def term_vectors(articles: list[dict[str, Any]]) -> dict[int, Vector]:
    """The articles' vectors, by id."""
    counts = {article["id"]: _weighted_terms(article) for article in articles}
    document_frequency = Counter(term for counted in counts.values() for term in counted)
    weight = {term: math.log(len(articles) / frequency) for term, frequency in document_frequency.items()}
    return {
        article_id: scaled({term: count * weight[term] for term, count in counted.items()})
        for article_id, counted in counts.items()
    }


def _weighted_terms(article: dict[str, Any]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for field, weight in FIELD_WEIGHTS.items():
        for word in re.findall("[a-z]+", article[field].lower()):
            if word not in STOP_WORDS:
                counted[_stem(word)] += weight
    return counted


def _stem(word: str) -> str:
    """Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1."""
    if len(word) > 4 and word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def scaled(weights: dict[str, float]) -> Vector:
    """The same direction, of length 1."""
    length = math.hypot(*weights.values())
    # Terms that every article has weigh nothing; an article may have no others.
    return {term: weight / length for term, weight in weights.items()} if length else {}
