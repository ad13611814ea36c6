"""Blocks are handed out once, in their order, and not past one after which the run may end."""

from fairtrial.lab.lanes.deal import Dealer


def test_every_block_once_and_in_order() -> None:
    dealer = Dealer([3])
    assert [dealer.deal() for _ in range(5)] == [1, 2, 3, None, None]


def test_the_end_comes_when_the_last_block_has_ended() -> None:
    dealer = Dealer([2])
    assert [dealer.deal(), dealer.deal()] == [1, 2]
    dealer.end(2)
    assert not dealer.at_possible_end
    dealer.end(1)
    assert dealer.at_possible_end and not dealer.go_on()


def test_nothing_is_dealt_past_a_possible_end() -> None:
    dealer = Dealer([2, 5])
    assert [dealer.deal() for _ in range(3)] == [1, 2, None]
    dealer.end(1)
    assert not dealer.at_possible_end
    dealer.end(2)
    assert dealer.at_possible_end and dealer.go_on()
    assert [dealer.deal() for _ in range(4)] == [3, 4, 5, None]
    assert not dealer.at_possible_end
