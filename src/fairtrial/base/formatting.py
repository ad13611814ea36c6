"""How figures and verdicts are said."""


def figure(value: float) -> str:
    """Three significant digits, no exponent, trailing zeros kept so that columns align: `0.450`, `14.0`, `1,234`."""
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.9995 or size == 0:
        return f"{value:.2f}"
    return f"{value:.3f}" if size >= 0.01 else f"{value:.2g}"


def span(interval: tuple[float, float]) -> str:
    """An interval in the form of `figure`: `21,153 to 22,705`."""
    return f"{figure(interval[0])} to {figure(interval[1])}"


def plain(value: float) -> str:
    """A bound, as somebody would write it, with three significant digits and no exponent: `0.0312`, `1.5`,
    `12`, `1,234`."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 2
    size = abs(value)
    while size < 1 and digits < 12:
        digits += 1
        size *= 10
    if abs(value) >= 10:
        digits = 1
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


UNITS = {"seconds": (1e3, " ms"), "bytes": (2**-20, " MiB"), "per_second": (1.0, "/s"), "share": (100.0, "%")}


def with_unit(value: float, unit: str) -> str:
    """A figure of a metric's unit, as people say it: `12.3 ms`, `64.0 MiB`, `4,000/s`, `0.450%`."""
    scale, word = UNITS[unit]
    return f"{figure(value * scale)}{word}"


def span_with_unit(interval: tuple[float, float], unit: str) -> str:
    """An interval of figures with their unit: `12.3 ms to 12.9 ms`."""
    return f"{with_unit(interval[0], unit)} to {with_unit(interval[1], unit)}"


def capitalised(text: str) -> str:
    """With its first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]


def bound_in_words(at_least: float | None, at_most: float | None) -> str:
    """`at least 2`, `at most 3` or `between 2 and 3`."""
    if at_least is not None and at_most is not None:
        return f"between {plain(at_least)} and {plain(at_most)}"
    if at_least is not None:
        return f"at least {plain(at_least)}"
    return f"at most {plain(at_most)}" if at_most is not None else "any"


def violation_in_words(at_least: float | None, at_most: float | None) -> str:
    """Where an interval lies that overturns the bound: `below 2`, `above 3` or `below 2 or above 3`."""
    parts = []
    if at_least is not None:
        parts.append(f"below {plain(at_least)}")
    if at_most is not None:
        parts.append(f"above {plain(at_most)}")
    return " or ".join(parts)


def count(number: int, noun: str) -> str:
    """`1 block`, `5 blocks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def minutes(seconds: float) -> str:
    """`1:05` for 65 seconds."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
