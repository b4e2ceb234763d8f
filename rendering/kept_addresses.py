"""`{% load kept_addresses %}`: the tags `static` and `url`, which look fixed names up once, not for every
page. A worker's page names two dozen files and a dozen pages."""

from typing import Any

from django import template
from django.conf import settings
from django.template import defaulttags
from django.template.base import FilterExpression, Node, Parser, Token
from django.templatetags import static

register = template.Library()


class KeptNode(Node):
    """Says for good what the node said first."""

    child_nodelists = ()

    def __init__(self, node: Node) -> None:
        self._node, self._said = node, ""

    def render(self, context: Any) -> str:
        if not self._said:
            self._said = str(self._node.render(context))
        return self._said


@register.tag("static")
def do_static(parser: Parser, token: Token) -> Node:
    node = static.do_static(parser, token)
    # In DEBUG files change while the site runs.
    is_fixed = _is_text(node.path) and not node.varname and not settings.DEBUG
    return KeptNode(node) if is_fixed else node


@register.tag("url")
def do_url(parser: Parser, token: Token) -> Node:
    node = defaulttags.url(parser, token)
    is_fixed = _is_text(node.view_name) and not (node.args or node.kwargs or node.asvar)
    return KeptNode(node) if is_fixed else node


def _is_text(name: FilterExpression) -> bool:
    return isinstance(name.var, str) and not name.filters
