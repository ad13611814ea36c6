"""Which block is tried next: the first that nobody has yet, on whichever lane is free."""

from collections.abc import Sequence


class Dealer:
    """Hands out the blocks of a plan, in their order, up to the next look at which the run may end.

    It knows nothing of time or hosts: the lab asks it whenever a lane is free, and so does the simulation.
    """

    def __init__(self, blocks: int, looks: Sequence[int] = ()) -> None:
        """Begin with block 1.

        Args:
            blocks: how many there are.
            looks: numbers of blocks after which the run may end; the last is `blocks`. Empty: it ends after the last.
        """
        self._looks = [*looks] or [blocks]
        self._next = 1
        self._limit = self._looks.pop(0)
        self._under_way: set[int] = set()

    def deal(self) -> int | None:
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
    def at_look(self) -> bool:
        """Whether all blocks up to a look have ended: then `go_on` or leave it."""
        return self._next > self._limit and not self._under_way

    def go_on(self) -> bool:
        """Hand out the blocks up to the next look; False if there is none."""
        if not self._looks:
            return False
        self._limit = self._looks.pop(0)
        return True
