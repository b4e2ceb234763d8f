from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.gold.lost_parts import LostParts, lost_parts
from consolidation.domain.gold.map_contents import maps_contents
from consolidation.domain.gold.save_version import VersionEffectsError, import_version
from consolidation.domain.gold.version_effects import VersionEffects, describe_effects, effects_of
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.resources import ImportedResource, read_value
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import ContentError
from schemes.contract.resources import ResourcePreset, ResourceSwitch
from schemes.contract.scheme import Scheme
from schemes.registry import SCHEMES


class Command(BaseCommand):
    help = (
        "Import a resource of a project from a file or folder. Other parts of the resource stay. "
        "Without a path, only options of the resource change."
    )
    refusals = (ContentError,)

    @property
    def example(self) -> str:  # type: ignore[override]
        formats = [fmt for scheme in SCHEMES.values() for fmt in _formats(scheme)]
        return f"manage.py import_lexicon news release.zip --format {(formats or ['FORMAT'])[0]}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("path", nargs="?", type=Path, help="a file, a folder or a zip archive")
        parser.add_argument("--format", default="", help="a format of the resource")
        parser.add_argument("--resource", help="the resource's name, if the scheme has several")
        for switch in _switches():
            group = parser.add_mutually_exclusive_group()
            for flag, value in ((switch.on, True), (switch.off, False)):
                group.add_argument(
                    f"--{flag}",
                    action="store_const",
                    const=value,
                    dest=switch.key,
                    help=f"{switch.label}: {'yes' if value else 'no'}",
                )
        for preset in _presets():
            parser.add_argument(
                f"--{preset.key}",
                metavar="NAME",
                help=f"{preset.label}: {', '.join(preset.values)}",
            )
        parser.add_argument(
            "--dry-run", action="store_true", help="only show what becomes of the annotations"
        )
        parser.add_argument(
            "--yes",
            action="store_true",
            help="also if annotations lose parts or become incomplete",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        name = _resource_name(project, options["resource"])
        switches = _chosen(project, name, options)
        presets = _chosen_presets(project, name, options)
        path, fmt = options["path"], options["format"]
        if path is not None and not fmt:
            formats = ", ".join(_formats(scheme_of(project), name))
            raise InputError(f"--format is missing. Formats: {formats}.")
        if path is None and not (switches or presets):
            raise InputError("name a file or folder, or an option of the resource.")
        if options["dry_run"]:
            self._show_effects(project, name, path, fmt, as_json=options["json"])
            return
        try:
            imported = import_version(
                project=project,
                name=name,
                path=path,
                fmt=fmt,
                switches=switches,
                presets=presets,
                actor="import_lexicon",
                now=timezone.now(),
                accepts_effects=options["yes"],
            )
        except VersionEffectsError as error:
            reasons = " ".join(describe_effects(error.effects))
            raise InputError(f"{error} {reasons} To import it, add --yes.") from error
        effects = effects_of(project=project) if maps_contents(project) else None
        lost = effects.lost if effects else lost_parts(project=project, name=name)
        facts = {
            "project": project.slug,
            "resource": name,
            "version": imported.resource.version,
            "new": imported.is_new,
            "counts": {key.replace(" ", "_"): n for key, n in imported.counts.items()},
            "lost": asdict(lost),
            **({"effects": asdict(effects)} if effects else {}),
        }
        lines = [sentences_of(imported, LostParts(0, 0, []) if effects else lost)]
        lines += describe_effects(effects) if effects else []
        self.write_result(facts, "\n".join(lines), as_json=options["json"])

    def _show_effects(
        self, project: Project, name: str, path: Path | None, fmt: str, *, as_json: bool
    ) -> None:
        """Write what becomes of the annotations if a definition is imported."""
        if path is None or not maps_contents(project):
            raise InputError("--dry-run needs the file of a definition.")
        value = read_value(project=project, name=name, path=path, fmt=fmt)
        effects: VersionEffects = effects_of(project=project, value=value)
        self.write_result(asdict(effects), "\n".join(describe_effects(effects)), as_json=as_json)


def sentences_of(imported: ImportedResource, lost: LostParts) -> str:
    """Describe an import and what annotations use that is lost."""
    counts = ", ".join(f"{count:,} {noun}" for noun, count in imported.counts.items() if count)
    version = f"Version {imported.resource.version}"
    state = f"{version} is current" if imported.is_new else f"Nothing changed: {version} stays"
    lines = [f"{state} ({counts})." if counts else f"{state}."]
    if lost.annotations:
        lines.append(f"{lost.annotations:,} annotations use what this version lacks:")
        lines += [
            f"  {part.text} {part.annotations:,} annotations, for example {part.items[0]}."
            for part in lost.parts
        ]
        if lost.parts_in_all > len(lost.parts):
            lines.append(f"  And {lost.parts_in_all - len(lost.parts):,} further parts.")
    return "\n".join(lines)


def _formats(scheme: Scheme, name: str = "") -> list[str]:
    resources = scheme.resources
    return [fmt for key, part in resources.items() if name in ("", key) for fmt in part.formats]


def _switches() -> list[ResourceSwitch]:
    """Return the switches of all resources, each key once."""
    parts = [part for scheme in SCHEMES.values() for part in scheme.resources.values()]
    return list({switch.key: switch for part in parts for switch in part.switches}.values())


def _presets() -> list[ResourcePreset]:
    """Return the presets of all resources, each key once."""
    parts = [part for scheme in SCHEMES.values() for part in scheme.resources.values()]
    return list({preset.key: preset for part in parts for preset in part.presets}.values())


def _resource_name(project: Project, name: str | None) -> str:
    resources = scheme_of(project).resources
    if name:
        return name
    if len(resources) == 1:
        return next(iter(resources))
    if not resources:
        raise InputError(f"the scheme of {project.slug} has no resources.")
    raise InputError(f"choose a resource with --resource: {', '.join(resources)}.")


def _chosen(project: Project, name: str, options: Mapping[str, Any]) -> dict[str, bool]:
    """Return the chosen switches by key. Raise InputError for those of other resources."""
    part = scheme_of(project).resources.get(name)
    own = {switch.key for switch in part.switches} if part else set()
    return _given(name, options, keys=[switch.key for switch in _switches()], own=own)


def _chosen_presets(project: Project, name: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the chosen presets by key. Raise InputError for those of other resources."""
    part = scheme_of(project).resources.get(name)
    own = {preset.key for preset in part.presets} if part else set()
    return _given(name, options, keys=[preset.key for preset in _presets()], own=own)


def _given(
    name: str, options: Mapping[str, Any], *, keys: Iterable[str], own: Set[str]
) -> dict[str, Any]:
    """Return the given options of the resource. Raise InputError for those of other resources."""
    given = {key: options[key] for key in keys if options.get(key) is not None}
    if other := given.keys() - own:
        raise InputError(f"{name} has no option {', '.join(sorted(other))}.")
    return given
