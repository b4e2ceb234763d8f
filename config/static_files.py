"""How static files are stored: named by their content, compressed, kept by browsers for good."""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]
from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

COMPRESSED = (".br", ".gz")  # in the order in which they are written
_IMPORT = (
    r"""(?P<matched>(?P<what>(?:import|export)[\s{][^;'"]*?from\s*)["'](?P<url>\.[^"']+)["'];)"""
)


# None of ours is so large; the best quality takes 4 s for Swagger's 1.6 MB, the next best 0.2 s, for a
# tenth more bytes.
LARGE = 100_000


class HashedModulesStorage(CompressedManifestStaticFilesStorage):
    """Imports inside our own modules (`import ... from "./spans.js";`) follow the files' new names.

    Without this a module would import its neighbours by their plain names: a browser could mix
    files of two releases, and would load twice what the page has preloaded. Django's own switch
    for it reads every package's scripts and trips over the examples in their comments.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((_IMPORT, '%(what)s"%(url)s";'),)),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Names stand for as long as the process does, and a worker's page asks for two dozen of them.
        self._found = lru_cache(maxsize=1000)(super().url)

    def url(self, name: str, force: bool = False) -> str:
        return self._found(name, force)

    def create_compressor(self, **options: Any) -> Compressor:
        return QuickCompressor(**options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pages ask for the names that tell the content: the others are not compressed, nor is again
        what an earlier collection has compressed."""
        named = set(self.hashed_files.values())
        new = []
        for path in map(Path, map(self.path, paths)):
            name = path.relative_to(self.location).as_posix()
            if name not in named:
                for suffix in COMPRESSED:  # of an earlier version, perhaps with other content
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
            elif (
                not _is_for_developers(path)
                and not path.with_name(path.name + COMPRESSED[-1]).exists()
            ):
                new.append(name)
        yield from super().compress_files(new)


def _is_for_developers(path: Path) -> bool:
    """Source maps, and scripts that packages bring small as well: pages ask for neither."""
    plain = path.name.split(".")[0]
    return path.suffix == ".map" or (
        ".min." not in path.name and any(path.parent.glob(f"{plain}*.min{path.suffix}"))
    )


class QuickCompressor(Compressor):
    """whitenoise's, which takes its time only for files of the size that pages are made of. A compressed
    file is there whole or not at all, whenever this is ended."""

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        return brotli.compress(data, quality=11 if len(data) < LARGE else 9)

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        part = super().write_data(path, data, f"{suffix}.{os.getpid()}", stat_result)
        return str(Path(part).rename(path + suffix))


class StaticFiles(StaticFilesConfig):
    """Leaves out what the pages do not use of a package: compressing it would take longer than all of
    ours."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "rest_framework",  # for its pages, which are not shown: the API answers JSON alone
        "htmx-2*.js",
        "htmax-4*.js",
        "htmx-4.js",
        "django_htmx/ext/*",
        # The admin takes their .min.js, but in DEBUG, where nothing is collected.
        "admin/js/vendor/jquery/jquery.js",
        "admin/js/vendor/select2/select2.full.js",
        "admin/js/vendor/xregexp/xregexp.js",
        "redoc",
        "swagger-ui-bundle.js.map",
        "swagger-ui-standalone-preset.*",
        "oauth2-redirect.*",
    ]
