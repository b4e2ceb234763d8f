"""What workers read about the operator: an address for questions, and how payouts are made."""

from django.utils.translation import gettext_lazy

from marketplace.models import OperatorProfile

DEFAULT_PAYOUTS = gettext_lazy("The operator of this marketplace pays you once a month.")


def operator_profile() -> OperatorProfile:
    """Return the stored profile, or one with the default text on payouts."""
    profile = OperatorProfile.objects.first() or OperatorProfile()
    profile.payouts = profile.payouts or str(DEFAULT_PAYOUTS)
    return profile


def save_operator_profile(*, contact: str, payouts: str) -> None:
    OperatorProfile.objects.update_or_create(
        pk=1, defaults={"contact": contact.strip(), "payouts": payouts.strip()}
    )
