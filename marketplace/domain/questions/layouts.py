"""HIT layouts: HTML templates with placeholders such as ${image_url}, from which HITs are created."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.core import signing

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.find import find
from marketplace.domain.identifiers import new_code
from marketplace.domain.questions.question import HTML_NAMESPACE
from marketplace.domain.xml_document import MAX_BYTES
from marketplace.models import HitLayout, Requester

PLACEHOLDER = re.compile(r"\$\{([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})\}")
#: Characters that XML 1.0 does not allow.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
PREVIEW_SALT = "marketplace.layout-preview"
PREVIEW_SECONDS = 86_400
#: A preview's address contains the values.
MAX_PREVIEW = 3_000


def parameter_names(html: str) -> list[str]:
    """Return the names of the placeholders, in the order in which they first occur."""
    return list(dict.fromkeys(PLACEHOLDER.findall(html)))


def fill(html: str, values: Mapping[str, str]) -> str:
    """Return the HTML with values in place of placeholders, as they are: nothing is escaped.

    Placeholders within values stay. So do those without a value.
    """
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), html)


def check_html(html: str) -> None:
    """Raise InvalidParameterError unless HITs can be created from the HTML."""
    if not html.strip():
        raise InvalidParameterError("The HTML must not be empty.")
    if FORBIDDEN.search(html):
        raise InvalidParameterError("The HTML contains a character that XML does not allow.")
    if len(_question(html, 0).encode()) > MAX_BYTES:
        raise InvalidParameterError(f"The question would be larger than {MAX_BYTES} bytes.")


def save_layout(
    *,
    requester: Requester,
    layout: HitLayout | None = None,
    name: str,
    html: str,
    frame_height: int,
    now: datetime,
) -> HitLayout:
    """Create a layout, or change one for HITs to come. Raise InvalidParameterError."""
    check_html(html)
    layout = layout or HitLayout(requester=requester, code=new_code(), created_at=now)
    layout.name, layout.html, layout.frame_height = name, html, frame_height
    layout.updated_at = now
    layout.save()
    return layout


def delete_layout(*, layout: HitLayout, now: datetime) -> None:
    """Hide a layout. Its HITs remain."""
    HitLayout.objects.filter(pk=layout.pk, deleted_at=None).update(deleted_at=now)


def build_question(
    *, requester: Requester, layout_code: str, parameters: Sequence[Mapping[str, str]]
) -> str:
    """Return the HTMLQuestion of a layout with its parameters.

    Raise NotFoundError for an unknown layout, and InvalidParameterError unless each placeholder has
    exactly one value.
    """
    layout = find(requester.layouts.filter(deleted_at=None), "HITLayout", layout_code)
    values: dict[str, str] = {}
    for parameter in parameters:
        name, value = parameter["Name"], parameter["Value"]
        if name in values:
            raise InvalidParameterError(f"HITLayoutParameters has {name!r} twice.")
        if FORBIDDEN.search(value):
            raise InvalidParameterError(
                f"The value of the HITLayoutParameter {name!r} has a character that XML does not allow."
            )
        values[name] = value
    _check_names(parameter_names(layout.html), values)
    return _question(fill(layout.html, values), layout.frame_height)


def _check_names(names: Sequence[str], values: Mapping[str, str]) -> None:
    if missing := [name for name in names if name not in values]:
        raise InvalidParameterError(
            f"HITLayoutParameters lacks values that the layout needs: {', '.join(missing)}."
        )
    if unknown := [name for name in values if name not in names]:
        raise InvalidParameterError(
            f"HITLayoutParameters has values that the layout does not use: {', '.join(unknown)}."
        )


def _question(html: str, frame_height: int) -> str:
    # A CDATA section cannot contain its own end, so that it is divided there.
    content = html.replace("]]>", "]]]]><![CDATA[>")
    return (
        f'<HTMLQuestion xmlns="{HTML_NAMESPACE}"><HTMLContent><![CDATA[{content}]]></HTMLContent>'
        f"<FrameHeight>{frame_height}</FrameHeight></HTMLQuestion>"
    )


def preview_token(layout: HitLayout, values: Mapping[str, str]) -> str:
    """Return the token of a preview with values. Raise InvalidParameterError if it is too long."""
    token = signing.dumps([layout.code, dict(values)], salt=PREVIEW_SALT, compress=True)
    if len(token) > MAX_PREVIEW:
        raise InvalidParameterError("The values are too long for a preview. Use shorter ones.")
    return token


def read_preview(token: str) -> str | None:
    """Return the HTML of a preview, or None for an invalid or old token."""
    try:
        code, values = signing.loads(token, salt=PREVIEW_SALT, max_age=PREVIEW_SECONDS)
    except signing.BadSignature:
        return None
    layout = HitLayout.objects.filter(code=code, deleted_at=None).first()
    return fill(layout.html, values) if layout else None
