"""Objects of JSON in which each name stands once."""

from collections.abc import Sequence
from typing import Any


class MemberTwice(ValueError):
    """An object has two members of one name: readers take one or the other, so that it says nothing for certain."""

    def __str__(self) -> str:
        return "a member occurs twice"


def once_each(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, for `object_pairs_hook` of `json.loads`.

    Raises:
        MemberTwice: two have one name.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        raise MemberTwice
    return members
