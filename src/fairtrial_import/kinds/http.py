"""`requests.http`: requests as VS Code's REST Client, JetBrains' HTTP Client and httpyac write them."""

import re
from dataclasses import replace

from fairtrial.base.problem import Problem
from fairtrial_import.curl_command import read_curl
from fairtrial_import.entries import read_each
from fairtrial_import.http_block import METHODS, Block, BlockReader, blocks_of
from fairtrial_import.http_variables import FileVariables
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import FoundRequest, ImportedRequests
from fairtrial_import.shell_script import without_holes
from fairtrial_import.source import ImportSource
from fairtrial_import.variables import Variables

LARGEST_BYTES = 8 << 20
MOST_REQUESTS = 10_000
URL = r"https?://|/|\{\{|localhost\b"
BEGINNING = re.compile(
    rf"^[ \t]*(?:(?:{METHODS})[ \t]+(?:{URL}|[\w.-]+[:/])|(?i:{METHODS})[ \t]+(?:{URL})|@[\w.-]+[ \t]*=)"
    rf"|\A(?:[ \t]*(?:(?:#|//).*)?\r?\n)*(?:https?://|\{{\{{)\S+[ \t]*\r?$",
    re.MULTILINE,
)


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of a file, with its variables replaced.

    Raises:
        Problem: no request of it can be read, or there are too many.
    """
    text = without_holes(source.text(LARGEST_BYTES))
    blocks = list(blocks_of(text.replace("\r\n", "\n").split("\n")))
    if len(blocks) > MOST_REQUESTS:
        raise Problem(f"{source.label}: more than {MOST_REQUESTS:,} requests", "import fewer at once")
    values = FileVariables(variables, source.label)
    for block in blocks:
        for name, value, number in block.definitions():
            values.announce(name, value, number)
    remarks: list[str] = []

    def read_block(block: Block) -> list[FoundRequest]:
        for name, value, _ in block.definitions():
            values.define(name, value)
        curl = block.curl_text()
        if curl is not None:
            text, line = curl
            requests, more = read_curl(values.marked(text), source.label, values.placeholder, line)
            remarks.extend(more)
            return [replace(each, name=block.title) for each in requests]
        request = BlockReader(block, source, values).request()
        return [] if request is None else [request]

    requests, left_out = read_each(blocks, read_block, source.label)
    return ImportedRequests(title=source.stem, requests=requests, remarks=[*values.remarks, *left_out, *remarks[:20]])


KIND = SourceKind(
    "http",
    "a file of requests (.http)",
    lambda source: BEGINNING.search(source.long_head) is not None,
    read,
    rank=2,
)
