"""Seeds of tests that compare random values with a second implementation."""

import pytest

# The first 40 include values that are all equal, for which some figures are undefined.
QUICK = 40


def seeds(total: int) -> list[object]:
    """Return the seeds for `parametrize`. Those after the first 40 are in `make test-long`."""
    late = [pytest.param(seed, marks=pytest.mark.long) for seed in range(QUICK, total)]
    return [*range(QUICK), *late]
