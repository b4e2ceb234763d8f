"""gunicorn behind the reverse proxy; WEB_CONCURRENCY sets the number of processes."""

bind = "0.0.0.0:8000"
worker_class = "gthread"
threads = 8
keepalive = 30
# Finish the requests in hand when a new version takes over.
graceful_timeout = 30
# The heartbeat file in memory: on a slow disk a healthy process is taken for a hung one.
worker_tmp_dir = "/dev/shm"
# Give memory back now and then; the jitter keeps the processes from doing so together.
max_requests = 20_000
max_requests_jitter = 2_000
# The only way in is the proxy of docker-compose.yml, whose address is not known beforehand.
forwarded_allow_ips = "*"
