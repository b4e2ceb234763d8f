// The part of a work page that is the same for every scheme: undo, pay, keys, submission.

/** @import { Content, Page } from "./page.js" */
/** @import { PayTerms } from "./pay.js" */

import { isTyping, ref, setText } from "../html.js";
import { isLocked } from "./page.js";
import { cents } from "./pay.js";

const MOST_STEPS = 100;

/**
 * A problem that the server reports: the item, the path inside its content, and a message.
 *
 * @typedef {{item: number, path: string, message: string}} Refusal
 */

/**
 * A scheme's part of a page.
 *
 * @typedef {object} Work
 * @property {() => Content} content  return the work for a draft
 * @property {() => Content} [submission]  return the work for submission, where it differs
 * @property {() => any[]} problems  return what prevents submission, in the scheme's own form
 * @property {(problems: any[]) => void} showProblems
 * @property {(refusals: Refusal[]) => void} showRefusals
 * @property {(content: Content) => void} load  show a version of the work
 * @property {(before: any) => void} restore  go back to the state of a step
 * @property {(content: Content) => string[]} describe  return lines that identify a version
 * @property {() => void} lock  allow no more changes
 * @property {(text: string) => void} say  announce what happened
 * @property {(pay: PayTerms) => {bonus: number, label: string}} [earned]
 */

/**
 * @typedef {object} Step
 * @property {string} label  what was done, for the undo button
 * @property {any} before  the state to go back to
 * @property {string | null} [mergeKey]  consecutive steps with the same key are one step
 */

/**
 * Report a change. A step can be undone; a change without a step cannot.
 *
 * @typedef {(step?: Step) => void} OnChange
 */

/**
 * @template {Work} [T=Work]
 * @typedef {(root: HTMLElement, page: Page, onChange: OnChange) => T} Mount
 */

/**
 * Mount a scheme's page and connect undo, pay, keys and the submit button.
 *
 * @template {Work} T
 * @param {Mount<T>} mount
 * @param {Page} page
 * @param {{changed: () => void, submit: () => void}} backend  where the work goes
 */
export function openShell(mount, page, backend) {
  const root = document.body;
  const undoButton = ref(root, "undo");
  /** @type {Step[]} */
  const steps = [];
  let { moves = 0 } = page;
  let locked = isLocked(page);

  const work = mount(root, page, (step) => {
    if (step) push(step);
    changed();
  });

  /** @param {Step} step */
  function push(step) {
    if (step.mergeKey && steps.at(-1)?.mergeKey === step.mergeKey) return;
    moves += 1;
    steps.push(step);
    if (steps.length > MOST_STEPS) steps.shift();
  }

  function changed() {
    backend.changed();
    show();
  }

  function show() {
    const last = steps.at(-1);
    undoButton.hidden = !last || locked;
    setText(undoButton, `Undo ${last?.label ?? ""}`);
    if (page.pay) showPay(page.pay);
  }

  /** @param {PayTerms} pay */
  function showPay(pay) {
    const { bonus, label } = work.earned?.(pay) ?? { bonus: 0, label: "" };
    const total = cents(pay.reward_cents + bonus);
    setText(ref(root, "pay"), bonus > 0 ? `${cents(pay.reward_cents)} + ${cents(bonus)} ${label} = ${total}` : total);
  }

  function undo() {
    const step = locked ? undefined : steps.pop();
    if (!step) return;
    moves += 1;
    work.restore(step.before);
    changed();
    work.say(`Undone: ${step.label}.`);
  }

  function submit() {
    if (locked) return;
    const problems = work.problems();
    if (problems.length > 0) work.showProblems(problems);
    else backend.submit();
  }

  /** @param {KeyboardEvent} event */
  function shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Enter") submit();
    else if (event.key.toLowerCase() === "z" && !isTyping(event, "input, textarea")) undo();
    else return;
    event.preventDefault();
  }

  undoButton.addEventListener("click", undo);
  ref(root, "work-form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  document.addEventListener("keydown", shortcut);
  show();

  return {
    work,
    moves: () => moves,
    /** @param {Content} content */
    load(content) {
      work.load(content);
      show();
    },
    lock() {
      locked = true;
      work.lock();
      show();
    },
  };
}
