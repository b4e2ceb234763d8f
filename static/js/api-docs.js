// The list of the API's operations. Requests that are tried carry the session, and so its CSRF token.

const place = document.getElementById("api-docs");

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  docExpansion: "list",
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (request.method && request.method !== "GET") {
      request.headers["X-CSRFToken"] = place.dataset.csrf;
    }
    return request;
  },
});
