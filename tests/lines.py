"""Lines of an output, for tests that compare some of them."""


def lines_with(text: str, *words: str) -> list[str]:
    """Lines that hold one of these words, without white space at their ends."""
    return [line.strip() for line in text.splitlines() if any(word in line for word in words)]


def line_with(text: str, words: str) -> str:
    """The line that holds these words, without white space at its ends; equal lines are one."""
    found = set(lines_with(text, words))
    assert len(found) == 1, f"{len(found)} lines hold {words!r}:\n{text}"
    return found.pop()


def passage(text: str, start: str, end: str) -> str:
    """What the text says from the first `start` to the `end` that follows it, both with it."""
    _, found, after = text.partition(start)
    assert found, f"nothing begins with {start!r}:\n{text}"
    middle, found, _ = after.partition(end)
    assert found, f"nothing ends with {end!r}:\n{text}"
    return start + middle + end
