"""The choice of the language of the workers' site."""

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from marketplace.domain.accounts.accounts import set_language as store_language
from marketplace.views.session import current_worker


@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Store the language in a cookie and in the worker's account, and return to the page."""
    language, worker = request.POST.get("language", ""), current_worker(request)
    if worker and language in dict(settings.LANGUAGES):
        store_language(worker=worker, language=language)
    return set_language(request)
