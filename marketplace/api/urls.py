"""The URLs of API calls to a host without a path. `RequesterApiMiddleware` selects them."""

from django.urls import path

from marketplace.api.endpoint import requester_api

urlpatterns = [path("", requester_api, name="requester-api")]
