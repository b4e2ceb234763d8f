"""Tags that name figures and explain them on request."""

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from projects.definitions import DEFINITIONS, Definition
from schemes.figures import Figure

register = template.Library()


@register.simple_tag(takes_context=True)
def figure(context: Context, name: str, suffix: str = "") -> SafeString:
    """Render a figure's label with a button that shows its definition."""
    return _explained(context, name, DEFINITIONS[name], suffix)


@register.simple_tag(takes_context=True)
def figure_fact(context: Context, name: str, value: object, suffix: str = "") -> SafeString:
    """Render an entry of a list of facts with an explained label."""
    label = _explained(context, name, DEFINITIONS[name], suffix)
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", label, value)


@register.simple_tag(takes_context=True)
def scheme_figure(
    context: Context, figure: Figure, label: str = "", suffix: str = ""
) -> SafeString:
    """Render the label of a figure that a scheme declares, with a button for its explanation."""
    definition = Definition(label or figure.label, figure.explanation)
    return _explained(context, f"scheme-{figure.key}", definition, suffix)


def _explained(context: Context, name: str, definition: Definition, suffix: str) -> SafeString:
    # The ids stay the same when a part of the page is reloaded.
    counts: dict[str, int] = context.render_context.setdefault("definitions", {})  # type: ignore[arg-type, assignment]
    counts[name] = counts.get(name, 0) + 1
    ending = f"-{counts[name]}" if counts[name] > 1 else ""
    return format_html(
        '{label}{suffix} <button type="button" class="about" popovertarget="about-{id}" '
        'aria-label="About “{label}”">?</button>'
        '<span class="definition" id="about-{id}" popover>{text}</span>',
        label=definition.label,
        suffix=suffix,
        id=f"{name.replace('_', '-')}{ending}",
        text=definition.text,
    )
