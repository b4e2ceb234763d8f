"""Minified and compressed static files with content hashes in their names."""

from functools import cache
from pathlib import PurePath
from typing import Any

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

MINIFIERS = {".css": cssmin, ".js": jsmin}
# Packages minify their own files.
OUR_FOLDERS = ("css", "js")


class HashedModulesStorage(CompressedManifestStaticFilesStorage):
    """A storage that also rewrites the imports inside ES modules to the hashed names."""

    support_js_module_import_aggregation = True
    # Each pass resolves one level of imports.
    max_post_process_passes = 20

    @cache  # noqa: B019 - the only instance lives as long as the process
    def url(self, name: str | None, force: bool = False) -> str:
        """Return a file's URL. Each page asks for the same few files."""
        return super().url(name, force)

    def _save(self, name: str, content: "File[Any]") -> str:
        path = PurePath(name)
        if path.parts[0] in OUR_FOLDERS and path.suffix in MINIFIERS:
            source = b"".join(content.chunks()).decode()
            content = ContentFile(MINIFIERS[path.suffix](source).encode())
        return super()._save(name, content)


class StaticFiles(StaticFilesConfig):
    """Static files without the packages' unused files, which are slow or have broken imports."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "htmax-*.js",
        "htmx-4.js",  # pages use htmx-4.min.js
        "django_htmx/ext/*",
        "rest_framework",
        "redoc",
        "swagger-ui-bundle.js.map",
        "swagger-ui-standalone-preset.*",
    ]
