"""The addresses of sessions. Studies contain the address of arrival, so it must not change."""

from django.urls import path

from consolidation.views import sessions
from web.interface_language import for_workers

app_name = "sessions"

urlpatterns = for_workers(
    [
        path("sessions/arrive/<slug:provider>/", sessions.arrive, name="arrive"),
        path("sessions/submit/<str:token>/", sessions.submit, name="submit"),
        path("sessions/<str:token>/", sessions.session, name="session"),
        path("sessions/<str:token>/next/", sessions.next_task, name="next"),
        path("sessions/<str:token>/consent/", sessions.consent, name="consent"),
        path("sessions/<str:token>/decline/", sessions.decline, name="decline"),
        path("sessions/<str:token>/finish/", sessions.finish, name="finish"),
    ]
)
