// The guidelines beside the work: open or closed as this browser remembers it.

import { recall, remember } from "./remembered.js";

const WIDE = "(min-width: 64rem)";

export function showGuidelines() {
  const guidelines = document.querySelector("[data-guidelines]");
  if (!guidelines) return;
  guidelines.open = recall("guidelines open") ?? window.matchMedia(WIDE).matches;
  guidelines.addEventListener("toggle", () => remember("guidelines open", guidelines.open));
}
