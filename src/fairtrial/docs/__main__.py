"""`python -m fairtrial.docs`: write the generated parts of all pages, and say which pages changed."""

from fairtrial.base.document import schema_text
from fairtrial.base.locations import shipped
from fairtrial.docs.formats import DOCUMENTS, schema_file
from fairtrial.docs.man_page import MAN_PAGE, man_page
from fairtrial.docs.pages import PAGES, with_parts


def _write(name: str, before: str, after: str) -> None:
    page = shipped("docs") / name
    if after != before:
        page.write_text(after, encoding="utf-8")
        print(page)


for name, parts in PAGES.items():
    text = (shipped("docs") / name).read_text(encoding="utf-8")
    _write(name, text, with_parts(text, parts()))
_write(MAN_PAGE, (shipped("docs") / MAN_PAGE).read_text(encoding="utf-8"), man_page())

for document in DOCUMENTS.values():
    (shipped("docs") / schema_file(document)).write_text(schema_text(document), encoding="utf-8")
