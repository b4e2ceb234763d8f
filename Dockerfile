# syntax=docker/dockerfile:1
# One image for web, worker and beat. docker-compose.yml sets their commands.
# An exact version. Add a digest after you have pulled and checked it.
ARG PYTHON=3.12.11-slim-bookworm

# The packages: base, or hub for uploads of releases to the Hugging Face Hub
ARG PACKAGES=base

FROM python:${PYTHON} AS packages
ARG PACKAGES
RUN python -m venv /opt/venv
COPY requirements/${PACKAGES}.txt /tmp/requirements.txt
RUN /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes \
    --requirement /tmp/requirements.txt

FROM python:${PYTHON}
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/touchstone touchstone
COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/touchstone
COPY . .
# Compile now, because the runtime user cannot write here.
RUN /opt/venv/bin/python -m compileall -q .
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MPLCONFIGDIR=/tmp/matplotlib \
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
