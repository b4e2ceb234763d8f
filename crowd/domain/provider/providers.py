"""Access to crowd providers."""

from typing import cast

from audit.errors import TouchstoneError
from crowd.enums import DEFAULT_PROVIDER, Provider
from crowd.providers.base import (
    Capabilities,
    CrowdProvider,
    HitProvider,
    OutcomeUnknownError,
    ProviderRefusedError,
    StudyProvider,
)
from crowd.providers.registry import PROVIDERS


class ProviderUnavailableError(TouchstoneError, ValueError):
    """The provider is unknown or not configured."""


# The exceptions of a call whose failure is shown to the user.
NO_ANSWER = (OutcomeUnknownError, ProviderRefusedError)


def provider_of(name: str) -> CrowdProvider:
    return PROVIDERS[name]()


def hit_provider_of(name: str) -> HitProvider:
    """Return a provider that posts HITs. The caller knows that this one does."""
    return cast("HitProvider", PROVIDERS[name]())


def study_provider_of(name: str) -> StudyProvider:
    """Return a provider that posts studies. The caller knows that this one does."""
    return cast("StudyProvider", PROVIDERS[name]())


def capabilities_of(name: str) -> Capabilities:
    return PROVIDERS[name]().capabilities


def providers_with_sessions(has_sessions: bool) -> list[str]:
    """Return the names of the providers that post studies, or of those that post HITs."""
    return [name for name in Provider.values if capabilities_of(name).has_sessions == has_sessions]


def available_providers() -> list[str]:
    """Return the names of the providers that are configured."""
    return [name for name in Provider.values if provider_of(name).is_configured]


def choose_provider(name: str) -> Provider:
    """Return the provider with this name. Raise ProviderUnavailableError."""
    if name not in available_providers():
        raise ProviderUnavailableError(
            "This crowd provider is not set up. Add its token to the site's settings first."
        )
    return Provider(name)


def knows_sessions(name: str) -> bool:
    """Return True if this is the name of a provider that posts studies."""
    return name in Provider.values and capabilities_of(name).has_sessions


def has_builtin_marketplace() -> bool:
    """Return True if the marketplace is part of this site."""
    return hit_provider_of(DEFAULT_PROVIDER).is_builtin


def inbox_elsewhere(name: str) -> str:
    """Return where workers' messages arrive, or an empty string if this site reads them."""
    return provider_of(name).inbox_elsewhere


def unreachable(name: str) -> str:
    """Return why the provider can't be reached, or an empty string if it responds."""
    return provider_of(name).unreachable()
