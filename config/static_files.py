"""How static files are stored: named by their content, compressed, kept by browsers for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORT = (
    r"""(?P<matched>(?P<what>(?:import|export)[\s{][^;'"]*?from\s*)["'](?P<url>\.[^"']+)["'];)"""
)


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
