"""Where each room hangs in the site. The paths of workers' pages are part of live HITs: keep them."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

# Workers' rooms stand first: Django tries one path after the other, and theirs are asked for most.
urlpatterns: list[URLPattern | URLResolver] = [path("", include("annotation.urls"))]
if settings.MARKETPLACE_ENABLED:
    urlpatterns += [path("", include("marketplace.urls"))]
urlpatterns += [
    path("", include("consolidation.urls")),
    path("admin/", admin.site.urls),
    path("", include("operation.urls")),
    path("api/v1/", include("config.api_urls")),
    path("", include("dashboard.urls")),
    path("", include("accounts.urls")),
    path("", include("crowd.urls")),
    path("", include("qualification.urls")),
]

handler500 = "config.api_urls.server_error"
