"""Where each room hangs in the site. The paths of workers' pages are part of live HITs: keep them."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("dashboard.urls")),
    path("", include("annotation.urls")),
    path("", include("consolidation.urls")),
    path("", include("crowd.urls")),
    path("", include("qualification.urls")),
]

if settings.MARKETPLACE_ENABLED:
    urlpatterns += [path("", include("marketplace.urls"))]
