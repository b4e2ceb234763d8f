// Single-key shortcuts: letters, digits and signs without Ctrl, Alt or Meta. Speech input types them by
// accident. So they act only in the component that has the focus, and users can switch them off.
//
// A component passes its key events to `ignoresKey` before it acts on them.

import { element, isTyping } from "./html.js";
import { recall, remember } from "./storage.js";

const SETTING = "single-key-shortcuts";
const FIELDS = "input, select, textarea";

/** @type {(isOn: boolean) => void} */
let store = () => {};
let isOn = true;
showShortcutSetting(recall(SETTING) ?? true);

/**
 * Return true if a component must not act on a key: it is pressed with Ctrl, Alt or Meta, is handled, goes
 * to a field, or is a single-key shortcut while they are off.
 *
 * @param {KeyboardEvent} event
 * @param {string} fields  where keys are typed
 */
export function ignoresKey(event, fields = FIELDS) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  return isTyping(event, fields) || (!isOn && isSingleKey(event));
}

// Other keys, such as arrows and Enter, have long names.
/** @param {KeyboardEvent} event */
function isSingleKey({ key }) {
  return key.length === 1 && key !== " ";
}

/**
 * Store the setting in another place too, for pages that have no storage of their own.
 *
 * @param {(isOn: boolean) => void} newStore
 */
export function storeShortcutSetting(newStore) {
  store = newStore;
}

/** @param {boolean} isNowOn */
export function showShortcutSetting(isNowOn) {
  isOn = isNowOn;
  document.documentElement.dataset.singleKeys = isOn ? "on" : "off";
  for (const control of switches()) control.checked = isOn;
}

/** Return whether texts may name single-key shortcuts. */
export function areSingleKeysOn() {
  return isOn;
}

function switches() {
  return /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-single-keys]"));
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-single-keys]")) return;
  showShortcutSetting(target.checked);
  remember(SETTING, isOn);
  store(isOn);
});

// A copy of the page's part, made for another item, has a switch of its own.
document.addEventListener("toggle", () => showShortcutSetting(isOn), { capture: true });

/**
 * Return the letter of a shortcut on its control. It is no part of the control's name, which speech input
 * and screen readers use. The control has it in `aria-keyshortcuts`.
 *
 * @param {string} key
 */
export function keyHint(key) {
  return element("kbd", { class: "key-hint", "aria-hidden": "true" }, key);
}
