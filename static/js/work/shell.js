// The part of a work page that is the same for every scheme: the items in turn, undo, pay, problems,
// keys and submission. Only the root of the current item is part of the document.

/** @import { Content, Mount, Page, Pay, Problem, Refusal, Step } from "./contract.js" */

import { capitalized, counted, element, isTyping, ref, setText, t } from "../html.js";
import { SwitchSetting } from "../storage.js";
import { ItemList } from "./item-list.js";
import { MountedItem } from "./mounted-item.js";
import { bonusCents, cents, isLocked, unitBonus } from "./page.js";
import { keepClearOf } from "./sticky.js";

// Most pages show no context.
const { ContextPanel } = document.querySelector("[data-context]") ? await import("./context.js") : {};

// Compact pages show more at once, in all schemes.
export const density = new SwitchSetting("compact", "compact", false);
const MAX_STEPS = 100;
const TEXT_FIELDS = "input:not([type=radio], [type=checkbox]), textarea";
// Windows in which the first control is below the offer of the tutorial.
const SMALL_WINDOW = "(max-width: 64rem), (max-height: 34rem)";
const FIRST_CONTROL = ":is(input, select, button, textarea):enabled, [tabindex='0']";

/** @typedef {{position: number, problem: Problem}} LocatedProblem */

/**
 * A step of an item, with the state to go back or forward to.
 *
 * @typedef {{position: number, step: Step, state: any}} Move
 */

export class Shell {
  /**
   * @param {Mount} mount
   * @param {Page} page
   * @param {{changed: () => void, moved: (label: string) => void, submit: () => void}} backend  where the work goes
   */
  constructor(mount, page, backend) {
    this.page = page;
    this.backend = backend;
    this.locked = isLocked(page);
    // True while a tutorial is in the place of the items.
    this.suspended = false;
    this.position = 0;
    /** @type {Move[]} */
    this.done = [];
    /** @type {Move[]} */
    this.undone = [];
    /** @type {{located: LocatedProblem[], isRefused: boolean}} The problems in the list. */
    this.shown = { located: [], isRefused: false };
    const first = ref(document, "work-root");
    const roots = page.items.map((_, position) =>
      position === 0 ? first : /** @type {HTMLElement} */ (first.cloneNode(true)),
    );
    /** @type {MountedItem[]} */
    this.items = page.items.map(
      (item, position) =>
        new MountedItem({
          mount,
          root: roots[position],
          data: { ...item, shared: page.shared, pay: page.pay ?? null, locked: this.locked },
          onChange: (before, step) => this.change(position, before, step),
        }),
    );
    this.list = new ItemList(this);
    this.context = ContextPanel && new ContextPanel();
    this.listen();
    this.current.work.shown?.();
    this.showPosition();
    this.render();
  }

  listen() {
    const form = ref(document, "work-form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    ref(document, "undo").addEventListener("click", () => this.undo());
    ref(document, "redo").addEventListener("click", () => this.redo());
    const bar = ref(document, "bar");
    new ResizeObserver(() => keepClearOf(bar, "Bottom")).observe(bar);
    form.addEventListener("work-loaded", () => this.render());
    ref(document, "previous").addEventListener("click", () => this.turnTo(this.position - 1));
    ref(document, "next").addEventListener("click", () => this.turnTo(this.position + 1));
    document.addEventListener("keydown", (event) => this.shortcut(event));
  }

  get current() {
    return this.items[this.position];
  }

  // --- content by item

  /** @returns {Content} */
  content() {
    return this.byItem((item) => item.work.content());
  }

  /** @returns {Content} */
  submission() {
    return this.byItem((item) => item.submission());
  }

  /** @param {(item: MountedItem) => any} read */
  byItem(read) {
    return Object.fromEntries(this.items.map((item) => [item.data.id, read(item)]));
  }

  /** @param {Content} content */
  load(content) {
    for (const item of this.items) item.load(content[item.data.id]);
    this.hideProblems();
    this.render();
  }

  /** @param {Content} content */
  describe(content) {
    return this.items.flatMap(({ work, data }) => {
      const stored = content?.[data.id];
      return work.describe ? work.describe(stored) : [JSON.stringify(stored ?? "")];
    });
  }

  lock() {
    this.locked = true;
    for (const item of this.items) item.lock();
    this.render();
  }

  step() {
    return this.current.work.step?.() ?? "";
  }

  // --- changes

  /** @param {number} position @param {any} before @param {Step} [step] */
  change(position, before, step) {
    if (step?.passing) this.backend.moved(step.label);
    else if (step) this.push({ position, step, state: before });
    this.changed();
  }

  /** @param {Move} move */
  push(move) {
    this.undone = [];
    const last = this.done.at(-1);
    const { mergeKey } = move.step;
    if (mergeKey && last?.position === move.position && last.step.mergeKey === mergeKey) return;
    this.backend.moved(move.step.label);
    this.done.push(move);
    if (this.done.length > MAX_STEPS) this.done.shift();
  }

  changed() {
    this.backend.changed();
    this.dropSolved();
    this.render();
  }

  undo() {
    this.travel(this.done, this.undone, t`Undone`);
  }

  redo() {
    this.travel(this.undone, this.done, t`Redone`);
  }

  /** @param {Move[]} from @param {Move[]} to @param {string} outcome */
  travel(from, to, outcome) {
    const move = this.locked ? undefined : from.pop();
    if (!move) return;
    this.backend.moved(`${outcome}: ${move.step.label}`);
    this.show(move.position);
    to.push({ ...move, state: this.current.last });
    this.current.restore(move.state);
    this.changed();
    if (isFocusLost()) this.focus();
    this.say(`${outcome}: ${move.step.label}.`);
  }

  /** @param {string} text */
  say(text) {
    const { work } = this.current;
    if (work.say) work.say(text);
    else setText(ref(document, "announcement"), text);
  }

  // --- the focus

  // Start where the work goes on, unless the worker has already gone somewhere. On touch screens the
  // focus would open the keyboard over the text to read. In small windows it would scroll the offer of
  // the tutorial out of view.
  start() {
    if (this.locked) return;
    const takeFocus = () => {
      const hidesOffer = this.page.tutorial && window.matchMedia(SMALL_WINDOW).matches;
      if (document.activeElement === document.body && !this.suspended && !hidesOffer) this.focus();
    };
    // A frame without the focus cannot take it, but it can pass it on. It gets the focus with the first
    // press too. If the page then scrolled to its control, the click would land elsewhere.
    const pressed = new AbortController();
    const options = { capture: true, signal: pressed.signal };
    window.addEventListener("pointerdown", () => pressed.abort(), options);
    window.addEventListener("focus", takeFocus, { signal: pressed.signal });
    if (!window.matchMedia("(pointer: coarse)").matches) takeFocus();
  }

  focus() {
    const { work, root } = this.current;
    if (work.focus) return work.focus();
    const control = root.querySelector(FIRST_CONTROL);
    if (control instanceof HTMLElement) control.focus();
  }

  // --- one item at a time

  /** @param {number} position */
  show(position) {
    if (position === this.position) return;
    const { root } = this.current;
    this.position = position;
    root.replaceWith(this.current.root);
    this.hideProblems();
    this.current.work.shown?.();
    this.showPosition();
    this.render();
  }

  /** @param {number} position */
  turnTo(position) {
    this.show(position);
    this.focus();
  }

  render() {
    this.showStep("undo", t`Undo`, this.done.at(-1));
    this.showStep("redo", t`Redo`, this.undone.at(-1));
    const submit = ref(document, "submit", HTMLButtonElement);
    submit.disabled = this.locked;
    const isReady = this.items.every(({ work }) => work.isReady?.() ?? true);
    submit.setAttribute("aria-disabled", String(!isReady));
    if (this.page.pay) this.showPay(this.page.pay);
    this.list.render();
  }

  /** @param {string} name @param {string} action @param {Move} [move] */
  showStep(name, action, move) {
    const button = ref(document, name, HTMLButtonElement);
    button.disabled = !move || this.locked;
    button.title = move?.step.label ?? "";
    setText(ref(button, `${name}-label`), move ? `${action} ${move.step.label}` : action);
  }

  showPosition() {
    this.context?.show(this.current.data, this.current.work);
    const count = this.items.length;
    const isLast = this.position === count - 1;
    ref(document, "progress").hidden = count === 1;
    setText(
      ref(document, "progress-text"),
      t`${capitalized(this.page.nouns.item[0])} ${this.position + 1} of ${count}`,
    );
    const bar = ref(document, "progress-bar", HTMLProgressElement);
    bar.max = count;
    bar.value = this.position + 1;
    ref(document, "previous").hidden = this.position === 0;
    ref(document, "next").hidden = isLast;
    ref(document, "submit").hidden = !isLast;
  }

  /** @param {Pay} pay */
  showPay(pay) {
    const units = this.items.map(({ work }) => work.units?.() ?? 0);
    const bonus = units.reduce((sum, count) => sum + bonusCents(pay, count), 0);
    const total = cents(pay.reward_cents + bonus);
    const sum = ref(document, "pay");
    const [singular, plural] = this.page.nouns.unit;
    const { bonusFor } = sum.dataset;
    const count = units.reduce((all, some) => all + some, 0);
    const label = bonusFor ? t`for ${counted(count, singular, plural)} ${bonusFor}` : "bonus";
    setText(sum, bonus > 0 ? `${cents(pay.reward_cents)} + ${cents(bonus)} ${label} = ${total}` : total);
    setText(ref(document, "pay-review"), this.reviewNotice(pay, units));
    const following = document.querySelector("[data-next-pay]");
    if (!following) return;
    const next = unitBonus(pay, units[this.position] + 1);
    setText(following, next > 0 ? t`next ${singular} +${cents(next)}` : t`next ${singular}: included`);
  }

  /**
   * Say before the submission when a bonus is paid only after a review.
   *
   * @param {Pay} pay
   * @param {number[]} units
   */
  reviewNotice(pay, units) {
    const [singular, plural] = this.page.nouns.unit;
    const limit = pay.hold_above_units;
    const seconds = pay.least_seconds;
    if (pay.unit_cents.length === 0) return "";
    const held = [
      limit > 0 ? t`for more than ${counted(limit, singular, plural)}` : "",
      seconds > 0 ? t`of work faster than ${counted(seconds, "second")} per ${this.page.nouns.item[0]}` : "",
    ].filter(Boolean);
    if (held.length === 0) return "";
    const [first, second] = held;
    const which = second ? t`${first} or ${second}` : first;
    const rule = t`Bonuses ${which} are reviewed before they are paid.`;
    if (limit > 0 && units.every((count) => count === 0))
      return t`${rule} Without ${plural}, you earn the reward only.`;
    const applies = limit > 0 && units.some((count) => count > limit);
    return applies ? t`${rule} Your annotation has more than ${counted(limit, singular, plural)}.` : rule;
  }

  // --- submission and problems

  submit() {
    if (this.locked || this.suspended) return;
    this.hideProblems();
    const problems = this.items.flatMap(({ work }, position) =>
      work.problems().map((problem) => ({ position, problem })),
    );
    if (problems.length > 0) this.showProblems(problems);
    else this.backend.submit();
  }

  /** @param {Refusal[]} refusals */
  showRefusals(refusals) {
    const problems = refusals.map(({ item, path, message }) => {
      const position = Math.max(
        0,
        this.items.findIndex(({ data }) => data.id === item),
      );
      const problem = this.items[position].work.problemAt?.(path, message) ?? { message };
      return { position, problem };
    });
    this.showProblems(problems, { isRefused: true });
  }

  /** @param {LocatedProblem[]} problems */
  showProblems(problems, { isRefused = false } = {}) {
    if (this.current.work.showProblems) {
      const [{ position }] = problems;
      this.show(position);
      const own = problems.filter((problem) => problem.position === position);
      this.current.work.showProblems?.(
        own.map(({ problem }) => problem),
        { isRefused },
      );
      return;
    }
    this.listProblems(problems, isRefused);
    ref(document, "problems").focus();
  }

  /** @param {LocatedProblem[]} problems @param {boolean} isRefused */
  listProblems(problems, isRefused) {
    this.shown = { located: problems, isRefused };
    const box = ref(document, "problems");
    const entries = problems.map((located) => {
      const attributes = { type: "button", class: "link", onclick: () => this.goTo(located) };
      return element("li", {}, element("button", attributes, this.textOf(located)));
    });
    box.replaceChildren(element("p", {}, t`Before you can submit:`), element("ul", {}, ...entries));
    box.hidden = false;
  }

  // Drop the listed problems that a change has solved.
  dropSolved() {
    const { located, isRefused } = this.shown;
    if (ref(document, "problems").hidden) return;
    const left = located.filter(({ position, problem }) => {
      const { work } = this.items[position];
      if (isRefused) return work.isCurrent?.(problem) ?? true;
      return work.problems().some(({ message }) => message === problem.message);
    });
    if (left.length === 0) this.hideProblems();
    else if (left.length < located.length) this.listProblems(left, isRefused);
  }

  /** @param {LocatedProblem} problem */
  textOf({ position, problem }) {
    if (this.items.length === 1) return problem.message;
    return `${capitalized(this.page.nouns.item[0])} ${position + 1}: ${problem.message}`;
  }

  /** @param {LocatedProblem} problem */
  goTo({ position, problem }) {
    this.show(position);
    const { work } = this.current;
    if (work.focusProblem) work.focusProblem(problem);
    else this.focus();
  }

  hideProblems() {
    ref(document, "problems").hidden = true;
  }

  /** @param {KeyboardEvent} event */
  shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented || this.suspended) return;
    const key = `${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`;
    if (key === "enter") this.submit();
    else if (hasOwnUndo(event)) return;
    else if (key === "z") this.undo();
    else if (key === "shift z" || key === "y") this.redo();
    else return;
    event.preventDefault();
  }
}

// The focus is lost with an element that was removed, and useless on a disabled button.
function isFocusLost() {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused.matches(":disabled");
}

/**
 * Return true if the field of a key event has an undo of its own: a text field with text.
 *
 * @param {Event} event
 */
function hasOwnUndo(event) {
  return isTyping(event, TEXT_FIELDS) && /** @type {HTMLInputElement} */ (event.target).value !== "";
}
