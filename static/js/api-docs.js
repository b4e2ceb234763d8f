// The list of the API's operations. Requests are sent with the session and its CSRF token.

/** @typedef {{method?: string, headers: Record<string, string | undefined>}} ApiRequest */

const box = /** @type {HTMLElement} */ (document.getElementById("api-docs"));
const { SwaggerUIBundle } = /** @type {any} */ (window);

const dark = matchMedia("(prefers-color-scheme: dark)");

function followColorScheme() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

dark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUIBundle({
  url: box.dataset.schema,
  domNode: box,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  docExpansion: "none",
  validatorUrl: null,
  requestInterceptor(/** @type {ApiRequest} */ request) {
    if (request.method && request.method !== "GET") request.headers["X-CSRFToken"] = box.dataset.csrf;
    return request;
  },
});
