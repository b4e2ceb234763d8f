"""Where each room hangs in the site. The paths of workers' pages are part of live HITs: keep them."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = []

if settings.MARKETPLACE_ENABLED:
    urlpatterns += [path("", include("marketplace.urls"))]
