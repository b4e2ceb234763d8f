"""Markdown as rendered on the pages."""

from web.markdown import render_markdown


def test_alignment_of_a_table_needs_no_inline_style():
    html = render_markdown("| a | b |\n| --- | --: |\n| 1 | 2 |\n")
    assert "style=" not in html
    assert html.count('class="align-right"') == 2


def test_html_in_markdown_is_shown_as_text():
    assert "<script" not in render_markdown("<script>alert(1)</script>")
    assert "href=" not in render_markdown("[here](javascript:alert(1))")


def test_wide_code_can_be_scrolled_by_keyboard():
    assert '<pre tabindex="0"><code>' in render_markdown("    wide code")
    assert "&lt;pre&gt;" in render_markdown("`<pre>`")


def test_table_is_named_by_the_heading_above_it():
    html = render_markdown("# Limits\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n")
    assert '<h1 id="limits">' in html
    assert '<table aria-labelledby="limits">' in html
