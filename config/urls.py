"""The URLs of all apps. Live HITs contain the paths of workers' pages, so those must not change."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from web import views

# The admin site uses the common sign-in page, because its own would skip the second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

handler500 = "web.views.server_error"

# Workers' pages come first, because Django tries patterns in order and they are requested most.
urlpatterns: list[URLPattern | URLResolver] = [path("", include("annotation.urls"))]
if settings.MARKETPLACE_ENABLED:
    urlpatterns += [path("", include("marketplace.urls"))]
urlpatterns += [
    path("", include("consolidation.urls")),
    path("", include("consolidation.session_urls")),
    path("", include("datasets.urls")),
    path("", include("releases.urls")),
    path("", include("benchmarks.urls")),
    path("", include("projects.urls")),
    path("", include("rehearsal.urls")),
    path("admin/", admin.site.urls),
    path("", include("operations.urls")),
    path("api/v1/", include("config.api_urls")),
    path("", include("dashboard.urls")),
    path("", include("accounts.urls")),
    path("", include("crowd.urls")),
    path("", include("model_annotators.urls")),
    path("", include("qualification.urls")),
    # Programs can't read the HTML of the 404 page.
    re_path(r"^api/", views.not_found, name="api_not_found"),
]
