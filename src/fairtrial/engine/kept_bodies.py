"""Bodies that the engine hands on, held against what requests expect of them: docs/engine-protocol.md, "Bodies that
are handed on"."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fairtrial.engine.plan import Request
from fairtrial.record.engine_summary import EngineSummary, Example, Share

EXCERPT_CHARACTERS = 200
UNSHOWN = "does not fit its schema or patterns; not shown, as it may hold a variable of its connection"
MOST_EXAMPLES = 8
"""As the engine keeps of the answers that it finds wrong itself."""


class BodyVerdicts:
    """The fate of the bodies of one run.

    Args:
        may_quote: whether examples may quote bodies. Where connections take variables, these are known to the engine
            alone, so that they could not be hidden.
    """

    def __init__(self, requests: Sequence[Request], *, may_quote: bool = True) -> None:
        self._may_quote = may_quote
        self._checks = {request.name: request.body_check for request in requests if request.body_check is not None}
        self._wrong: Counter[str] = Counter()
        self._examples: list[Example] = []

    def add_any(self, event: dict[str, Any]) -> None:
        """Judge the body if the event is one, and ignore any other."""
        if event["event"] == "body":
            self.add(event)

    def add(self, event: dict[str, Any]) -> None:
        """Judge the body of a `body` event."""
        check = self._checks.get(event["request"])
        fault = None if check is None else check.fault(event["text"])
        if fault is None:
            return
        self._wrong[event["request"]] += event["times"]
        if len(self._examples) < MOST_EXAMPLES:
            excerpt = (event["text"] or "")[:EXCERPT_CHARACTERS] if self._may_quote else ""
            reason = fault if self._may_quote else UNSHOWN
            self._examples.append(Example(kind="wrong_body", status=event["status"], excerpt=excerpt, reason=reason))

    def applied_to(self, summary: EngineSummary) -> EngineSummary:
        """The summary with the wrong answers among its errors instead of among the verified ones.

        Its seconds and its acknowledgements stay as they are: neither is known of a body that is handed on.
        """
        wrong = self._wrong.total()
        if not wrong:
            return summary
        verified = summary.verified - wrong
        window = summary.window_seconds
        run_verified, run_errors = summary.run_verified, summary.run_errors
        return summary.model_copy(
            update={
                "verified": verified,
                "goodput_per_second": verified / window if window > 0 else 0.0,
                "errors": {**summary.errors, "wrong_body": summary.errors.get("wrong_body", 0) + wrong},
                "examples": [*summary.examples, *self._examples][:MOST_EXAMPLES],
                "mix": [self._share(share) for share in summary.mix],
                "run_verified": None if run_verified is None else run_verified - wrong,
                "run_errors": None if run_errors is None else run_errors + wrong,
            }
        )

    def _share(self, share: Share) -> Share:
        return share.model_copy(update={"verified": share.verified - self._wrong[share.name]})
