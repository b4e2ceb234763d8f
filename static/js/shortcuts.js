// Single-key shortcuts: letters, digits and signs without Ctrl, Alt or Meta. Speech input types them by
// accident. So they act only in the component that has the focus, and users can switch them off.
//
// A component passes its key events to `ignoresKey` before it acts on them.

import { element, isTyping } from "./html.js";
import { SwitchSetting } from "./storage.js";

const FIELDS = "input, select, textarea";

export const singleKeys = new SwitchSetting("single-keys", "single-key-shortcuts", true);

/**
 * Return true if a component must not act on a key: it is pressed with Ctrl, Alt or Meta, is handled, goes
 * to a field, or is a single-key shortcut while they are off.
 *
 * @param {KeyboardEvent} event
 * @param {string} fields  where keys are typed
 */
export function ignoresKey(event, fields = FIELDS) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  return isTyping(event, fields) || (!singleKeys.isOn && isSingleKey(event));
}

// Other keys, such as arrows and Enter, have long names.
/** @param {KeyboardEvent} event */
function isSingleKey({ key }) {
  return key.length === 1 && key !== " ";
}

/** Return whether texts may name single-key shortcuts. */
export function areSingleKeysOn() {
  return singleKeys.isOn;
}

/**
 * Return the letter of a shortcut on its control. It is no part of the control's name, which speech input
 * and screen readers use. The control has it in `aria-keyshortcuts`.
 *
 * @param {string} key
 */
export function keyHint(key) {
  return element("kbd", { class: "key-hint", "aria-hidden": "true" }, key);
}
