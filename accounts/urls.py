from django.urls import path

from accounts.views import account, invitations, second_factor

app_name = "accounts"

urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/verify/", second_factor.verify, name="verify"),
    path("account/second-factor/", second_factor.set_up, name="set_up"),
    path("account/second-factor/codes/", second_factor.renew_codes, name="renew_codes"),
    path("account/second-factor/off/", second_factor.turn_off, name="turn_off"),
    path("account/sessions/end/", account.end_session, name="end_session"),
    path("account/password/", account.ChangePassword.as_view(), name="password"),
    path("account/password/reset/", account.ResetPassword.as_view(), name="reset"),
    path("account/password/reset/sent/", account.reset_sent, name="reset_sent"),
    path(
        "account/password/reset/<uidb64>/<token>/",
        account.ChooseNewPassword.as_view(),
        name="choose_password",
    ),
    path("invitations/<str:token>/", invitations.accept, name="accept"),
]
