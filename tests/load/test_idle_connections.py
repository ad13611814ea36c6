"""`idle_connections`: WebSockets beside those of a load, in its words."""

from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.open import OpenLoad


def test_they_are_named_beside_every_figure() -> None:
    assert ", 10,000 idle connections" in ClosedLoad(idle_connections=10_000).describe()
    assert ", 1 idle connection" in OpenLoad(kind="open", rate_per_second=5, idle_connections=1).describe()
    objective = Objective(name="fast", percentile=99, within_milliseconds=50)
    search = CapacityLoad(kind="capacity", objectives=[objective], idle_connections=2000)
    assert search.describe().endswith(", 2,000 idle connections")
    assert "idle" not in ClosedLoad().describe()


def test_the_load_itself_is_the_same() -> None:
    assert ClosedLoad(idle_connections=10_000).engine_terms() == ClosedLoad().engine_terms()
