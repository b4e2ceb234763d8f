"""The marketplace's URLs. API clients and workers' bookmarks rely on them."""

from django.urls import URLPattern, URLResolver, include, path, re_path, register_converter
from django.urls.converters import StringConverter

from marketplace.api.endpoint import requester_api
from marketplace.views import (
    accounts,
    consent,
    groups,
    language,
    layouts,
    operator,
    operator_notifications,
    operator_payouts,
    operator_profile,
    own_data,
    payment_details,
    qualification_test,
    question_form,
    requester_profile,
    requester_session,
    requesters,
    work,
    worker,
)
from web.interface_language import for_workers

app_name = "marketplace"


class CodeConverter(StringConverter):
    """A path converter for identifiers: capitals and digits, unlike the words in URLs."""

    regex = "[A-Z0-9]{1,64}"


register_converter(CodeConverter, "code")

operator_urls = [
    path("", operator.requesters, name="operator"),
    path("login/", operator.log_in, name="operator-login"),
    path("logout/", operator.log_out, name="operator-logout"),
    path("requesters/<code:code>/", operator.requester, name="operator-requester"),
    path("requesters/<code:code>/deposit/", operator.deposit, name="operator-deposit"),
    path("requesters/<code:code>/keys/", operator.issue_key, name="operator-issue-key"),
    path(
        "requesters/<code:code>/keys/<str:key_id>/revoke/",
        operator.revoke_key,
        name="operator-revoke-key",
    ),
    path("requesters/<code:code>/profile/", operator.change_profile, name="operator-profile"),
    path("contact/", operator_profile.profile, name="operator-contact"),
    path("consent/", consent.publish, name="operator-consent"),
    path("workers/", operator.workers, name="operator-workers"),
    path("workers/<code:code>/", operator.worker, name="operator-worker"),
    path("workers/<code:code>/erase-email/", operator.erase_email, name="operator-erase-email"),
    path("invitations/", operator.invitations, name="operator-invitations"),
    path("appeals/", operator.appeals_list, name="operator-appeals"),
    path("appeals/<int:pk>/", operator.appeal, name="operator-appeal"),
    path("statement/", operator_payouts.statement, name="operator-statement"),
    path("statement/record/", operator_payouts.record_payout, name="operator-record-payout"),
    path("payouts/", operator_payouts.payout_list, name="operator-payouts"),
    path(
        "payouts/<int:pk>/withdraw/",
        operator_payouts.withdraw_payout,
        name="operator-withdraw-payout",
    ),
    path("notifications/", operator_notifications.undelivered, name="operator-notifications"),
    path(
        "notifications/<int:pk>/try-again/",
        operator_notifications.try_again,
        name="operator-try-again",
    ),
]

requester_urls = [
    path("login/", requester_session.log_in, name="requester-login"),
    path("logout/", requester_session.log_out, name="requester-logout"),
    path("profile/", requester_profile.profile, name="requester-profile"),
    path("layouts/", layouts.layout_list, name="layouts"),
    path("layouts/new/", layouts.new_layout, name="new-layout"),
    path("layouts/<code:code>/", layouts.layout, name="layout"),
    path("layouts/<code:code>/delete/", layouts.delete_layout, name="delete-layout"),
]

worker_urls = [
    # The most frequent requests come first, because Django tries the paths in order.
    path("hits/groups/<code:hit_type_code>/accept/", groups.accept_next, name="accept-next"),
    path("hits/work/<code:assignment_code>/", work.work_page, name="work"),
    path(
        "hits/submit/<str:token>/mturk/externalSubmit", work.submit_by_token, name="submit-by-token"
    ),
    path("mturk/externalSubmit", work.submit_by_session, name="submit-by-session"),
    # The addresses of a group on MTurk, which clients print.
    path("mturk/preview", groups.preview_by_query, name="preview-by-query"),
    path("projects/<code:group_code>/tasks", groups.preview_group, name="preview-group"),
    path("hits/", groups.groups, name="groups"),
    path("hits/language/", language.choose, name="language"),
    path("hits/filters/", groups.save_filter, name="save-filter"),
    path("hits/filters/<int:pk>/delete/", groups.delete_filter, name="delete-filter"),
    path("hits/join/<str:code>/", accounts.join, name="join"),
    path("hits/login/", accounts.log_in, name="login"),
    path("hits/logout/", accounts.log_out, name="logout"),
    path("hits/consent/", consent.consent, name="consent"),
    path("hits/account/", accounts.account, name="account"),
    path("hits/account/email/", own_data.change_email, name="change-email"),
    path("hits/account/email/<str:token>/", own_data.confirm_email, name="confirm-email"),
    path("hits/account/data/", own_data.download, name="own-data"),
    path("hits/account/close/", own_data.close, name="close-account"),
    path("hits/history/<code:assignment_code>/", own_data.answer, name="answer"),
    path("hits/history/", worker.history, name="history"),
    path("hits/history/<code:assignment_code>/appeal/", worker.appeal, name="appeal"),
    path("hits/history/<code:assignment_code>/ask/", requesters.ask, name="ask"),
    path("hits/earnings/", worker.earnings, name="earnings"),
    path("hits/payment/", payment_details.details_page, name="payment-details"),
    path("hits/messages/", worker.inbox, name="messages"),
    path("hits/requesters/<code:code>/", requesters.requester, name="requester"),
    path("hits/requesters/<code:code>/messages/", requesters.thread, name="thread"),
    path("hits/qualifications/", worker.own_qualifications, name="qualifications"),
    path(
        "hits/qualifications/<code:type_code>/request/",
        worker.request_qualification,
        name="request-qualification",
    ),
    path(
        "hits/qualifications/<code:type_code>/test/",
        qualification_test.test_page,
        name="qualification-test",
    ),
    path(
        "hits/qualifications/<code:type_code>/test/start/",
        qualification_test.start_test,
        name="start-test",
    ),
    path("hits/groups/<code:hit_type_code>/", groups.preview, name="preview"),
    path("hits/work/<code:assignment_code>/answers/", question_form.answers, name="answers"),
    path("hits/work/<code:assignment_code>/more-time/", work.more_time, name="more-time"),
    path("hits/work/<code:assignment_code>/return/", work.return_hit, name="return"),
    path("hits/work/<code:assignment_code>/replace/", work.replace_hit, name="replace"),
    path("hits/work/<code:assignment_code>/next/", work.go_on, name="go-on"),
    path("hits/<code:hit_code>/", groups.preview_hit, name="preview-hit"),
    path("hits/<code:hit_code>/accept/", groups.accept, name="accept-hit"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    # The trailing slash is optional, because a POST cannot be redirected.
    re_path(r"^mturk/?$", requester_api, name="requester-api"),
    *for_workers(worker_urls),
    path("hits/operator/", include(operator_urls)),
    path("hits/requester/", include(requester_urls)),
]
