// Browser storage where it exists. A sandboxed frame has none, and then nothing is stored.

const PREFIX = "touchstone:";

/**
 * Return the stored value, or null.
 *
 * @param {string} key
 * @returns {any}
 */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
export function remember(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // No storage, or it is full.
  }
}

/** @param {string} key */
export function forget(key) {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // No storage.
  }
}

/**
 * A setting of workers' pages that is on or off. Its switches are `input[data-<name>]`, and the page's root
 * has `data-<name>="on"` or `"off"`.
 */
export class SwitchSetting {
  /** @param {string} name @param {string} key  in the storage @param {boolean} isOn  the default */
  constructor(name, key, isOn) {
    this.attribute = `data-${name}`;
    this.isOn = isOn;
    // Stores the setting in another place too, for pages that have no storage of their own.
    this.store = () => {};
    this.show(recall(key) ?? isOn);
    document.addEventListener("change", ({ target }) => {
      if (!(target instanceof HTMLInputElement) || !target.hasAttribute(this.attribute)) return;
      this.show(target.checked);
      remember(key, this.isOn);
      this.store();
    });
    // A copy of the page's part, made for another item, has a switch of its own.
    document.addEventListener("toggle", () => this.show(this.isOn), true);
  }

  /** @param {boolean} isOn */
  show(isOn) {
    this.isOn = isOn;
    document.documentElement.setAttribute(this.attribute, isOn ? "on" : "off");
    /** @type {NodeListOf<HTMLInputElement>} */
    const controls = document.querySelectorAll(`input[${this.attribute}]`);
    for (const control of controls) control.checked = isOn;
  }
}
