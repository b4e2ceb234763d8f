"""The JavaScript modules that a module imports."""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

from django.contrib.staticfiles import finders

_IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*["'](\.[^'"]+)["']""", re.MULTILINE)
_LATER = re.compile(r"""(?<!@)\bimport\("(\.[^"]+\.js)"\)""")


def imported_modules(entry: str, *, later: bool = False) -> list[str]:
    """Return the static names of all modules that the entry imports, directly or not.

    With `later`, those that it imports once they are needed are included.
    """
    seen = {entry}
    queue = [entry]
    while queue:
        name = queue.pop()
        path = finders.find(name)
        if path is None:
            raise FileNotFoundError(f"No static file {name}, which {entry} imports.")
        source = Path(path).read_text(encoding="utf-8")
        for target in (*_IMPORT.findall(source), *(_LATER.findall(source) if later else ())):
            module = normpath(PurePosixPath(name).parent / target)
            if module not in seen:
                seen.add(module)
                queue.append(module)
    return sorted(seen - {entry})
