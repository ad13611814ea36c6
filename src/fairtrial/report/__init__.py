"""A result in the terminal, as HTML, JSON, Markdown and JUnit XML: `terminal` prints, `files` writes."""
