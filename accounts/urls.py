from allauth.account import views as account
from django.urls import include, path, re_path
from django.views.decorators.http import require_POST

from accounts.views import first_account, second_factor, sessions, sign_up
from projects.permissions import signed_in_page
from projects.views import invitations

# The routes of django-allauth, without those for sign-up and for changing email addresses. An
# invitation gives its role to the account with its address, so users must not choose their address
# without a proof that it is theirs. Participants of benchmarks get a link by email first.
own = [
    path("account/sessions/<int:pk>/end/", sessions.end_session, name="end_session"),
    path(
        "account/second-factor/totp/replace/",
        signed_in_page(second_factor.ReplaceAuthenticatorAppView.as_view()),
        name="replace_app",
    ),
    path("first-account/<str:token>/", first_account.first_account, name="first_account"),
    path("sign-up/", sign_up.sign_up, name="sign_up"),
    path("sign-up/<str:token>/", sign_up.finish_sign_up, name="finish_sign_up"),
    path("invitations/<str:token>/", invitations.accept, name="accept"),
]

urlpatterns = [
    path("", include((own, "accounts"))),
    path("login/", account.login, name="account_login"),
    path("logout/", require_POST(account.logout), name="account_logout"),
    path("account/", include("allauth.usersessions.urls")),
    path("account/second-factor/", include("allauth.mfa.urls")),
    path("account/reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("account/inactive/", account.account_inactive, name="account_inactive"),
    path("account/password/", account.password_change, name="account_change_password"),
    path("account/password/reset/", account.password_reset, name="account_reset_password"),
    path(
        "account/password/reset/sent/",
        account.password_reset_done,
        name="account_reset_password_done",
    ),
    path(
        "account/password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^account/password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]
