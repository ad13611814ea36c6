"""Deals blocks out to lanes: the first that nobody has yet, to whichever lane is free."""

from collections.abc import Sequence


class BlockQueue:
    """Hands out the blocks of a plan, in their order, up to the next at which the run may end.

    It knows nothing of time or hosts: the lab asks it whenever a lane is free, and so does the simulation.
    """

    def __init__(self, possible_ends: Sequence[int]) -> None:
        """Begin with block 1.

        Args:
            possible_ends: numbers of blocks after which the run may end, ascending; the last is the plan's last block.
        """
        self._possible_ends = [*possible_ends]
        self._next = 1
        self._limit = self._possible_ends.pop(0)
        self._under_way: set[int] = set()

    def next_block(self) -> int | None:
        """The number of the next block; None: there is none now, or none at all any more."""
        if self._next > self._limit:
            return None
        number = self._next
        self._next += 1
        self._under_way.add(number)
        return number

    def end(self, block: int) -> None:
        """A block ended, in whatever way."""
        self._under_way.remove(block)

    @property
    def at_possible_end(self) -> bool:
        """Whether all blocks have ended after which the run may end: then `go_on` or leave it."""
        return self._next > self._limit and not self._under_way

    def go_on(self) -> bool:
        """Hand out the blocks up to the next possible end; False if there is none."""
        if not self._possible_ends:
            return False
        self._limit = self._possible_ends.pop(0)
        return True
