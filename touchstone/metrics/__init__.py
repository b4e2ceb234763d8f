"""The evaluation library for other programs: `from touchstone.metrics.clustering import bcubed_scores`.

It needs numpy only. The modules are those of `metrics` in a checkout.
"""

from touchstone.layout import BASE_DIR

# Its modules import each other relatively, so no name of the site's packages is taken.
__path__ = [str(BASE_DIR / "metrics")]
