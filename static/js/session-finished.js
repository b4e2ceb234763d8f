// Returns a worker to the crowd provider at the end of a session. Without this script, they follow the link.

const link = document.querySelector("[data-return]");
if (link instanceof HTMLAnchorElement) window.location.replace(link.href);
