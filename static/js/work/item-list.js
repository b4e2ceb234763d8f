// The items of a task by status, where the scheme's page knows it. A click goes to the item.

/** @import { ItemStatus } from "./contract.js" */
/** @import { Shell } from "./shell.js" */

import { capitalized, element, ref, setText, t } from "../html.js";

/** @type {[ItemStatus, string][]} */
const GROUPS = [
  ["new", t`Not started`],
  ["started", t`In progress`],
  ["done", t`Done`],
  ["skipped", t`Skipped`],
];

export class ItemList {
  /** @param {Shell} shell */
  constructor(shell) {
    this.shell = shell;
    this.box = ref(document, "item-list");
    this.box.hidden = shell.items.length === 1 || !shell.current.work.status;
    this.shown = "";
  }

  render() {
    if (this.box.hidden) return;
    const { items, position } = this.shell;
    const states = items.map(({ work }) => work.status?.() ?? "new");
    const titles = items.map(({ work }) => work.title?.() ?? "");
    const key = JSON.stringify([states, titles, position]);
    if (key === this.shown) return;
    this.shown = key;
    const groups = GROUPS.map(([state, label]) => {
      const positions = [...states.keys()].filter((at) => states[at] === state);
      return { label, positions };
    }).filter(({ positions }) => positions.length > 0);
    const counts = groups.map(({ label, positions }) => `${positions.length} ${label.toLowerCase()}`);
    const [, plural] = this.shell.page.nouns.item;
    setText(ref(this.box, "item-counts"), t`All ${plural}: ${counts.join(", ")}`);
    const focused = this.box.querySelector("button:focus")?.getAttribute("data-at");
    ref(this.box, "item-groups").replaceChildren(
      ...groups.map(({ label, positions }) =>
        element(
          "section",
          { class: "item-list__group" },
          element("h2", {}, `${label} (${positions.length})`),
          element("ol", { class: "item-list__items" }, ...positions.map((at) => this.entry(at, titles[at]))),
        ),
      ),
    );
    /** @type {HTMLElement | null} */ (this.box.querySelector(`[data-at="${focused}"]`))?.focus();
  }

  /** @param {number} at @param {string} title */
  entry(at, title) {
    const noun = capitalized(this.shell.page.nouns.item[0]);
    const attributes = {
      type: "button",
      "data-at": at,
      "aria-current": at === this.shell.position && "true",
      onclick: () => this.shell.turnTo(at),
    };
    return element("li", {}, element("button", attributes, title ? `${at + 1}. ${title}` : `${noun} ${at + 1}`));
  }
}
