"""The provider for marketplaces with the MTurk Requester API."""

from crowd.providers.mturk import arrival
from crowd.providers.mturk.client import connect

__all__ = ["arrival", "connect"]
