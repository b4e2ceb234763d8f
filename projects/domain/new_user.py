"""Accounts of people who were invited or who signed up."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from audit.errors import TouchstoneError


class UsernameTakenError(TouchstoneError):
    """Another account has the username."""


def new_user(*, username: str, email: str, password: str) -> User:
    """Create an account. Raise UsernameTakenError if someone else got the username meanwhile."""
    try:
        with transaction.atomic():
            user: User = get_user_model().objects.create_user(username, email, password)
    except IntegrityError as error:
        raise UsernameTakenError(f"Another account is called {username!r}.") from error
    return user
