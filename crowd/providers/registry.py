"""The registry of crowd providers.

boto3 is imported when a marketplace is first called, because it takes half a second and 12 MiB, and most
commands call none.
"""

from collections.abc import Callable

from crowd.providers import prolific
from crowd.providers.base import CrowdProvider
from crowd.providers.kinds import Provider
from crowd.providers.mturk import arrival


def _connect_mturk() -> CrowdProvider:
    from crowd.providers.mturk.client import connect  # noqa: PLC0415

    return connect()


PROVIDERS: dict[str, Callable[[], CrowdProvider]] = {
    Provider.MTURK: _connect_mturk,
    Provider.PROLIFIC: prolific.connect,
}
# Only a marketplace's frame opens a task page directly.
parse_frame_arrival = arrival.parse_arrival
frame_origins = arrival.frame_origins
