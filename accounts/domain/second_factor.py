"""The second factor: a code from an app on the phone, and recovery codes for the day it is lost."""

import math
import secrets
from base64 import b32encode
from datetime import datetime

import segno
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db import transaction
from django_otp.models import Device
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import RecoveryCode, RecoverySheet
from annotation.enums import MemberRole
from annotation.models import Membership
from audit.domain.change_state import log_state_change

APP = "phone"
APP_DIGITS = 6
CODES = 10
# No letter or digit that is taken for another; 16 of them are 80 bits.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ2345679"


class WrongCode(Exception):
    """No such code now. `wait_seconds` > 0: none is looked at until then."""

    def __init__(self, wait_seconds: int = 0) -> None:
        super().__init__(
            f"Too many wrong codes. Wait {wait_seconds} seconds, then try again."
            if wait_seconds
            else "This code is wrong, or was used already."
        )
        self.wait_seconds = wait_seconds


class NeedsSecondFactor(Exception):
    """The user's roles need a second factor: it can't be turned off."""


def has_second_factor(user: AbstractBaseUser) -> bool:
    return bool(TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).exists())


def must_have_second_factor(user: User) -> bool:
    """By SECOND_FACTOR_ROLES: whoever has one of them in any project, and for `admin` superusers."""
    roles = settings.SECOND_FACTOR_ROLES
    if not roles:
        return False
    if MemberRole.ADMIN in roles and (user.is_superuser or user.is_staff):
        return True
    return Membership.objects.filter(user_id=user.pk, role__in=roles).exists()


def begin(*, user: AbstractBaseUser) -> TOTPDevice:
    """The device to be confirmed: the same one until it is."""
    device, _ = TOTPDevice.objects.get_or_create(
        user_id=user.pk, confirmed=False, defaults={"name": APP}
    )
    return device


def qr_code(device: TOTPDevice) -> str:
    """What an authenticator app scans, as the address of an SVG inside the page."""
    return segno.make(device.config_url, error="m").svg_data_uri(
        scale=4, border=4, dark="#000", light="#fff"
    )


def secret_of(device: TOTPDevice) -> str:
    """The same for typing: base 32, in groups of four."""
    plain = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(plain[at : at + 4] for at in range(0, len(plain), 4))


@transaction.atomic
def confirm(*, user: User, code: str, now: datetime) -> tuple[TOTPDevice, list[str]]:
    """Turn the second factor on; returns the device and the recovery codes, which are shown this
    once. A device that was there before is replaced. Raises WrongCode."""
    device = TOTPDevice.objects.select_for_update().get(user_id=user.pk, confirmed=False)
    _verify(device, code, now)
    TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).delete()
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    _log(user, "none", "second factor", now)
    return device, _new_codes(user)


def verify(*, user: AbstractBaseUser, code: str, now: datetime) -> Device:
    """The device that accepts the code: the app's, or a recovery code, which is spent. Raises
    WrongCode. Wrong codes cost time, twice as much each."""
    with transaction.atomic():
        is_recovery = len("".join(code.split()).replace("-", "")) > APP_DIGITS
        devices: list[Device] = list(
            RecoverySheet.objects.select_for_update().filter(user_id=user.pk)
            if is_recovery
            else TOTPDevice.objects.select_for_update().filter(user_id=user.pk, confirmed=True)
        )
        refused = WrongCode()
        for device in devices:
            try:
                _verify(device, code, now)
            except WrongCode as error:
                refused = error
            else:
                return device
    # Raised after the transaction: the count of failures must stay.
    raise refused


def _verify(device: Device, code: str, now: datetime) -> None:
    allowed, facts = device.verify_is_allowed()
    if not allowed:
        until = (facts or {}).get("locked_until")
        seconds = (until - now).total_seconds() if until else 1
        raise WrongCode(max(1, math.ceil(seconds)))
    if not device.verify_token("".join(code.split())):
        raise WrongCode


@transaction.atomic
def renew_codes(*, user: User, now: datetime) -> list[str]:
    """New recovery codes in the place of all old ones, shown this once."""
    _log(user, "recovery codes", "new recovery codes", now)
    return _new_codes(user)


@transaction.atomic
def turn_off(*, user: User, actor: str, now: datetime, by_operator: bool = False) -> bool:
    """Forget the user's devices and codes; says whether there were any. Raises NeedsSecondFactor,
    unless an operator does it for someone who has lost both: they set it up anew at once."""
    if must_have_second_factor(user) and not by_operator:
        raise NeedsSecondFactor
    gone = TOTPDevice.objects.filter(user_id=user.pk).delete()[0]
    gone += RecoverySheet.objects.filter(user_id=user.pk).delete()[0]
    if gone:
        _log(user, "second factor", "none", now, actor=actor)
    return bool(gone)


def codes_left(user: AbstractBaseUser) -> int:
    return RecoveryCode.objects.filter(sheet__user_id=user.pk).count()


def _new_codes(user: AbstractBaseUser) -> list[str]:
    RecoverySheet.objects.filter(user_id=user.pk).delete()
    sheet = RecoverySheet.objects.create(user_id=user.pk, name="recovery codes")
    codes = [_new_code() for _ in range(CODES)]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(sheet=sheet, digest=sheet.digest(one)) for one in codes
    )
    return codes


def _new_code() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(16))
    return "-".join(letters[at : at + 4] for at in range(0, 16, 4))


def _log(user: User, old: str, new: str, now: datetime, *, actor: str = "") -> None:
    log_state_change(instance=user, old=old, new=new, actor=actor or user.get_username(), now=now)
