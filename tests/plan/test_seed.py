"""The experiment's seed, which everybody may read, decides the order of trials alone."""

from tests.docs.pages import PACKAGE

KNOW_THE_SEED = {
    "plan/make.py",  # the order of trials
    "lab/trial/sliced_block.py",  # the order of slices
    "lab/announce.py",  # for the reader
    "judge/judging.py",  # into result.json
}


def test_nothing_that_decides_a_check_follows_from_the_seed() -> None:
    readers = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if "experiment.seed" in file.read_text(encoding="utf-8")
    }
    assert readers == KNOW_THE_SEED
