"""The converter of versions in addresses."""

from django.urls import register_converter

from releases.domain.details import VERSION


class VersionConverter:
    """A version in an address, such as 1.0."""

    regex = VERSION.pattern.replace("(", "(?:")

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(VersionConverter, "version")
RELEASE = "projects/<slug:slug>/releases/<version:version>/"
