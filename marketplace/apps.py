from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class MarketplaceConfig(AppConfig):
    name = "marketplace"

    def ready(self) -> None:
        """Raise ImproperlyConfigured for an invalid MARKETPLACE_FAULTS at startup."""
        from marketplace.domain.faults import FaultsError, parse_faults  # noqa: PLC0415 - as above

        try:
            parse_faults(settings.MARKETPLACE_FAULTS)
        except FaultsError as error:
            raise ImproperlyConfigured(str(error)) from None
