// The generation page: the workbench with drafts, pay, and handing in to a marketplace.

import { Draft } from "../draft.js";
import { showGuidelines } from "../guidelines.js";
import { readPage, setText } from "../html.js";
import { bonusCents, cents, unitBonus } from "../pay.js";
import { spanText } from "../spans.js";
import { Submission } from "../submit.js";
import { ActiveTime } from "../timing.js";
import { showWorkStatus } from "../work-status.js";
import { place, Workbench } from "./workbench.js";

class GenerationPage extends Workbench {
  constructor(page) {
    super(page);
    this.time = new ActiveTime(page.activeSeconds).watch();
    this.comment = place("comment");
    this.comment.value = page.comment;
    this.comment.disabled = this.locked;
    this.comment.addEventListener("input", () => this.worked());
    const state = (content) => ({
      content,
      comment: this.comment.value,
      active_seconds: this.time.seconds,
      moves: this.moves,
    });
    this.draft = new Draft({ page, state: () => state(this.draftContent()) });
    this.submission = new Submission({ page, draft: this.draft, state: () => state(this.handedIn()) });
    this.showItem(0);
    showWorkStatus({
      page,
      draft: this.draft,
      submission: this.submission,
      describe: (content) => this.describe(content),
      load: (content, comment) => this.restore(content, comment),
      onProblems: (problems) => this.showRefused(problems),
    });
    this.draft.addEventListener("submitted", () => this.lock());
  }

  worked() {
    this.draft.changed();
  }

  send() {
    this.submission.send();
  }

  shortcut(event) {
    const isHandIn = event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isHandIn || event.defaultPrevented) return super.shortcut(event);
    event.preventDefault();
    return this.handIn();
  }

  lock() {
    this.locked = true;
    this.comment.disabled = true;
    this.sentence.disable(true);
    this.render();
  }

  restore(content, comment) {
    this.load(content);
    if (comment !== undefined) this.comment.value = comment;
  }

  describe(content) {
    return this.items.flatMap(({ id, tokens }) =>
      (content?.[id]?.questions ?? []).map(({ question, answers }) =>
        [question, ...answers.map((span) => spanText(tokens, span))].join(" – "),
      ),
    );
  }

  // --- pay

  bonusAt(number) {
    return this.page.pay ? unitBonus(this.page.pay, number) : 0;
  }

  showPay() {
    const { pay } = this.page;
    if (!pay) return;
    const bonus = this.items.reduce((sum, { annotation }) => sum + bonusCents(pay, countSound(annotation)), 0);
    const next = unitBonus(pay, countSound(this.annotation) + 1);
    const total = pay.reward_cents + bonus;
    setText(place("pay"), bonus > 0 ? `${cents(pay.reward_cents)} + ${cents(bonus)} bonus = ${cents(total)}` : cents(total));
    setText(place("next-pay"), next > 0 ? `next question +${cents(next)}` : "next question: part of the reward");
  }
}

function countSound(annotation) {
  return annotation.asked().length - annotation.problems().filter(({ question }) => question).length;
}

showGuidelines();
document.documentElement.dataset.ready = "true";
const generation = new GenerationPage(readPage());
// The first keystroke shall find warm code.
(window.requestIdleCallback ?? setTimeout)(() => generation.suggest("", null));
