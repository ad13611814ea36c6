"""The baseline of Node.js: least work, and none left out."""

from fairtrial.base.locations import shipped
from tests.machine.needs import needs
from tests.shipped.node_tests import node_tests_that_pass


@needs("node")
def test_the_tests_of_node_bare_pass() -> None:
    assert node_tests_that_pass(shipped("stacks") / "node-bare") >= 10, "the tests were found"
