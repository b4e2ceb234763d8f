"""The marketplace's addresses; others rely on `mturk/` and on workers' pages: keep them."""

from django.urls import URLPattern, URLResolver, path, re_path, register_converter

from marketplace.api.endpoint import requester_api
from marketplace.views import accounts, groups, work

app_name = "marketplace"


class CodeConverter:
    """Identifiers are capitals and digits, so no word in an address is taken for one."""

    regex = "[A-Z0-9]{1,64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(CodeConverter, "code")

urlpatterns: list[URLPattern | URLResolver] = [
    # Clients may or may not end the endpoint in a slash, and a POST cannot be redirected.
    re_path(r"^mturk/?$", requester_api, name="requester-api"),
    path("mturk/externalSubmit", work.submit_by_session, name="submit-by-session"),
    path(
        "hits/submit/<str:token>/mturk/externalSubmit", work.submit_by_token, name="submit-by-token"
    ),
    path("hits/", groups.groups, name="groups"),
    path("hits/join/<str:code>/", accounts.join, name="join"),
    path("hits/login/", accounts.log_in, name="login"),
    path("hits/logout/", accounts.log_out, name="logout"),
    path("hits/account/", accounts.account, name="account"),
    path("hits/groups/<code:hit_type_code>/", groups.preview, name="preview"),
    path("hits/groups/<code:hit_type_code>/accept/", groups.accept_next, name="accept-next"),
    path("hits/work/<code:assignment_code>/", work.work_page, name="work"),
    path("hits/work/<code:assignment_code>/return/", work.return_hit, name="return"),
    path("hits/work/<code:assignment_code>/next/", work.go_on, name="go-on"),
    path("hits/<code:hit_code>/", groups.preview_hit, name="preview-hit"),
    path("hits/<code:hit_code>/accept/", groups.accept_hit, name="accept-hit"),
]
