"""Accounts, sessions and email."""

from datetime import timedelta

from environ import Env

from config.environment.site import host_of
from config.settings.site import DEMO, SITE_URL, env

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_HANDLER = "accounts.lockout.LockoutHandler"
AXES_COOLOFF_TIME = timedelta(minutes=15)  # also stated on the page
# Attempts during a lockout are refused without counting.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
if DEMO:  # the passwords are public, and a fast hash shortens the start
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard:projects"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_VERIFICATION = "none"
# django-axes limits wrong passwords of a name, and "login" those of an address with many names.
# "login_failed" counts a user's wrong codes. The key of "reset_password" and of "signup", which is that
# of participants, is the email address.
ACCOUNT_RATE_LIMITS = {
    "login": "100/15m/ip",
    "login_failed": "5/5m/key",
    "reset_password": "5/15m/ip,3/h/key",
    "signup": "5/15m/ip,3/h/key",
}
# Stores the request. A task looks for the account and sends the mail.
ACCOUNT_FORMS = {"reset_password": "accounts.forms.RequestResetForm"}
ACCOUNT_SESSION_REMEMBER = True
# Staff sessions end when they are idle or old. Workers of the marketplace have sessions of another kind.
SESSION_IDLE = timedelta(hours=env.SESSION_IDLE_HOURS)
SESSION_LIFETIME = timedelta(days=env.SESSION_MAX_DAYS)
# Until the first page after the login
SESSION_COOKIE_AGE = int(min(SESSION_IDLE, SESSION_LIFETIME).total_seconds())
USERSESSIONS_ADAPTER = "accounts.adapters.SessionsAdapter"

# Participants of benchmarks, whose accounts have no role in any project.
PARTICIPANT_SIGNUP = env.PARTICIPANT_SIGNUP
SECOND_FACTOR_ROLES = env.SECOND_FACTOR_ROLES
MFA_ADAPTER = "accounts.adapters.MFAAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = f"Touchstone {host_of(SITE_URL)}"
MFA_TOTP_TOLERANCE = 1

# Without a mail server, workers cannot enter an address and receive no email.
MAIL_IS_ON = "EMAIL_URL" in env.model_fields_set
vars().update(Env.email_url_config(env.EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.EMAIL_FROM
