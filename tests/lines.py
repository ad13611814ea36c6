"""Lines of an output, for tests that compare some of them."""


def lines_with(text: str, *words: str) -> list[str]:
    """Lines that hold one of these words, without white space at their ends."""
    return [line.strip() for line in text.splitlines() if any(word in line for word in words)]
