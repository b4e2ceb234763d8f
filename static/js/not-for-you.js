// Inside the frame: asks the page around it for another task. Marketplaces that do not know this
// message ignore it. A classic script, like marketplace-submitted.js.

{
  const { assignment, wrapper } = /** @type {HTMLScriptElement} */ (document.currentScript).dataset;
  if (wrapper && window.parent !== window) {
    window.parent.postMessage({ type: "marketplace:not-for-you", assignment }, wrapper);
  }
}
