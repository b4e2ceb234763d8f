"""A WSGI application that says which thread answers, after as many seconds as the query names."""

import threading
import time
from urllib.parse import parse_qs


def application(environ, start_response):
    query = parse_qs(environ["QUERY_STRING"])
    time.sleep(float(query.get("seconds", ["0"])[0]))
    body = str(threading.get_ident()).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
