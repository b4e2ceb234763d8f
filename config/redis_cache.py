"""The Redis cache of a site whose pages work while Redis is out of reach."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger("touchstone.cache")


def _or(answer: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a cache method to return `answer` when Redis is out of reach."""

    def decorate(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            except RedisError as error:
                log.warning("The cache is unavailable: %s", type(error).__name__)
                return answer

        return call

    return decorate


class OptionalRedisCache(RedisCache):
    """A cache that is empty while Redis is out of reach. /health/ready reports it."""

    add = _or(True)(RedisCache.add)
    set = _or(None)(RedisCache.set)
    touch = _or(False)(RedisCache.touch)
    delete = _or(False)(RedisCache.delete)
    has_key = _or(False)(RedisCache.has_key)
    get_many = _or({})(RedisCache.get_many)
    set_many = _or([])(RedisCache.set_many)
    delete_many = _or(None)(RedisCache.delete_many)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return _or(default)(super().get)(key, default, version)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Raise ValueError, as for a key that does not exist, when Redis is out of reach."""
        count = _or(None)(super().incr)(key, delta, version)
        if count is None:
            raise ValueError("The cache is unavailable.")
        return int(count)
