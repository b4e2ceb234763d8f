"""Helpers that use the second factor through the pages."""

import re
import time

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.mfa.utils import decrypt
from django.test import Client

from tests.accounts.conftest import PASSWORD

INDEX = "/account/second-factor/"
SET_UP = f"{INDEX}totp/activate/"
REPLACE = f"{INDEX}totp/replace/"
TURN_OFF = f"{INDEX}totp/deactivate/"
CODES = f"{INDEX}recovery-codes/"
RENEW = f"{CODES}generate/"
VERIFY = f"{INDEX}authenticate/"
CONFIRM_PASSWORD = "/account/reauthenticate/"
CONFIRM_CODE = f"{INDEX}reauthenticate/"


def code_from(secret: str) -> str:
    """Return the code that an authenticator app shows now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def secret_of(user) -> str:
    return decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])


def code_of(user) -> str:
    return code_from(secret_of(user))


def set_up(client: Client, *, address: str = SET_UP) -> list[str]:
    """Turn the second factor on. Return the recovery codes that the page shows."""
    client.post(CONFIRM_PASSWORD, {"password": PASSWORD})
    client.get(address)
    client.post(address, {"code": code_from(client.session["mfa.totp.secret"])})
    return shown_codes(client)


def shown_codes(client: Client) -> list[str]:
    return re.findall(r"<code>(\d{8})</code>", client.get(CODES).content.decode())


def sign_in(name: str = "ada") -> Client:
    client = Client()
    client.post("/login/", {"login": name, "password": PASSWORD})
    return client
