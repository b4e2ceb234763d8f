// An item of a page: the scheme's part of the page, mounted into the item's own root.

/** @import { ItemData, Mount, Step, Work } from "./contract.js" */

import { writtenTokens } from "../written-text.js";

export class MountedItem {
  /** @type {Work} */
  work;

  /**
   * @param {object} options
   * @param {Mount} options.mount
   * @param {HTMLElement} options.root
   * @param {ItemData} options.data
   * @param {(before: any, step?: Step) => void} options.onChange
   */
  constructor({ mount, root, data, onChange }) {
    this.blank = /** @type {HTMLElement} */ (root.cloneNode(true));
    this.mount = mount;
    this.root = root;
    this.data = { ...data, tokens: writtenTokens(data) };
    this.onChange = onChange;
    this.open();
  }

  open() {
    this.work = this.mount(this.root, this.data, (step) => this.changed(step));
    this.remember();
  }

  // The state before the next change.
  remember() {
    this.last = this.work.snapshot?.() ?? this.work.content();
  }

  /** @param {Step} [step] */
  changed(step) {
    const before = this.last;
    this.remember();
    this.onChange(before, step);
  }

  submission() {
    return this.work.submission?.() ?? this.work.content();
  }

  /** @param {any} state */
  restore(state) {
    if (this.work.restore) this.work.restore(state);
    else this.load(state);
    this.remember();
  }

  /** @param {any} content */
  load(content) {
    if (this.work.load) this.work.load(content);
    else this.mountAgain({ ...this.data, content });
    this.remember();
  }

  lock() {
    if (this.work.lock) this.work.lock();
    else this.mountAgain({ ...this.data, content: this.work.content(), locked: true });
  }

  /** @param {ItemData} data */
  mountAgain(data) {
    this.work.destroy?.();
    const hadFocus = this.root.contains(document.activeElement);
    const root = /** @type {HTMLElement} */ (this.blank.cloneNode(true));
    this.root.replaceWith(root);
    this.root = root;
    this.data = data;
    this.open();
    if (hadFocus) this.work.focus?.();
  }
}
