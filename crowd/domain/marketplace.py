"""The marketplace behind a provider's name."""

from crowd.providers.base import Marketplace, ProviderInDoubt, ProviderRefused
from crowd.providers.registry import MARKETPLACES

# What a direct question to a marketplace may end in: a refusal, or no answer.
MARKETPLACE_ERRORS = (ProviderInDoubt, ProviderRefused)


def marketplace_of(provider: str) -> Marketplace:
    return MARKETPLACES[provider]()
