"""QuestionForm and AnswerKey documents for tests."""

from xml.sax.saxutils import escape, quoteattr

from marketplace.domain.questions.answer_key import NAMESPACE as KEY_NAMESPACE
from marketplace.domain.questions.question_form import NAMESPACES

NAMESPACE_2005, NAMESPACE_2017 = NAMESPACES


def question_form(*parts: str, namespace: str = NAMESPACE_2017) -> str:
    return f'<QuestionForm xmlns="{namespace}">{"".join(parts)}</QuestionForm>'


def form_question(
    identifier: str,
    answer: str,
    *,
    content: str = "<Text>What do you see?</Text>",
    name: str = "",
    is_required: bool = True,
) -> str:
    display_name = f"<DisplayName>{escape(name)}</DisplayName>" if name else ""
    return (
        f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>{display_name}"
        f"<IsRequired>{str(is_required).lower()}</IsRequired>"
        f"<QuestionContent>{content}</QuestionContent>"
        f"<AnswerSpecification>{answer}</AnswerSpecification></Question>"
    )


def free_text(constraints: str = "", *, default: str = "", lines: int = 0) -> str:
    inner = f"<Constraints>{constraints}</Constraints>" if constraints else ""
    inner += f"<DefaultText>{escape(default)}</DefaultText>" if default else ""
    inner += f"<NumberOfLinesSuggestion>{lines}</NumberOfLinesSuggestion>" if lines else ""
    return f"<FreeTextAnswer>{inner}</FreeTextAnswer>"


def selection(
    *identifiers: str,
    style: str = "",
    low: int | None = None,
    high: int | None = None,
    other: str = "",
) -> str:
    counts = "" if low is None else f"<MinSelectionCount>{low}</MinSelectionCount>"
    counts += "" if high is None else f"<MaxSelectionCount>{high}</MaxSelectionCount>"
    counts += f"<StyleSuggestion>{style}</StyleSuggestion>" if style else ""
    items = "".join(
        f"<Selection><SelectionIdentifier>{identifier}</SelectionIdentifier>"
        f"<Text>The {identifier}</Text></Selection>"
        for identifier in identifiers
    )
    return f"<SelectionAnswer>{counts}<Selections>{items}{other}</Selections></SelectionAnswer>"


def answer_format(regex: str, problem: str = "", flags: str = "") -> str:
    attributes = f"regex={quoteattr(regex)}"
    attributes += f" errorText={quoteattr(problem)}" if problem else ""
    attributes += f" flags={quoteattr(flags)}" if flags else ""
    return f"<AnswerFormatRegex {attributes}/>"


def key_question(identifier: str, scores: dict[str, int], *, default: int | None = None) -> str:
    """Return a Question of an AnswerKey. The keys of `scores` are selections separated by spaces."""
    options = "".join(
        "<AnswerOption>"
        + "".join(f"<SelectionIdentifier>{name}</SelectionIdentifier>" for name in names.split())
        + f"<AnswerScore>{score}</AnswerScore></AnswerOption>"
        for names, score in scores.items()
    )
    default_score = "" if default is None else f"<DefaultScore>{default}</DefaultScore>"
    return (
        f"<Question><QuestionIdentifier>{identifier}</QuestionIdentifier>"
        f"{options}{default_score}</Question>"
    )


def answer_key(*questions: str, mapping: str = "") -> str:
    value = f"<QualificationValueMapping>{mapping}</QualificationValueMapping>" if mapping else ""
    return f'<AnswerKey xmlns="{KEY_NAMESPACE}">{"".join(questions)}{value}</AnswerKey>'


def percentage(most: int) -> str:
    return f"<PercentageMapping><MaximumSummedScore>{most}</MaximumSummedScore></PercentageMapping>"


def scale(multiplier: str) -> str:
    return (
        f"<ScaleMapping><SummedScoreMultiplier>{multiplier}</SummedScoreMultiplier></ScaleMapping>"
    )


def ranges(*values: tuple[int, int, int], otherwise: int = 0) -> str:
    rows = "".join(
        f"<SummedScoreRange><InclusiveLowerBound>{low}</InclusiveLowerBound>"
        f"<InclusiveUpperBound>{high}</InclusiveUpperBound>"
        f"<QualificationValue>{value}</QualificationValue></SummedScoreRange>"
        for low, high, value in values
    )
    return (
        f"<RangeMapping>{rows}<OutOfRangeQualificationValue>{otherwise}"
        "</OutOfRangeQualificationValue></RangeMapping>"
    )


FORM = question_form(
    "<Overview><Title>A board</Title><Text>Player X moves.\nLook closely.</Text>"
    "<List><ListItem>Every move counts.</ListItem></List>"
    "<FormattedContent><![CDATA[<p>It is <b>X</b>&nbsp;to move.</p>]]></FormattedContent></Overview>",
    form_question("move", free_text('<Length minLength="2" maxLength="2"/>'), name="The next move"),
    form_question("chance", selection("low", "even", "high"), name="The chance"),
    form_question(
        "signs", selection("fork", "pin", "trap", high=3, style="checkbox"), is_required=False
    ),
)
TEST = question_form(
    form_question("fruit", selection("apple", "brick", "chair"), name="Which is a fruit?"),
    form_question("tools", selection("hammer", "saw", "song", high=3), name="Which are tools?"),
)
KEY = answer_key(
    key_question("fruit", {"apple": 10}),
    key_question("tools", {"hammer saw": 10, "hammer": 5, "saw": 5}),
    mapping=percentage(20),
)
