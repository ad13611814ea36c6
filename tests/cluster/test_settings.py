"""Dask's settings for hosts of trials: a file that Dask reads, and keys that are Dask's."""

import yaml

from fairtrial.cluster.settings import SETTINGS, SLOW_HEARTBEATS, as_yaml, differing


def by_key(tree: object, key: str) -> object:
    for name in key.split("."):
        assert isinstance(tree, dict)
        tree = tree[name]
    return tree


def test_the_file_holds_every_setting_and_its_reason() -> None:
    text = as_yaml()
    read = yaml.safe_load(text)
    assert {each.key: by_key(read, each.key) for each in SETTINGS} == {each.key: each.value for each in SETTINGS}
    assert [each.key for each in SETTINGS if f"# {each.reason}\n" not in text] == []


def test_dask_knows_every_key() -> None:
    """A key that a new version no longer knows would change nothing, without a word."""
    import dask
    import distributed

    assert distributed.__version__
    absent = object()
    assert [each.key for each in SETTINGS if dask.config.get(each.key, absent) is absent] == []


def test_what_differs_is_named() -> None:
    wanted = {each.key: each.value for each in SETTINGS}
    assert differing(wanted, "workers", "quiet") == []
    assert differing(wanted | {"distributed.worker.profile.enabled": True}, "workers", "quiet") == [
        "distributed.worker.profile.enabled"
    ]
    assert differing({}, "scheduler", "once") == [
        each.key for each in SETTINGS if each.of == "scheduler" and each.purpose == "once"
    ]


def test_values_from_the_environment_and_further_preloads_are_as_wanted() -> None:
    wanted: dict[str, object] = {each.key: each.value for each in SETTINGS}
    wanted["distributed.worker.profile.enabled"] = "false"
    wanted["distributed.scheduler.preload"] = ["mine", SLOW_HEARTBEATS]
    assert differing(wanted, "workers", "quiet") == []
    assert differing(wanted, "scheduler", "quiet") == []
    assert differing(wanted | {"distributed.scheduler.preload": ["mine"]}, "scheduler", "quiet") != []
