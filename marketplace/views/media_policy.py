"""The security policy of pages that show a QuestionForm with its images, audio and video."""

from collections.abc import Callable

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from marketplace.domain.questions.question_form import QuestionForm
from marketplace.views.frame import origin_of


def allow_media(
    request: HttpRequest, response: HttpResponse, question_form: QuestionForm
) -> HttpResponseBase:
    """Allow the response to load the media of a form, and no others."""
    images: set[str] = set()
    media: set[str] = set()
    for content in question_form.content():
        images |= {origin_of(url) for url in content.images}
        if content.url:
            (images if content.kind == "image" else media).add(origin_of(content.url))
    sources = {"img-src": sorted(images), "media-src": sorted(media)}
    policy = {directive: origins for directive, origins in sources.items() if origins}
    if not policy:
        return response
    decorated: Callable[[HttpRequest], HttpResponseBase] = csp_update(policy)(lambda _: response)
    return decorated(request)
