"""The marketplace behind a provider's name."""

from crowd.providers.base import Marketplace
from crowd.providers.registry import MARKETPLACES


def marketplace_of(provider: str) -> Marketplace:
    return MARKETPLACES[provider]()
