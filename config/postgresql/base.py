"""Django's PostgreSQL, which notices a dead connection without a question to the server."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """With CONN_HEALTH_CHECKS Django asks this once a request, by a query. On an idle connection
        nothing arrives, unless the server has closed it (or has news, then it is asked all the same)."""
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or bool(super().is_usable())
