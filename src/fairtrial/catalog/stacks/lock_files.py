"""The parts of a change of lock files, package by package: the texts in which only some packages are switched.

A file is read as pieces (lock_formats.py). A text in between has the old pieces, but those of the switched packages as
they are in the new file, each after the piece that it follows there. What is of no package stays old.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from fairtrial.base.printable import printable
from fairtrial.catalog.stacks.lock_formats import FORMATS, GO, LockFormat, Piece, format_of, usual_name

Texts = Mapping[str, str]
"""By path."""

Package = tuple[str, str]
"""Its language, and its name."""

LONGEST_NAME = 60
"""Characters of a package, or of its versions, in the title of a step."""

WORD = re.compile(r"[\w@](?:[\w@./-]*\w)?")


@dataclass(frozen=True)
class Switch:
    """Packages that are switched at once: one, those that come or go with it, and those of which it needs another
    version than before."""

    changes: Sequence[str]
    """in words: `httptools 0.6.1 to 0.6.4`, `h11 0.14.0 removed`"""
    packages: frozenset[Package]


class LockChange:
    """The change of the lock files among some files.

    Attributes:
        switches: in the order of the files; of go.mod in the opposite one.
        removals: in words, what no package needed that is switched: what else changed may have needed it.
    """

    def __init__(self, before: Texts, after: Texts, changes: Collection[str]) -> None:
        """Compare files as they were and are; what is only on one side, or is no lock file, has no switches.

        Args:
            changes: all paths that changed, also those whose texts are not among these.
        """
        self._formats: dict[str, LockFormat] = {}
        self._before: dict[str, list[Piece]] = {}
        self._after: dict[str, list[Piece]] = {}
        formats = {path: kind for path in before.keys() & after.keys() if (kind := format_of(path))}
        order = list(FORMATS.values())
        for path, kind in sorted(formats.items(), key=lambda each: (order.index(each[1]), each[0])):
            if kind.unless_with and _beside(path, kind.unless_with) in changes:
                continue
            try:
                old, new = (list(kind.read(_ended(side[path]))) for side in (before, after))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                continue  # not as its tool writes it: all of it is switched with the rest
            self._formats[path], self._before[path], self._after[path] = kind, old, new
        self.removals: list[str] = []
        self.switches = list(self._find())

    def texts(self, switches: Iterable[Switch]) -> dict[str, str]:
        """The files with these switches made, where they differ from the old ones."""
        packages = frozenset[Package]().union(*(each.packages for each in switches))
        texts = {}
        for path, kind in self._formats.items():
            names = {name for language, name in packages if language == kind.language}
            old, new = self._before[path], merge(self._before[path], self._after[path], names)
            if kind.is_union and names:
                new = list(dict.fromkeys([*new, *(piece.text for piece in self._after[path])]))
            if new != [piece.text for piece in old]:
                texts[path] = kind.write(new)
        return texts

    @property
    def paths(self) -> Collection[str]:
        """The files that can be switched in part."""
        return self._formats.keys()

    @property
    def beyond(self) -> list[str]:
        """The files of which the switches do not make what they became."""
        texts = self.texts(self.switches)
        return [path for path, kind in self._formats.items() if not kind.is_union and not self._is_whole(path, texts)]

    def _is_whole(self, path: str, texts: Texts) -> bool:
        kind = self._formats[path]
        after = kind.write(piece.text for piece in self._after[path])
        before = kind.write(piece.text for piece in self._before[path])
        now = texts.get(path, before)
        return now == after or (kind.is_json and json.loads(now) == json.loads(after))

    def _find(self) -> Iterator[Switch]:
        old, new = self._by_package(self._before), self._by_package(self._after)
        no_place = set(self._without_place())
        differ = [each for each in {**new, **old} if old.get(each) != new.get(each) and each not in no_place]
        # A module must not need a later version than go.mod says. What others need comes last in it.
        packages = [each for each in differ if each[0] != GO] + [each for each in reversed(differ) if each[0] == GO]
        versions = {each: [_versions(side.get(each, ())) for side in (old, new)] for each in packages}
        languages = Counter(name for _, name in packages)
        titles = {
            (language, name): _in_words(name if languages[name] == 1 else f"{name} ({language})", *sides)
            for (language, name), sides in versions.items()
            if sides[0] != sides[1]
        }
        near = _near({each: _words_that_differ(old.get(each, ()), new.get(each, ())) for each in packages})
        both = {each for each in titles if all(versions[each])}
        remain = {each for each in titles if versions[each][1]}
        group: dict[Package, Package] = {}
        for each in packages:
            if each in both:
                _spread(each, near, both, group)
        _join(packages, remain, near, group)
        for each in packages:
            if each in remain:
                _spread(each, near, set(packages), group)
        members: dict[Package, list[Package]] = defaultdict(list)
        for each in packages:
            if each in group:
                members[group[each]].append(each)
            elif each in titles:
                self.removals.append(titles[each])
        for lead in (each for each in packages if each in members):
            of_it = sorted(members[lead], key=lambda each: each != lead)
            yield Switch([titles[each] for each in of_it if each in titles], frozenset(of_it))

    def _by_package(self, files: Mapping[str, Sequence[Piece]]) -> dict[Package, list[Piece]]:
        """The pieces of each package, in the order of the files."""
        by_package: dict[Package, list[Piece]] = {}
        for path, pieces in files.items():
            for piece in pieces:
                if piece.package is not None:
                    by_package.setdefault((self._formats[path].language, piece.package), []).append(piece)
        return by_package

    def _without_place(self) -> Iterator[Package]:
        """The packages of which a new piece is in a section that the old file does not have."""
        for path, kind in self._formats.items():
            sections = {"", *(piece.section for piece in self._before[path])}
            for piece in self._after[path]:
                if piece.package is not None and piece.section not in sections:
                    yield kind.language, piece.package


def merge(before: Iterable[Piece], after: Iterable[Piece], names: Collection[str]) -> list[str]:
    """The texts of the pieces before, but those of the packages with these names as they are after."""
    fresh: dict[tuple[object, ...], list[str]] = defaultdict(list)
    later = list(_with_keys(after))
    for key, piece in later:
        if piece.package in names:
            fresh[key].append(piece.text)
    result: list[tuple[object, str]] = []
    for key, piece in _with_keys(before):
        if piece.package in names:
            result += [(key, text) for text in fresh.pop(key, ())]
        else:
            result.append((key, piece.text))
    ends = {key: place for place, (key, _) in enumerate(result)}
    additions: dict[int, list[str]] = defaultdict(list)
    place = -1
    for key, _ in later:
        additions[place] += fresh.pop(key, ())
        place = ends.get(key, place)
    return additions[-1] + [each for place, (_, text) in enumerate(result) for each in (text, *additions[place])]


def _with_keys(pieces: Iterable[Piece]) -> Iterator[tuple[tuple[object, ...], Piece]]:
    """The pieces, each with what tells it from others of its file: of a package, all of a section are one."""
    times: Counter[tuple[str, str]] = Counter()
    for piece in pieces:
        if piece.package is not None:
            yield (piece.section, piece.package), piece
        else:
            times[piece.section, piece.text] += 1
            yield (piece.section, piece.text, times[piece.section, piece.text]), piece


def _near(words: Mapping[Package, Collection[str]]) -> dict[Package, set[Package]]:
    """By package, those of its language that it names in what differs of it, or that name it: they need another version
    of each other than before.

    Args:
        words: of each package, in what differs of it.
    """
    near: dict[Package, set[Package]] = defaultdict(set)
    for each, own in words.items():
        for other in {(each[0], word) for word in own} & words.keys() - {each}:
            near[each].add(other)
            near[other].add(each)
    return near


def _spread(
    lead: Package, near: Mapping[Package, set[Package]], among: set[Package], group: dict[Package, Package]
) -> None:
    """Make a group of a package and of all of these that it leads to, but those that are in another."""
    ahead = [lead]
    while ahead:
        package = ahead.pop()
        if package in among and package not in group:
            group[package] = lead
            ahead += near.get(package, ())


def _join(
    packages: Sequence[Package],
    remain: Collection[Package],
    near: Mapping[Package, set[Package]],
    group: dict[Package, Package],
) -> None:
    """Add to a group what comes or goes for the sake of one in it: with the first, or if it goes, with the last."""
    order = {each: place for place, each in enumerate(packages)}
    while True:
        joins = {}
        for each in packages:
            leads = sorted((group[other] for other in near.get(each, ()) if other in group), key=order.__getitem__)
            if each not in group and leads:
                joins[each] = leads[0 if each in remain else -1]
        if not joins:
            return
        group.update(joins)


def _words_that_differ(old: Sequence[Piece], new: Sequence[Piece]) -> set[str]:
    sides = [{line for piece in side for line in piece.text.split("\n")} for side in (old, new)]
    words = {word for line in sides[0] ^ sides[1] for word in WORD.findall(line)}
    return words | set(map(usual_name, words))


def _versions(pieces: Iterable[Piece]) -> list[str]:
    return list(dict.fromkeys(piece.version for piece in pieces if piece.version))


def _in_words(name: str, old: Sequence[str], new: Sequence[str]) -> str:
    """`httptools 0.6.1 to 0.6.4`; of several versions, those that differ."""
    gone, come = [each for each in old if each not in new], [each for each in new if each not in old]
    if not gone or not come:
        gone, come = list(old), list(new)
    name, before, after = (printable(text, LONGEST_NAME) for text in (name, ", ".join(gone), ", ".join(come)))
    if not before or not after:
        return f"{name} {after} added" if after else f"{name} {before} removed"
    return f"{name} {before} to {after}"


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"


def _beside(path: str, name: str) -> str:
    return str(PurePosixPath(path).with_name(name))
