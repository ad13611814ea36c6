"""Files that several stacks have in common. A stack is built from its folder alone, so each has a copy."""

import pytest

from fairtrial.base.locations import shipped

COPIES = (
    ("ruby-eventmachine/processes.rb", "ruby-neverblock/lib", "ruby-rails/lib", "ruby-threads"),
    ("ruby-goliath/lib/scram.rb", "ruby-rails/lib"),
    ("java-spring/bin/jdk", "java-batch/bin"),
    ("python-fastapi/app/terms.py", "python-flask/app"),
    ("python-fastapi/app/matches.py", "python-flask/app"),
    (
        "node-express/processes.js",
        "node-bare",
        "node-expander",
        "node-fastify",
        "node-journey",
        "node-rapid",
        "node-restify",
    ),
    ("node-express/batcher.js", "node-bare", "node-fastify", "node-journey", "node-restify"),
    ("node-express/settings.js", "node-bare", "node-fastify", "node-journey", "node-restify"),
    ("node-express/items.js", "node-fastify"),
    ("node-express/mongodb.js", "node-fastify"),
    ("node-express/postgresql.js", "node-fastify"),
    ("node-express/store.js", "node-fastify"),
    ("node-bare/surveys.js", "node-journey", "node-restify"),
)
"""A file, and the folders that hold a copy of it under the same name; below `stacks/`."""


@pytest.mark.parametrize("copies", COPIES, ids=lambda copies: copies[0])
def test_copies_of_a_file_are_equal(copies: tuple[str, ...]) -> None:
    first = shipped("stacks") / copies[0]
    for folder in copies[1:]:
        copy = shipped("stacks") / folder / first.name
        assert copy.read_text() == first.read_text(), f"{copy} differs from {first}"
