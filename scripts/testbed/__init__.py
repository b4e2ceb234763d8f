"""The services that the tests use: PostgreSQL, Redis and Chromium.

`python -m scripts.testbed -- COMMAND` runs COMMAND with TEST_POSTGRES_URL, TEST_REDIS_URL and
TEST_CHROMIUM set. Afterwards it stops only the services that it started. Those are private, with
data in a temporary folder, a free port on 127.0.0.1 and an unprivileged user.
"""
