"""Minified and compressed static files with content hashes in their names."""

from functools import cache
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

MINIFIERS = {".css": cssmin, ".js": jsmin}
# Packages minify their own files.
OUR_FOLDERS = ("css", "js")
# Digits of a hash, which has to differ from those of other versions of the same file only
HASH_LENGTH = 8


class HashedModulesStorage(CompressedManifestStaticFilesStorage):
    """A storage that also rewrites the imports inside ES modules to the hashed names."""

    support_js_module_import_aggregation = True
    # Each pass resolves one level of imports.
    max_post_process_passes = 20

    @cache  # noqa: B019 - the only instance lives as long as the process
    def url(self, name: str | None, force: bool = False) -> str:
        """Return a file's URL. Each page asks for the same few files."""
        return super().url(name, force)

    def file_hash(self, name: str, content: "File[Any] | None" = None) -> str:
        """Return the hash of a file's content. Pages and modules repeat it in each address."""
        digest = super().file_hash(name, content)
        return digest and digest[:HASH_LENGTH]

    def _save(self, name: str, content: "File[Any]") -> str:
        path = PurePath(name)
        if path.parts[0] in OUR_FOLDERS and path.suffix in MINIFIERS:
            source = b"".join(content.chunks()).decode()
            content = ContentFile(MINIFIERS[path.suffix](source).encode())
        return super()._save(name, content)


class NewStaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, which also serves files that were collected after this process started.

    During an update, pages of the new version come from another process, and their files from this one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._collected_at = _manifest_time()
        super().__init__(*args, **kwargs)

    def __call__(self, request: Any) -> Any:
        is_unknown = request.path_info not in self.files
        if is_unknown and request.path_info.startswith(self.static_prefix):
            self._read_new_files()
        return super().__call__(request)

    def _read_new_files(self) -> None:
        """Read the folder again if files were collected since. A request for nonsense costs little."""
        collected_at = _manifest_time()
        if collected_at != self._collected_at:
            self._collected_at = collected_at
            self.add_files(self.static_root, prefix=self.static_prefix)


def _manifest_time() -> float:
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    return manifest.stat().st_mtime if manifest.exists() else 0.0


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
