"""The routes of the API with their permission rules."""

from config import api_urls

ROUTES = {route.name: route for route in api_urls.urlpatterns}
API_RULES = {
    name: pattern.callback.cls.rules
    for name, pattern in ROUTES.items()
    if hasattr(pattern.callback, "cls")
}
