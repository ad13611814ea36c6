"""`man fairtrial`: the page has every command and option, and groff takes it without a warning."""

import subprocess

from fairtrial.docs.man_page import MAN_PAGE, man_page
from tests.docs.pages import DOCS
from tests.machine.needs import needs


def test_the_page_is_what_the_command_writes() -> None:
    assert (DOCS / MAN_PAGE).read_text() == man_page(), "run: python -m fairtrial.docs"


@needs("groff")
def test_groff_formats_it_without_a_warning() -> None:
    page = DOCS / MAN_PAGE
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(page)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    words = " ".join(done.stdout.split())
    for said in ("fairtrial ‐ put", "fairtrial services install", "--no-slices", "Exit status: 0", "SEE ALSO"):
        assert said in words.replace("−", "-").replace("fairtrial - put", "fairtrial ‐ put")
