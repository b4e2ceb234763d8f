"""The registry of crowd providers."""

from collections.abc import Callable

from crowd.providers import mturk, prolific
from crowd.providers.base import CrowdProvider
from crowd.providers.kinds import Provider

PROVIDERS: dict[str, Callable[[], CrowdProvider]] = {
    Provider.MTURK: mturk.connect,
    Provider.PROLIFIC: prolific.connect,
}
# Only a marketplace's frame opens a task page directly.
parse_frame_arrival = mturk.arrival.parse_arrival
frame_origins = mturk.arrival.frame_origins
