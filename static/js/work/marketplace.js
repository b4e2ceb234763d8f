// Messages between a work page and the marketplace's page around its frame (static/js/marketplace-work.js).
// Other marketplaces ignore them.

/** @import { Page } from "./contract.js" */

import { showShortcutSetting, storeShortcutSetting } from "../shortcuts.js";

/**
 * Learn from the marketplace when the time is over, and have it remember the setting of shortcuts: the
 * frame may have no storage.
 *
 * @param {Page} page
 * @param {() => void} onTimeOver
 */
export function listenToMarketplace({ assignment, submitTo }, onTimeOver) {
  if (!submitTo || window.parent === window) return;
  const { origin } = new URL(submitTo);
  /** @param {object} message */
  const tell = (message) => window.parent.postMessage({ ...message, assignment }, origin);

  window.addEventListener("message", ({ data, source }) => {
    if (source !== window.parent || data?.type !== "marketplace" || data.assignment !== assignment) return;
    if (data.isTimeOver) onTimeOver();
    const { hasSingleKeys } = data.settings ?? {};
    if (typeof hasSingleKeys === "boolean") showShortcutSetting(hasSingleKeys);
  });
  tell({ type: "marketplace:recall" });
  storeShortcutSetting((hasSingleKeys) => tell({ type: "marketplace:remember", settings: { hasSingleKeys } }));
}
