// The guidelines beside the work: open or closed as this browser last left them.

import { recall, remember } from "../storage.js";

const WIDE = "(min-width: 64rem)";

export function showGuidelines() {
  const guidelines = document.querySelector("details[data-guidelines]");
  if (!(guidelines instanceof HTMLDetailsElement)) return;
  guidelines.open = recall("guidelines open") ?? window.matchMedia(WIDE).matches;
  guidelines.addEventListener("toggle", () => remember("guidelines open", guidelines.open));
}
