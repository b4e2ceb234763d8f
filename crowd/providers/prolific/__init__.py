"""The provider for Prolific."""

from crowd.providers.prolific.provider import connect

__all__ = ["connect"]
