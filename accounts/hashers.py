"""How passwords are kept in the demo."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class DemoHasher(PBKDF2PasswordHasher):
    """Django's own with a hundredth of its rounds. Where the demo mode is off, Django's knows these
    hashes by their name, and writes them anew at the next login."""

    iterations = 10_000
