"""Blocks are handed out once, in their order, and not past one after which the run may end."""

from fairtrial.lab.lanes.block_queue import BlockQueue


def test_every_block_once_and_in_order() -> None:
    queue = BlockQueue([3])
    assert [queue.next_block() for _ in range(5)] == [1, 2, 3, None, None]


def test_the_end_comes_when_the_last_block_has_ended() -> None:
    queue = BlockQueue([2])
    assert [queue.next_block(), queue.next_block()] == [1, 2]
    queue.end(2)
    assert not queue.at_possible_end
    queue.end(1)
    assert queue.at_possible_end and not queue.go_on()


def test_nothing_is_dealt_past_a_possible_end() -> None:
    queue = BlockQueue([2, 5])
    assert [queue.next_block() for _ in range(3)] == [1, 2, None]
    queue.end(1)
    assert not queue.at_possible_end
    queue.end(2)
    assert queue.at_possible_end and queue.go_on()
    assert [queue.next_block() for _ in range(4)] == [3, 4, 5, None]
    assert not queue.at_possible_end
