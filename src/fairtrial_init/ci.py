"""The file by which a CI service puts each change of a service on trial: `fairtrial init --ci`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from fairtrial import __version__
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text
from fairtrial.catalog.stacks.repository import Repository

CiService = Literal["github", "gitlab"]
"""The CI services for which there is a file."""

PLACES: Mapping[CiService, str] = {"github": ".github/workflows/fairtrial.yml", "gitlab": "fairtrial.gitlab-ci.yml"}
"""Relative to the top of the repository. GitLab reads what its own file includes."""

GITHUB = """\
# Did a change make this service slower? `fairtrial init --ci github` wrote this file, and it is yours to change.
# docs/ci.md of Fairtrial explains it.
name: fairtrial
on: pull_request              # of strangers, too: leave the permissions read-only, and give the job no secrets
permissions: {contents: read}
jobs:
  ab-test:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v7
      # What the service is built with, where the machine lacks it: actions/setup-node, setup-go, setup-java, …
      # In place of OWNER: the user or organisation of GitHub that has your copy of Fairtrial.
      - uses: OWNER/fairtrial@main
        with:
          folder: FOLDER
          margin: 10%                   # so much slower is allowed
          minutes: 10
          comment: false                # true needs the permission `pull-requests: write`
          # version: VERSION              from PyPI, once it is there, in place of the copy, which Rust compiles once
"""
GITLAB = """\
# Did a change make this service slower? `fairtrial init --ci gitlab` wrote this file, and it is yours to change.
# docs/ci.md of Fairtrial explains it. In .gitlab-ci.yml:
#
#     include:
#       - local: fairtrial.gitlab-ci.yml
fairtrial:
  image: python:3.13          # with what the service is built with
  variables:
    FAIRTRIAL: fairtrial==VERSION       # or the URL of a wheel, as long as PyPI has no such version
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  timeout: 30 minutes
  script:
    - pip install --quiet "$FAIRTRIAL"
    - git fetch --quiet --depth 1 origin "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
    - cd FOLDER
    - fairtrial ab-test "$CI_MERGE_REQUEST_DIFF_BASE_SHA" HEAD --margin 10% --minutes 10
      --markdown ab-test.md --junit ab-test.xml
  allow_failure: {exit_codes: 3}        # undecided
  artifacts:
    when: always
    paths: [FOLDER/results, FOLDER/ab-test.md]
    reports: {junit: FOLDER/ab-test.xml}
"""
TEXTS: Mapping[CiService, str] = {"github": GITHUB, "gitlab": GITLAB}


def plain_path(folder: str) -> str:
    """A path within the repository, for YAML and a shell alike.

    Raises:
        Problem: it has other characters than letters, digits, `.`, `_`, `-` and `/`.
    """
    if re.fullmatch(r"[\w./-]+", folder, re.ASCII):
        return folder
    raise Problem(
        f"{printable(folder)}: a name that YAML and a shell may read as something else",
        "give the folder one of letters, digits, dots, underscores and hyphens",
    )


def repository_of(folder: Path) -> Repository:
    """The repository that a CI service would check out.

    Raises:
        Problem: the folder is in none.
    """
    try:
        return Repository.of(folder)
    except Problem as problem:
        raise Problem(problem.reason, "make one with `git init`: a CI service checks it out") from problem


def _text(service: CiService, folder: str) -> str:
    """The file for a service in this folder of its repository; of one at the top, no line and no path names it."""
    text = TEXTS[service].replace("VERSION", __version__)
    if folder == ".":
        text = re.sub(r"^.*(?:cd|folder:) FOLDER\n", "", text, flags=re.MULTILINE).replace("FOLDER/", "")
    return text.replace("FOLDER", folder)


def write_ci_file(service: CiService, folder: Path, *, force: bool) -> Path:
    """Write the file of a CI service for the `fairtrial.toml` of a folder, and return its path.

    Raises:
        Problem: the folder is in no repository of git, or the file is there already.
    """
    repository = repository_of(folder)
    file = repository.top / PLACES[service]
    if file.exists() and not force:
        raise Problem(f"{file}: there already", "give --force to overwrite, or use what is there")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, _text(service, plain_path(str(repository.prefix))))
    return file
