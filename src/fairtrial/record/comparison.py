"""Answers, compared with those of the contender that an experiment names as its reference: docs/equal-answers.md."""

from pydantic import Field

from fairtrial.base.strict import Strict


class ComparedAnswers(Strict):
    """The answers to one request: how many were compared, and how many of them were unequal."""

    compared: int
    unequal: int


class Difference(Strict):
    """An answer that is unequal to the reference's. Its texts come from servers: escape them before showing them."""

    request: str
    instance: int = Field(description="which of the instances of the request, from 0: the same in every trial")
    asked: str = Field(description="method and path that were sent")
    row: str = Field("", description="where the row stands that the request took: `items.csv, line 17`; empty: none")
    what: str = Field(description="the smallest excerpt that shows the difference: `/price is 3, not 4`")


class EqualAnswers(Strict):
    """The answers of one contender or trial, by request, and the first differences."""

    requests: dict[str, ComparedAnswers]
    not_compared: str = Field("", description="why nothing was; empty: something was, or there was nothing to compare")
    differences: list[Difference] = Field(default_factory=list)

    @property
    def unequal(self) -> int:
        """How many answers were unequal, over all requests."""
        return sum(each.unequal for each in self.requests.values())


class ReferenceRecord(Strict):
    """The comparison before the first trial."""

    contender: str = Field(description="whose answers those of all contenders are compared with")
    conditions: dict[str, EqualAnswers] = Field(
        description="by condition id; conditions that differ in their load alone share what was compared"
    )
    under_load: list[str] = Field(description="requests whose answers are compared during the load as well")
