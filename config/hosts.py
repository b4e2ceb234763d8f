"""Host names between which browsers share cookies."""

from ipaddress import ip_address

from publicsuffixlist import PublicSuffixList


def share_cookies(host: str, other: str) -> bool:
    """Return True if a page of one host can set cookies that the other host receives.

    A page may set a cookie for each parent of its host, down to the domain that somebody registered.
    """
    return _registrable_domain(host) == _registrable_domain(other)


def _registrable_domain(host: str) -> str:
    host = host.lower().rstrip(".")
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        pass
    # A name without a public suffix, such as localhost, is its own domain.
    if host == "localhost" or host.endswith(".localhost"):
        return "localhost"
    return PublicSuffixList().privatesuffix(host) or host
