"""The library `i18n` of our templates: Django's, with a `translate` that remembers fixed texts.

Django would look up, mark and escape each text in each request, and a worker's page has dozens of them.
"""

from django import template
from django.template.base import Node, Parser, Token, Variable
from django.template.context import Context
from django.templatetags import i18n
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()
register.tags |= i18n.register.tags
register.filters |= i18n.register.filters


class FixedTextNode(Node):
    def __init__(self, node: i18n.TranslateNode) -> None:
        self._node = node
        self._rendered: dict[tuple[str, bool], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = get_language(), context.autoescape
        if key not in self._rendered:
            self._rendered[key] = SafeString(self._node.render(context))
        return self._rendered[key]


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    node = i18n.do_translate(parser, token)
    return FixedTextNode(node) if _is_fixed(node) else node


def _is_fixed(node: i18n.TranslateNode) -> bool:
    """Return True if the text depends on nothing but the language."""
    text = node.filter_expression
    is_literal = isinstance(text.var, Variable) and isinstance(text.var.literal, str)
    return is_literal and not (text.filters or node.asvar or node.message_context)
