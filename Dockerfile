# syntax=docker/dockerfile:1
# One image for web, worker and beat. docker-compose.yml sets their commands.
# An exact version. Add a digest after you have pulled and checked it.
ARG PYTHON=3.12.11-slim-bookworm

FROM python:${PYTHON} AS packages
# The packages: base, or hub for uploads of releases to the Hugging Face Hub
ARG PACKAGES=base
COPY requirements /tmp/requirements
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes \
        --requirement /tmp/requirements/${PACKAGES}.txt \
    && python -m venv --without-pip /opt/build \
    && /opt/venv/bin/pip --python /opt/build install --no-cache-dir --disable-pip-version-check \
        --require-hashes --requirement /tmp/requirements/build.txt

# The wheel of this checkout, as scripts/build builds it, and the image's files from the wheel
FROM packages AS wheel
# The time of the commit, for an image with the same files: git log -1 --format=%ct
ARG SOURCE_DATE_EPOCH=1735689600
COPY . /src
WORKDIR /src
RUN /opt/venv/bin/python -m scripts.prepare \
    && /opt/build/bin/python -m hatchling build -t wheel -d /dist \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps /dist/*.whl \
    # Compile now, because the runtime user cannot write here.
    && /opt/venv/bin/python -m compileall -q /opt/venv/lib/python3*/site-packages/touchstone

FROM python:${PYTHON}
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/touchstone touchstone
COPY --from=wheel /opt/venv /opt/venv
# Celery and gunicorn import the site's packages from the current folder.
RUN ln -s /opt/venv/lib/python3*/site-packages/touchstone/_site /srv/touchstone
WORKDIR /srv/touchstone
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    VAR_DIR=/var/lib/touchstone/var
USER touchstone
RUN mkdir -p /var/lib/touchstone/var
VOLUME /var/lib/touchstone/var
EXPOSE 8000
# On SIGTERM, deploy/web and Celery finish their current work.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s --retries=3 \
    CMD ["python", "-m", "deploy.healthcheck", "web"]
CMD ["sh", "deploy/web"]
