"""Least squares where the residuals are no linear functions of the parameters.

Source: D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", Journal of the Society for
Industrial and Applied Mathematics 11 (1963), 431-441.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FIRST_DAMPING = 1e-3
LARGEST_DAMPING = 1e10
"""With more of it a step is too short to change anything."""
MOST_STEPS = 500


def least_squares(
    residuals: Callable[[Floats], Floats],
    slopes: Callable[[Floats], Floats],
    start: Floats,
    constants: Mapping[int, float | None],
) -> Floats:
    """The parameters, from `start` on, whose residuals have the least sum of squares.

    Args:
        slopes: the residuals' derivatives, one column a parameter.
        constants: values of parameters, by their places; None: this one is free like all that are not named.
    """
    parameters = start.copy()
    for place, value in constants.items():
        if value is not None:
            parameters[place] = value
    free = [place for place in range(len(start)) if constants.get(place) is None]
    errors, damping = residuals(parameters), FIRST_DAMPING
    for _ in range(MOST_STEPS):
        columns = slopes(parameters)[:, free]
        normal = columns.T @ columns
        step = np.linalg.lstsq(normal + damping * np.diag(np.diag(normal)), -columns.T @ errors)[0]
        candidate = parameters.copy()
        candidate[free] += step
        next_errors = residuals(candidate)
        if next_errors @ next_errors < errors @ errors:
            parameters, errors, damping = candidate, next_errors, damping / 10
        elif damping > LARGEST_DAMPING:
            break
        else:
            damping *= 10
    return parameters
