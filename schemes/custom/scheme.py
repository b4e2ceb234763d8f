"""Custom schemes: a scheme is built from its definition."""

from schemes.contract.scheme import Scheme
from schemes.custom.aggregate import CustomAggregation
from schemes.custom.comparison import CustomComparison
from schemes.custom.content import CustomContent
from schemes.custom.corpus import CustomCorpus
from schemes.custom.declaration import BLANK_DEFINITION, DECLARATION
from schemes.custom.definition import Definition
from schemes.custom.exports import CustomExports
from schemes.custom.form import Form
from schemes.custom.merging import CustomMerging
from schemes.custom.pages import CustomPages
from schemes.custom.parse_definition import parse_definition
from schemes.custom.practice import CustomPractice
from schemes.custom.resource import DEFINITION, NAME
from schemes.custom.search import search_of
from schemes.custom.simulation import CustomSimulation
from schemes.custom.statistics import CustomStatistics
from schemes.custom.tutorials import tutorials_of
from schemes.custom.validating import CustomValidating
from schemes.custom.views import CustomViews
from schemes.custom.vocabulary import summary_of, vocabulary_of


def scheme_of_definition(definition: Definition, *, stands_for_all: bool = False) -> Scheme:
    """Return the scheme of a definition.

    With `stands_for_all`, it lists the formats of all custom schemes.
    """
    form = Form(definition)
    content, comparison = CustomContent(form), CustomComparison(form)
    simulation = CustomSimulation(form)
    return Scheme(
        name="custom",
        title=definition.title,
        summary=summary_of(form),
        vocabulary=vocabulary_of(form),
        corpus=CustomCorpus(form, stands_for_all=stands_for_all),
        content=content,
        comparison=comparison,
        views=CustomViews(form),
        pages=CustomPages(form),
        exports=CustomExports(form, stands_for_all=stands_for_all),
        merging=CustomMerging(form),
        validating=CustomValidating(form),
        aggregation=CustomAggregation(form),
        simulation=simulation,
        practice=CustomPractice(form, content, comparison) if definition.examples else None,
        tutorials=tutorials_of(form, content, simulation),
        search=search_of(form),
        statistics=CustomStatistics(form),
        resources={NAME: DEFINITION},
        declaration=DECLARATION,
    )


# The scheme of projects whose definition is not known. It stands for all custom schemes.
CUSTOM = scheme_of_definition(parse_definition(BLANK_DEFINITION), stands_for_all=True)
