"""The parts of a summary that quote a server's answers."""

from collections.abc import Callable

from fairtrial.record.engine_summary import EngineSummary


def hidden_quotes(summary: EngineSummary, hidden: Callable[[str], str]) -> EngineSummary:
    """The same summary, with every text that an answer brought as `hidden` gives it, which strips secrets."""
    examples = [
        each.model_copy(
            update={"excerpt": hidden(each.excerpt), "reason": None if each.reason is None else hidden(each.reason)}
        )
        for each in summary.examples
    ]
    statuses = {
        status: each.model_copy(
            update={
                "headers": {name: hidden(value) for name, value in each.headers.items()},
                "excerpt": hidden(each.excerpt),
            }
        )
        for status, each in summary.statuses.items()
    }
    return summary.model_copy(update={"examples": examples, "statuses": statuses})
