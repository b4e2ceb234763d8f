"""Access to the marketplace of a provider."""

import requests
from django.conf import settings

from crowd.providers.base import Marketplace, OutcomeUnknownError, ProviderRefusedError
from crowd.providers.registry import MARKETPLACES

# The exceptions of a call whose failure is shown to the user.
NO_ANSWER = (OutcomeUnknownError, ProviderRefusedError)
TIMEOUT_SECONDS = 3.0
SERVER_ERROR = 500


def marketplace_of(provider: str) -> Marketplace:
    return MARKETPLACES[provider]()


def unreachable() -> str:
    """Return why the marketplace can't be reached, or an empty string if it responds."""
    try:
        response = requests.get(
            settings.MTURK_ENDPOINT_URL, timeout=TIMEOUT_SECONDS, allow_redirects=False
        )
    except requests.Timeout:
        return f"no answer within {TIMEOUT_SECONDS:g} seconds"
    except requests.RequestException:
        return "can't be reached"
    return f"answers {response.status_code}" if response.status_code >= SERVER_ERROR else ""
