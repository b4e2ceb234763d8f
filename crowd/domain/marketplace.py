"""The marketplace behind a provider's name."""

from crowd.providers.base import Marketplace, ProviderInDoubt, ProviderRefused
from crowd.providers.registry import MARKETPLACES

# For those above who call once for a person, and tell them: no answer, or no.
NO_ANSWER = (ProviderInDoubt, ProviderRefused)


def marketplace_of(provider: str) -> Marketplace:
    return MARKETPLACES[provider]()
