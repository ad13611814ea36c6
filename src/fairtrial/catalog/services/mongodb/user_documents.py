"""MongoDB loads a user's files of documents, as mongoexport writes them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bson import json_util

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.user_files import refused, text_of
from fairtrial.catalog.services.mongodb import TITLE
from fairtrial.catalog.services.mongodb.client import MongodbClient, driver_errors
from fairtrial.catalog.services.mongodb.documents import Document

AT_ONCE = 1000
SUFFIXES = (".json", ".jsonl")


def load(client: MongodbClient, files: Sequence[Path]) -> None:
    """Insert the documents of each file, one on each line in MongoDB's Extended JSON, into the collection of its name.

    Raises:
        Problem: a line is no document, or the server refused; the reason names the file, and the line if it can.
    """
    for file in files:
        if file.suffix not in SUFFIXES:
            raise Problem(
                f"{file}: no file of documents",
                "write one document on each line into NAME.jsonl, NAME being the collection, as mongoexport does; a "
                "script of mongosh can be the `command` of `reset`",
            )
        documents: list[Document] = []
        for document in _documents(file):
            documents.append(document)
            if len(documents) == AT_ONCE:
                _insert(client, file, documents)
                documents = []
        if documents:
            _insert(client, file, documents)


def _documents(file: Path) -> Iterator[Document]:
    for number, line in enumerate(text_of(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            document = json_util.loads(line)
        except (ValueError, TypeError, RecursionError) as error:
            raise refused(TITLE, file, f"line {number}: {error}") from None
        if not isinstance(document, dict):
            raise refused(TITLE, file, f"line {number}: no document")
        yield document


def _insert(client: MongodbClient, file: Path, documents: Sequence[Document]) -> None:
    try:
        with driver_errors():
            client.database[file.stem].insert_many(documents)
    except Problem as problem:
        raise refused(TITLE, file, problem.reason) from None
