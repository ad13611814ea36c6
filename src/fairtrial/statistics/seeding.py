"""Random numbers that depend on the experiment's seed and on what they are for, and on nothing else."""

import hashlib

import numpy as np


def generator(seed: int, *purpose: str) -> np.random.Generator:
    """A generator of its own for each purpose: the order in which figures are computed does not change them."""
    text = "\0".join((str(seed), *purpose))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
