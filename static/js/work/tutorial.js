// The tutorial of a role: an example on the role's own page, with steps that the scheme declares.
//
// A step ends when its goals are reached or the worker continues. Nothing of it is saved, and its time
// does not count as work on the task.

/** @import { Goal, ItemData, TutorialData } from "./contract.js" */
/** @import { Task } from "./task.js" */

import { element, ref, setText, t } from "../html.js";
import { writtenTokens } from "../written-text.js";
import { keepClearOf } from "./sticky.js";

export class Tutorial {
  /** @param {Task} task @param {TutorialData} data @param {() => void} onEnd */
  constructor(task, data, onEnd) {
    this.task = task;
    this.steps = data.steps;
    this.onEnd = onEnd;
    this.at = 0;
    const { page, mount, shell, effort } = task;
    effort.pause();
    shell.suspended = true;
    document.body.classList.add("in-tutorial");
    this.replaced = shell.current.root;
    this.root = /** @type {HTMLElement} */ (shell.current.blank.cloneNode(true));
    this.replaced.replaceWith(this.root);
    this.progress = element("p", { class: "tutorial__progress quiet small" });
    this.title = element("h2", { class: "tutorial__title" });
    this.text = element("p", { class: "tutorial__text" });
    this.back = createButton(t`Back`, () => this.goTo(this.at - 1), "quiet");
    this.next = createButton(t`Next step`, () => this.goTo(this.at + 1), "primary");
    this.panel = this.createPanel();
    ref(document, "work-form").append(this.panel);
    this.resized = new ResizeObserver(() => keepClearOf(this.panel, "Bottom"));
    this.resized.observe(this.panel);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.keyDown(event);
    document.addEventListener("keydown", this.keys);
    /** @type {ItemData} */
    const item = {
      ...data.item,
      tokens: writtenTokens(data.item),
      shared: page.shared,
      pay: page.pay ?? null,
      locked: false,
    };
    this.work = mount(this.root, item, () => this.check());
    this.work.shown?.();
    this.work.focus?.();
    // Live regions announce what changes after they are there.
    setTimeout(() => this.show());
  }

  createPanel() {
    return element(
      "section",
      { class: "tutorial", "aria-label": t`Tutorial`, "data-tutorial": true },
      element("div", { role: "status", "aria-atomic": "true" }, this.progress, this.title, this.text),
      element(
        "div",
        { class: "tutorial__buttons" },
        createButton(t`Leave the tutorial`, () => this.end(), "quiet"),
        this.back,
        this.next,
      ),
    );
  }

  show(praise = "") {
    const { title, text } = this.steps[this.at];
    const count = this.steps.length;
    setText(this.progress, t`${praise}Step ${this.at + 1} of ${count}`);
    setText(this.title, title);
    setText(this.text, text);
    this.back.hidden = this.at === 0;
    setText(this.next, this.at === count - 1 ? t`Start the task` : t`Next step`);
  }

  /** @param {number} at */
  goTo(at, praise = "") {
    if (at >= this.steps.length) return this.end();
    this.at = Math.max(at, 0);
    this.show(praise);
  }

  // After a change of the example. One change can reach the goals of several steps.
  check() {
    const content = this.work?.content();
    let at = this.at;
    while (at < this.steps.length - 1 && isReached(this.steps[at].goals, content)) at += 1;
    if (at > this.at) this.goTo(at, t`Well done. `);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.goTo(this.at + 1);
  }

  end() {
    const { shell, effort } = this.task;
    document.removeEventListener("keydown", this.keys);
    this.resized.disconnect();
    this.work.destroy?.();
    this.root.replaceWith(this.replaced);
    this.panel.remove();
    document.body.classList.remove("in-tutorial");
    keepClearOf(ref(document, "bar"), "Bottom");
    shell.suspended = false;
    effort.resume();
    this.onEnd();
    shell.current.work.shown?.();
    shell.render();
    shell.focus();
  }
}

/** @param {string} label @param {() => void} onclick @param {string} look */
function createButton(label, onclick, look) {
  return element("button", { type: "button", class: look, onclick }, label);
}

/** @param {Goal[]} goals @param {any} content */
export function isReached(goals, content) {
  return (
    goals.length > 0 && goals.every(({ path, value }) => valuesAt(content, path).some((found) => fits(found, value)))
  );
}

/** @param {any} content @param {string} path @returns {any[]} */
function valuesAt(content, path) {
  return path.split(".").reduce(
    (/** @type {any[]} */ values, name) =>
      values.flatMap((value) => {
        if (value === null || typeof value !== "object") return [];
        return name === "*" ? Object.values(value) : name in value ? [value[name]] : [];
      }),
    [content],
  );
}

/** @param {any} found @param {any} value */
function fits(found, value) {
  if (value !== null) return JSON.stringify(found) === JSON.stringify(value);
  return Array.isArray(found) ? found.length > 0 : found !== null && found !== "";
}
