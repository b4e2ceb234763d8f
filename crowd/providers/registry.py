"""The registry of marketplace implementations."""

from collections.abc import Callable

from crowd.enums import Provider
from crowd.providers.base import Marketplace
from crowd.providers.mturk import connect

MARKETPLACES: dict[str, Callable[[], Marketplace]] = {
    Provider.MTURK: connect,
}
