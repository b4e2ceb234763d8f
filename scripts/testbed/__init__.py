"""What the tests need around them: PostgreSQL, Redis and Chromium, found or brought up.

`python -m scripts.testbed -- COMMAND` runs COMMAND with TEST_POSTGRES_URL, TEST_REDIS_URL and
TEST_CHROMIUM set, and stops afterwards what it started and nothing else. Whatever is brought up is
private: own data in a temporary folder, own free port on 127.0.0.1, an unprivileged user.
"""
