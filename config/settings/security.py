"""Security: keys, cookies, headers, proxies and limits for strangers."""

import secrets
from contextlib import suppress
from pathlib import Path

from csp.constants import NONE, SELF

from config.settings.site import SITE_IS_SECURE, SITE_URL, VAR_DIR, env


def _stored_secret_key(var: Path) -> str:
    """Return the key that the first start stores, readable by its owner only."""
    path = var / "secret_key"
    if not path.exists():
        candidate = var / f"secret_key.{secrets.token_hex(8)}"
        candidate.touch(mode=0o600)
        candidate.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            path.hardlink_to(candidate)  # atomic, so that concurrent starts share one key
        candidate.unlink()
    return path.read_text()


SECRET_KEY = env.SECRET_KEY or _stored_secret_key(VAR_DIR)
# Earlier keys. Data signed or encrypted with them is still accepted.
SECRET_KEY_FALLBACKS = env.SECRET_KEY_FALLBACKS

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_IS_SECURE
# Browsers accept cookies with this prefix from the host itself only, not from its subdomains or siblings.
COOKIE_PREFIX = "__Host-" if SITE_IS_SECURE else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
MESSAGE_STORAGE = "web.messages.MessageStorage"
CSRF_TRUSTED_ORIGINS = [SITE_URL]
SECURE_HSTS_SECONDS = 31_536_000 if SITE_IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SITE_IS_SECURE
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SITE_IS_SECURE else None
SECURE_SSL_REDIRECT = env.SSL_REDIRECT and SITE_IS_SECURE
# Monitoring and deployments call each web host directly, without the proxy that adds TLS.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "hid",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "screen-wake-lock",
        "serial",
        "usb",
    )
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
        "img-src": [SELF, "data:"],
    },
}
DRAFTS_PER_TASK_AND_ADDRESS = env.DRAFTS_PER_TASK_AND_ADDRESS
DRAFTS_PER_ADDRESS = env.DRAFTS_PER_ADDRESS
UNCONFIRMED_DRAFTS = env.UNCONFIRMED_DRAFTS

TRUSTED_PROXIES = env.TRUSTED_PROXIES
METRICS_NETWORKS = env.METRICS_NETWORKS
METRICS_TOKEN = env.METRICS_TOKEN
SECURITY_CONTACT = env.SECURITY_CONTACT
