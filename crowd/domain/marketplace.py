"""The marketplace behind a provider's name."""

import requests
from django.conf import settings

from crowd.providers.base import Marketplace, ProviderInDoubt, ProviderRefused
from crowd.providers.registry import MARKETPLACES

# For those above who call once for a person, and tell them: no answer, or no.
NO_ANSWER = (ProviderInDoubt, ProviderRefused)
TIMEOUT_SECONDS = 3.0
SERVER_ERROR = 500


def marketplace_of(provider: str) -> Marketplace:
    return MARKETPLACES[provider]()


def unreachable() -> str:
    """Why the marketplace's address can't be reached; empty where it answers, whatever it says."""
    try:
        answer = requests.get(
            settings.MTURK_ENDPOINT_URL, timeout=TIMEOUT_SECONDS, allow_redirects=False
        )
    except requests.Timeout:
        return f"no answer within {TIMEOUT_SECONDS:g} seconds"
    except requests.RequestException:
        return "can't be reached"
    return f"answers {answer.status_code}" if answer.status_code >= SERVER_ERROR else ""
