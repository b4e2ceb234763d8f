"""The routes of the API with their permission rules."""

from config import api_urls

ROUTES = {route.name: route for route in api_urls.urlpatterns}
API_RULES = {
    name: pattern.callback.cls.rules
    for name, pattern in ROUTES.items()
    if hasattr(pattern.callback, "cls")
}


def operation_of(name: str, method: str) -> str:
    """Return the name of a route's operation in the schema."""
    return str(ROUTES[name].callback.cls.operations[method])
