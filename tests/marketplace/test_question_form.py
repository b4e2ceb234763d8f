"""QuestionForm documents: parsing, validation of answers, and the answer document."""

import re
import time
from xml.sax.saxutils import escape

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from marketplace.domain.errors import RefusalError
from marketplace.domain.questions.form_answers import (
    Answer,
    Problem,
    check_answers,
    form_answers_document,
)
from marketplace.domain.questions.formatted_content import render_formatted_content
from marketplace.domain.questions.question_form import (
    Content,
    FreeTextAnswer,
    Overview,
    QuestionForm,
    Selection,
    parse_question_form,
)

from .question_forms import (
    FORM,
    NAMESPACE_2005,
    NAMESPACE_2017,
    answer_format,
    form_question,
    free_text,
    question_form,
    selection,
)


def parse(xml: str) -> QuestionForm:
    return parse_question_form(xml, name="Question", allow_http=False)


def refusal_of(xml: str) -> RefusalError:
    with pytest.raises(RefusalError) as refusal:
        parse(xml)
    return refusal.value


def media(kind: str = "image", url: str = "https://img.example/board.gif") -> str:
    return (
        f"<Binary><MimeType><Type>{kind}</Type><SubType>gif</SubType></MimeType>"
        f"<DataURL>{escape(url)}</DataURL><AltText>The board</AltText></Binary>"
    )


def formatted(xhtml: str) -> str:
    return f"<FormattedContent><![CDATA[{xhtml}]]></FormattedContent>"


@pytest.mark.parametrize("namespace", [NAMESPACE_2005, NAMESPACE_2017])
def test_form_is_parsed_in_both_namespaces(namespace):
    form = parse(FORM.replace(NAMESPACE_2017, namespace))
    overview, move, chance, signs = form.parts
    assert isinstance(overview, Overview)
    assert [piece.kind for piece in overview.content] == ["title", "text", "list", "formatted"]
    assert overview.content[2].items == ("Every move counts.",)
    assert overview.content[3].html == "<p>It is <b>X</b>\xa0to move.</p>"
    assert (move.identifier, move.name, move.is_required) == ("move", "The next move", True)
    assert move.answer == FreeTextAnswer(min_length=2, max_length=2)
    assert chance.answer.selections[0] == Selection("low", Content("text", "The low"))
    assert (chance.answer.min_count, chance.answer.max_count) == (1, 1)
    assert (signs.answer.max_count, signs.answer.style) == (3, "checkbox")


def test_text_answer_has_its_constraints():
    constraints = (
        '<IsNumeric minValue="-2" maxValue="10"/><Length minLength="1" maxLength="5"/>'
        + answer_format("^[0-9]", "Start with a digit.", "i")
    )
    answer = free_text(constraints, default=" 5 ", lines=4)
    [question] = parse(question_form(form_question("q", answer))).questions
    field = question.answer
    assert (field.min_value, field.max_value, field.is_numeric) == (-2, 10, True)
    assert (field.min_length, field.max_length) == (1, 5)
    assert (field.default, field.lines) == (" 5 ", 4)
    assert (field.formats[0].pattern, field.formats[0].problem) == ("^[0-9]", "Start with a digit.")


@pytest.mark.parametrize("kind", ["image", "audio", "video"])
def test_media_have_a_url_and_a_text(kind):
    [overview, _] = parse(
        question_form(f"<Overview>{media(kind)}</Overview>", form_question("q", free_text()))
    ).parts
    assert overview.content == (Content(kind, "The board", url="https://img.example/board.gif"),)


def test_selections_are_texts_images_or_formatted():
    contents = ("<Text>a</Text>", media(), formatted("<i>c</i>"))
    items = "".join(
        f"<Selection><SelectionIdentifier>s{index}</SelectionIdentifier>{content}</Selection>"
        for index, content in enumerate(contents)
    )
    answer = f"<SelectionAnswer><Selections>{items}</Selections></SelectionAnswer>"
    form = parse(question_form(form_question("q", answer)))
    assert [choice.content.kind for choice in form.questions[0].answer.selections] == [
        *("text", "image", "formatted")
    ]
    assert [piece.kind for piece in form.content()] == ["text", "text", "image", "formatted"]


QUESTION = form_question("q", free_text())


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<QuestionForm>", "not well-formed"),
        (question_form(QUESTION, namespace="urn:other"), "namespace"),
        (question_form(), "1 to 200 Question"),
        (question_form(*(form_question(f"q{i}", free_text()) for i in range(201))), "1 to 200"),
        (question_form(QUESTION, QUESTION), "unique"),
        (question_form("<Section/>", QUESTION), "must not contain Section"),
        (question_form('<x xmlns="urn:x"/>', QUESTION), "not in the namespace"),
        (question_form(QUESTION.replace("<IsRequired>true", "<IsRequired>yes")), "IsRequired"),
        (question_form(QUESTION.replace("q</Question", "</Question")), "QuestionIdentifier"),
        (question_form(QUESTION.replace(free_text(), "")), "must contain one of"),
        (question_form(QUESTION.replace(free_text(), free_text() * 2)), "must contain one of"),
        (question_form(QUESTION.replace("What do", "What <b>do</b>")), "text only"),
        (
            question_form(form_question("q", "<FileUploadAnswer/>")),
            "FileUploadAnswer is not supported",
        ),
        (
            question_form("<Overview><Application><Flash/></Application></Overview>", QUESTION),
            "Application is not supported",
        ),
        (question_form(f"<Overview>{media('text')}</Overview>", QUESTION), "Type must be one of"),
        (
            question_form(f"<Overview>{media(url='http://a.example/b')}</Overview>", QUESTION),
            "https://",
        ),
        (
            question_form(f"<Overview>{media(url='javascript:alert(1)')}</Overview>", QUESTION),
            "https://",
        ),
        (
            question_form(f"<Overview>{media(url='https://a;b.example')}</Overview>", QUESTION),
            "ASCII",
        ),
        (question_form(form_question("q", free_text("<Length minLength='x'/>"))), "minLength"),
        (question_form(form_question("q", free_text("<Length maxLength='0'/>"))), "maxLength"),
        (
            question_form(form_question("q", free_text("<Length minLength='3' maxLength='2'/>"))),
            "minLength must not be greater",
        ),
        (
            question_form(form_question("q", free_text("<IsNumeric minValue='3' maxValue='2'/>"))),
            "minValue must not be greater",
        ),
        (question_form(form_question("q", free_text("<IsNumeric minValue='-+3'/>"))), "minValue"),
        (question_form(form_question("q", free_text("<IsNumeric most='3'/>"))), "attribute most"),
        (question_form(form_question("q", free_text("<AnswerFormatRegex/>"))), "regex"),
        (question_form(form_question("q", free_text(answer_format("(")))), "regular expression"),
        (question_form(form_question("q", free_text(answer_format("a" * 1001)))), "1000"),
        (question_form(form_question("q", free_text(answer_format("a", flags="g")))), "flags"),
        (question_form(form_question("q", free_text(lines=101))), "NumberOfLinesSuggestion"),
        (question_form(form_question("q", selection())), "1 to 500 Selection"),
        (question_form(form_question("q", selection("a", "a"))), "unique"),
        (question_form(form_question("q", selection("a", high=2))), "MaxSelectionCount"),
        (question_form(form_question("q", selection("a", "b", low=2))), "MinSelectionCount"),
        (question_form(form_question("q", selection("a", style="slider"))), "StyleSuggestion"),
        (
            question_form(form_question("q", selection("a").replace("<Text>The a</Text>", ""))),
            "Selection must contain one of",
        ),
        (
            question_form(
                "<Overview><FormattedContent><p/></FormattedContent></Overview>", QUESTION
            ),
            "CDATA",
        ),
    ],
)
def test_invalid_form_is_refused(xml, message):
    refusal = refusal_of(xml)
    assert refusal.code == "AWS.MechanicalTurk.XMLParseError"
    assert refusal.message.startswith("There was an error parsing the XML question or answer data")
    assert message in refusal.message


def test_large_form_is_refused():
    refusal = refusal_of(question_form(f"<Overview><Text>{'x' * 65_536}</Text></Overview>"))
    assert refusal.code == "AWS.MechanicalTurk.InvalidParameterValue"


@pytest.mark.parametrize(
    "entity", ['<!ENTITY a "b">', '<!ENTITY a SYSTEM "file:///etc/passwd">', "<!ELEMENT a ANY>"]
)
def test_document_types_are_refused(entity):
    refusal = refusal_of(f"<!DOCTYPE QuestionForm [{entity}]>" + FORM)
    assert refusal.code == "AWS.MechanicalTurk.XMLParseError"


def test_deeply_nested_documents_are_refused():
    deep = question_form("<Overview>" * 3_000 + "</Overview>" * 3_000, QUESTION)
    assert "must not contain Overview" in refusal_of(deep).message
    content = f"<Overview>{formatted('<b>' * 3_000 + '</b>' * 3_000)}</Overview>"
    assert "nested" in refusal_of(question_form(content, QUESTION)).message


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text):
    for xml in (text, question_form(text), question_form(form_question("q", text))):
        try:
            parse(xml)
        except RefusalError:
            continue


@pytest.mark.parametrize(
    ("xhtml", "html"),
    [
        ("a &lt; b &amp; c", "a &lt; b &amp; c"),
        ("<p align='center'>x<br/>y</p>", "<p>x<br>y</p>"),
        ("<font color='red'>x</font><big>y</big><center>z</center>", "xy<div>z</div>"),
        ("<h1>Title</h1><h3>Part</h3>", "<h2>Title</h2><h2>Part</h2>"),
        ("&nbsp;&eacute;&quot;", "\xa0é&quot;"),
        (
            "<table border='1'><tr><td colspan='2' bgcolor='red'>x</td></tr></table>",
            '<table><tr><td colspan="2">x</td></tr></table>',
        ),
        (
            "<a href='https://a.example/?b=1&amp;c=&quot;'>x</a>",
            '<a href="https://a.example/?b=1&amp;c=&quot;" target="_blank" '
            'rel="noopener noreferrer">x</a>',
        ),
        (
            "<img src='https://a.example/b.png' alt='&lt;b>' title='&quot;x' width='9'/>",
            '<img title="&quot;x" src="https://a.example/b.png" alt="&lt;b&gt;" '
            'referrerpolicy="no-referrer">',
        ),
        ("<ol start='3'><li value='x'>a</li></ol>", '<ol start="3"><li>a</li></ol>'),
        ("<![CDATA[<script>]]>", "&lt;script&gt;"),
    ],
)
def test_formatted_content_is_rendered_as_safe_html(xhtml, html):
    assert render_formatted_content(xhtml, allow_http=False).html == html


@pytest.mark.parametrize(
    "xhtml",
    [
        "<script>alert(1)</script>",
        "<SCRIPT>alert(1)</SCRIPT>",
        "<b:script xmlns:b='http://www.w3.org/1999/xhtml'>alert(1)</b:script>",
        "<svg/>",
        "<style>p {}</style>",
        "<iframe src='https://a.example'/>",
        "<form/>",
        "<input/>",
        "<div>x</div>",
        "<p onclick='alert(1)'>x</p>",
        "<p style='color: red'>x</p>",
        "<p class='x'>x</p>",
        "<p id='x'>x</p>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href=' java&#x0A;script:alert(1)'>x</a>",
        "<a href='data:text/html,x'>x</a>",
        "<a href='https://a.example/&#x7f;'>x</a>",
        "<a href='//a.example'>x</a>",
        "<img src='https://a.example/b.png'/>",
        "<img alt='x'/>",
        "<img src='http://a.example/b.png' alt='x'/>",
        "<img src='data:image/svg+xml,x' alt='x'/>",
        "<img src='https://a.example b' alt='x'/>",
        "<br>x</br>",
        "<b><i>x</b></i>",
        "<!-- x -->",
        "<p>x",
        "&unknown;",
        "</x><script/><x>",
        "<!DOCTYPE x><p/>",
        "x\x00",
    ],
)
def test_formatted_content_outside_the_subset_is_refused(xhtml):
    with pytest.raises(RefusalError) as refusal:
        render_formatted_content(xhtml, allow_http=False)
    assert refusal.value.code == "AWS.MechanicalTurk.XHTMLParseError"


MARKUP = st.lists(
    st.sampled_from(
        [
            *(
                "<p>",
                "</p>",
                "<b>",
                "</b>",
                "<br/>",
                "<script>",
                "</script>",
                "<svg/>",
                "&lt;",
                "&gt;",
            ),
            *("<a href='https://a.example'>", "<a href='javascript:x'>", "</a>", "<p onclick='x'>"),
            *("<img src='https://a.example' alt='\"onload=x'/>", "<![CDATA[<b>]]>", "x", "&quot;"),
        ]
    ),
    max_size=12,
)


@given(MARKUP)
def test_rendered_content_has_no_active_markup(pieces):
    try:
        html = render_formatted_content("".join(pieces), allow_http=False).html
    except RefusalError:
        return
    assert not re.search("<(script|svg)", html)
    for tag in re.findall("<[^>]*>", html):
        assert re.fullmatch(
            '</?(p|b|a)>|<br>|<a href="https://a.example" target="_blank" rel="noopener noreferrer">'
            '|<img src="https://a.example" alt="&quot;onload=x" referrerpolicy="no-referrer">',
            tag,
        )


def check(answer_element: str, answer: Answer, *, is_required: bool = True) -> list[str]:
    form = parse(question_form(form_question("q", answer_element, is_required=is_required)))
    return [problem.message for problem in check_answers(form, {"q": answer})]


@pytest.mark.parametrize(
    ("constraints", "is_required", "text", "problems"),
    [
        ("", True, "", ["Enter an answer."]),
        ("", True, " \n", ["Enter an answer."]),
        ("", False, "", []),
        ("", True, "x", []),
        ("<Length minLength='2'/>", False, "", ["Enter an answer."]),
        (
            "<Length minLength='2' maxLength='3'/>",
            True,
            "four",
            ["Enter 2 to 3 characters. The answer has 4."],
        ),
        (
            "<Length minLength='2' maxLength='2'/>",
            True,
            "x",
            ["Enter exactly 2 characters. The answer has 1."],
        ),
        (
            "<Length maxLength='1'/>",
            True,
            "xy",
            ["Enter at most 1 character. The answer has 2."],
        ),
        ("<Length minLength='2' maxLength='3'/>", True, "🙂 x", []),
        ("<IsNumeric/>", True, "1.5", []),
        ("<IsNumeric/>", True, "-.5", []),
        ("<IsNumeric/>", True, "one", ["Enter a number."]),
        ("<IsNumeric/>", True, "1e999999999", ["Enter a number."]),
        ("<IsNumeric/>", True, "٣", ["Enter a number."]),
        ("<IsNumeric/>", True, "NaN", ["Enter a number."]),
        ("<IsNumeric/>", False, "", []),
        ("<IsNumeric minValue='1' maxValue='10'/>", True, "10", []),
        (
            "<IsNumeric minValue='1' maxValue='10'/>",
            True,
            "10.01",
            ["Enter a number from 1 to 10."],
        ),
        ("<IsNumeric minValue='1000'/>", True, "0", ["Enter a number of at least 1,000."]),
        ("<IsNumeric maxValue='0'/>", True, "1", ["Enter a number of at most 0."]),
        (answer_format(r"\S"), False, "", ["Invalid input supplied."]),
        (answer_format(r"(^$|\S{2,})", "Two characters."), False, "", []),
        (answer_format(r"(^$|\S{2,})", "Two characters."), False, "x", ["Two characters."]),
        (answer_format("regex"), True, "a RegEx", ["Invalid input supplied."]),
        (answer_format("regex", flags="i"), True, "a RegEx", []),
        (answer_format("^a", "A.") + answer_format("b$", "B."), True, "x", ["A.", "B."]),
    ],
)
def test_text_is_checked(constraints, is_required, text, problems):
    assert check(free_text(constraints), Answer(text=text), is_required=is_required) == problems


@pytest.mark.parametrize("pattern", ["^(a|aa)+$", r"^([a-zA-Z0-9]+\.?)+@example\.com$"])
def test_slow_expression_is_searched_at_once_and_lets_nothing_pass(pattern):
    slow = free_text(answer_format(pattern, "Slow.") + answer_format("^[A-Z]{8}", "Code."))
    started = time.process_time()
    assert check(slow, Answer(text="a" * 5_000 + "!")) == ["Slow.", "Code."]
    assert time.process_time() - started < 1


@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)b", "(?<!a)b", "a{2000}", "((a{30}){30}){30}"])
def test_expression_that_could_be_slow_is_refused(pattern):
    refusal = refusal_of(question_form(form_question("q", free_text(answer_format(pattern)))))
    assert "no backreferences and no look-around" in refusal.message


@pytest.mark.parametrize(
    ("low", "high", "is_required", "chosen", "problem"),
    [
        (None, None, True, "", "Choose an answer."),
        (None, None, False, "", ""),
        (None, None, True, "a", ""),
        (None, None, True, "ab", "Choose an answer."),
        (0, 3, True, "", "Choose one or more answers."),
        (0, 3, False, "", ""),
        (2, 3, True, "a", "Choose 2 to 3 answers."),
        (2, 3, False, "", ""),
        (2, 3, False, "a", "Choose 2 to 3 answers."),
        (2, 3, True, "abc", ""),
        (2, 2, True, "abc", "Choose 2 answers."),
        (1, 2, True, "abc", "Choose at most 2 answers."),
    ],
)
def test_selections_are_counted(low, high, is_required, chosen, problem):
    answer = selection("a", "b", "c", low=low, high=high)
    problems = check(answer, Answer(selections=tuple(chosen)), is_required=is_required)
    assert problems == ([problem] if problem else [])


def test_other_text_counts_as_an_answer_and_has_constraints():
    other = '<OtherSelection><Constraints><Length maxLength="3"/></Constraints></OtherSelection>'
    answer = selection("a", "b", other=other)
    assert check(answer, Answer(other="own")) == []
    assert check(answer, Answer(selections=("a",), other="own")) == []
    assert check(answer, Answer()) == ["Choose an answer."]
    form = parse(question_form(form_question("q", answer)))
    assert check_answers(form, {"q": Answer(other="four")}) == [
        Problem("q", "Enter at most 3 characters. The answer has 4.", is_other=True)
    ]


def test_answers_are_stored_in_the_format_of_mturk():
    form = parse(FORM)
    answers = {
        "move": Answer(text="<&"),
        "chance": Answer(selections=("even",), other="a\x0bb"),
        "signs": Answer(),
    }
    root = fromstring(form_answers_document(form, answers))
    namespace = root.tag.partition("}")[0] + "}"
    assert namespace.endswith("2005-10-01/QuestionFormAnswers.xsd}")
    assert [
        [(child.tag.removeprefix(namespace), child.text) for child in answer] for answer in root
    ] == [
        [("QuestionIdentifier", "move"), ("FreeText", "<&")],
        [
            ("QuestionIdentifier", "chance"),
            ("SelectionIdentifier", "even"),
            ("OtherSelectionText", "ab"),
        ],
        [("QuestionIdentifier", "signs")],
    ]
