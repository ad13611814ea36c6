"""`python -m fairtrial.docs`: write the generated parts of all pages, and say which pages changed."""

from fairtrial.base.document import schema_text
from fairtrial.base.locations import shipped
from fairtrial.docs.formats import DOCUMENTS, schema_file
from fairtrial.docs.pages import PAGES, with_parts

for name, parts in PAGES.items():
    page = shipped("docs") / name
    before = page.read_text(encoding="utf-8")
    after = with_parts(before, parts())
    if after != before:
        page.write_text(after, encoding="utf-8")
        print(page)

for document in DOCUMENTS.values():
    (shipped("docs") / schema_file(document)).write_text(schema_text(document), encoding="utf-8")
