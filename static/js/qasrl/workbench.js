// Where questions and answers are written: about one verb, or several one after the other. The
// generation page and the practice page build on it; each says what happens with the work.

import { History } from "../history.js";
import { element, quoted, setText } from "../html.js";
import { Sentence } from "../sentence.js";
import { contains, spanText } from "../spans.js";
import { Annotation, tidy } from "./annotation.js";
import { Suggester, Walker } from "./grammar.js";
import { QuestionRow } from "./question-row.js";

const MOST_QUESTIONS = 60;
const MOST_SUGGESTED = 5;
export const place = (name) => document.querySelector(`[data-${name}]`);

export class Workbench {
  constructor(page) {
    this.page = page;
    this.locked = page.preview || page.submitted;
    this.moves = page.moves;
    this.history = new History();
    this.items = page.items.map((item) => this.openItem(item));
    this.listen();
  }

  // --- what a page says about itself

  // After every change of the work.
  worked() {}

  // The work is complete as far as one can tell here.
  send() {}

  showPay() {}

  bonusAt() {
    return 0;
  }

  openItem(item) {
    const walker = new Walker(this.page.shared.automaton, item.data.item);
    const annotation = new Annotation({ tokens: item.tokens, walker, content: item.content });
    return { ...item, walker, annotation, suggester: new Suggester(walker, item.data.ranking) };
  }

  listen() {
    place("previous").addEventListener("click", () => this.showItem(this.position - 1, true));
    place("next").addEventListener("click", () => this.showItem(this.position + 1, true));
    place("undo").addEventListener("click", () => this.undo());
    place("take").addEventListener("click", () => this.sentence.takeSelection());
    place("go-on").addEventListener("click", () => this.nextQuestion());
    const hero = place("hero");
    new ResizeObserver(() => keepClearOf(hero)).observe(hero);
    place("hand-in").addEventListener("submit", (event) => {
      event.preventDefault();
      this.handIn();
    });
    this.reason = place("no-question");
    this.reason.addEventListener("input", () => this.giveReason());
    place("reasons").addEventListener("change", (event) => this.pickReason(event.target));
    document.addEventListener("keydown", (event) => this.shortcut(event));
  }

  // --- the content

  contentOf(write) {
    return Object.fromEntries(this.items.map(({ id, annotation }) => [id, write(annotation)]));
  }

  draftContent() {
    return this.contentOf((annotation) => annotation.draft());
  }

  handedIn() {
    return this.contentOf((annotation) => annotation.handedIn());
  }

  load(content) {
    for (const item of this.items) item.annotation.load(content[item.id]);
    this.showItem(this.position);
  }

  // Every change goes through here: it can be taken back, it counts as a move, it is saved.
  change(word, act, mergeKey = null) {
    if (this.locked) return;
    const before = { position: this.position, content: this.annotation.draft() };
    act();
    if (this.history.push(word, before, mergeKey)) this.moves += 1;
    this.worked();
    this.render();
  }

  undo() {
    const step = this.history.pop();
    if (!step || this.locked) return;
    const { position, content } = step.before;
    this.items[position].annotation.load(content);
    this.moves += 1;
    this.worked();
    this.showItem(position);
    this.say(`Taken back: ${step.word}.`);
  }

  shortcut(event) {
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isUndo || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    this.undo();
  }

  // --- one item at a time

  showItem(position, moveFocus = false) {
    this.position = position;
    const item = this.items[position];
    this.annotation = item.annotation;
    this.rows = new Map();
    place("questions").replaceChildren();
    const box = place("sentence");
    const fresh = box.cloneNode(false);
    box.replaceWith(fresh);
    this.sentence = new Sentence(fresh, {
      tokens: item.tokens,
      target: item.target.verb_idx,
      onChoose: (span) => this.takeAnswer(span),
      onRemove: (token) => this.removeAnswerAt(token),
      onLeave: (where) => (where === "next" ? this.nextQuestion() : this.backToQuestion()),
      onSelect: (span, pending) => this.showSelection(span, pending),
    });
    this.sentence.disable(this.locked);
    this.spare();
    this.active = this.annotation.questions[0];
    this.reason.value = this.annotation.noQuestion;
    this.showProgress();
    this.clearProblems();
    this.render();
    this.say("");
    if (moveFocus) this.focusQuestion(this.annotation.questions.at(-1));
  }

  showProgress() {
    const { target, tokens } = this.items[this.position];
    const count = this.items.length;
    const isLast = this.position === count - 1;
    setText(place("verb"), tokens[target.verb_idx]);
    place("progress").hidden = count === 1;
    setText(place("progress-text"), `Verb ${this.position + 1} of ${count}`);
    place("progress-bar").max = count;
    place("progress-bar").value = this.position + 1;
    place("previous").hidden = this.position === 0;
    place("next").hidden = isLast;
    place("submit").hidden = !isLast;
  }

  // There is always one empty row at the end to go on with.
  spare() {
    const { questions } = this.annotation;
    const isFull = this.locked || questions.length >= MOST_QUESTIONS;
    if (questions.length === 0 || (!isFull && questions.at(-1).text.trim())) this.annotation.add();
  }

  render() {
    this.spare();
    const { questions } = this.annotation;
    if (!questions.includes(this.active)) this.active = questions.at(-1);
    for (const [key, row] of this.rows) {
      if (!this.annotation.find(key)) {
        row.element.remove();
        this.rows.delete(key);
      }
    }
    let bonusPosition = 0;
    for (const question of questions) {
      bonusPosition += 1;
      this.row(question).update(this.rowState(question, bonusPosition));
    }
    this.order();
    this.sentence.paint(this.annotation.marks(this.active));
    this.showSelection(this.sentence.selection, this.sentence.pending);
    this.showPay();
    this.showUndo();
    place("nothing-to-ask").hidden = this.annotation.asked().length > 0;
    for (const name of ["reasons", "no-question", "submit"]) place(name).disabled = this.locked;
  }

  row(question) {
    if (!this.rows.has(question.key)) {
      const { tokens, walker } = this.items[this.position];
      const row = new QuestionRow({
        key: question.key,
        tokens,
        walker,
        suggest: (text) => this.suggest(text, question),
        calls: this.rowCalls(),
      });
      this.rows.set(question.key, row);
    }
    return this.rows.get(question.key);
  }

  rowCalls() {
    return {
      input: (key, text) => this.write(key, text),
      finish: (key, text) => this.finish(key, text),
      keep: (key) => this.keep(key),
      mark: (key) => this.mark(this.annotation.find(key)),
      remove: (key) => this.remove(key),
      removeAnswer: (key, span) => this.removeAnswer(this.annotation.find(key), span),
      focus: (key) => this.activate(this.annotation.find(key)),
    };
  }

  // Rows are moved only where they are out of place: moving takes the focus away.
  order() {
    const list = place("questions");
    this.annotation.questions.forEach(({ key }, position) => {
      const { element: row } = this.rows.get(key);
      if (list.children[position] !== row) list.insertBefore(row, list.children[position] ?? null);
    });
  }

  rowState(question, number) {
    const { state } = question.text.trim() ? this.annotation.check(question) : { state: "empty" };
    const isOutside = state === "wrong" || (state === "unfinished" && question.kept);
    return {
      question,
      number,
      isActive: question === this.active,
      bonus: this.bonusAt(number),
      note: this.noteFor(question, state),
      canKeep: isOutside && !question.kept,
      isOutside,
      locked: this.locked,
    };
  }

  noteFor(question, state) {
    if (question.kept && state !== "complete") {
      return "Kept as it is, outside the template. A person will look at it.";
    }
    const twin = this.annotation.twin(question);
    if (twin) return `The same question as number ${this.annotation.number(twin)}.`;
    if (state === "wrong") {
      const { start, end } = this.annotation.check(question);
      const word = quoted(question.text.slice(start, end));
      return `${word} can't stand here. Choose one of the words below it, or keep the question if nothing fits. Questions outside the template are hard to compare and may not be accepted.`;
    }
    return "";
  }

  // Whole questions worth asking next, given the others of this verb.
  suggest(text, question) {
    const { suggester } = this.items[this.position];
    const others = this.annotation.asked().filter((each) => each !== question);
    const asked = others.map((each) => each.text);
    return suggester.suggest(text, asked, MOST_SUGGESTED).map((each) => each.question);
  }

  // --- what the person does

  write(key, text) {
    const question = this.annotation.find(key);
    if (!question || question.text === text) return;
    this.change(
      `typing question ${this.annotation.number(question)}`,
      () => {
        question.text = text;
        question.kept = false;
      },
      `write ${key}`,
    );
  }

  finish(key, text) {
    const question = this.annotation.find(key);
    const { state } = this.annotation.check(question);
    if (state === "unfinished") return this.say("This question is not finished: choose how it goes on.");
    if (state === "wrong" && !question.kept) return this.say(this.noteFor(question, state));
    const twin = this.annotation.twin(question);
    if (twin) return this.say(`You asked this already: it is question ${this.annotation.number(twin)}.`);
    const whole = tidy(text);
    if (whole !== question.text) this.write(key, whole);
    return this.mark(question);
  }

  keep(key) {
    const question = this.annotation.find(key);
    const word = `keeping question ${this.annotation.number(question)} as it is`;
    this.change(word, () => Object.assign(question, { kept: true, text: tidy(question.text) }));
    this.mark(question);
  }

  mark(question) {
    this.activate(question);
    this.sentence.focus();
    this.say(`Mark the answer to ${quoted(question.text)} in the sentence.`);
  }

  activate(question) {
    if (!question || question === this.active) return;
    this.active = question;
    this.sentence.clear();
    this.render();
  }

  remove(key) {
    const question = this.annotation.find(key);
    const number = this.annotation.number(question);
    const place = this.annotation.questions.indexOf(question);
    this.change(`deleting question ${number}`, () => this.annotation.remove(key));
    this.focusQuestion(this.annotation.questions[place] ?? this.annotation.questions.at(-1));
    this.say(`Question ${number} deleted. You can undo this.`);
  }

  takeAnswer(span) {
    const question = this.active;
    const words = quoted(spanText(this.annotation.tokens, span));
    if (!question || question.text.trim() === "") {
      this.say("Write the question first, then mark its answer.");
      return false;
    }
    const refusal = this.annotation.refusal(question, span);
    if (refusal) {
      this.say(refusal, { isRefusal: true });
      return false;
    }
    this.change(`the answer ${words}`, () => this.annotation.addAnswer(question, span));
    this.say(`${words} taken.`);
    return true;
  }

  removeAnswer(question, span) {
    const words = quoted(spanText(this.annotation.tokens, span));
    this.change(`removing the answer ${words}`, () => this.annotation.removeAnswer(question, span));
    this.say(`Answer ${words} removed.`);
  }

  removeAnswerAt(token) {
    const span = this.active?.answers.find((each) => contains(each, token));
    if (span) this.removeAnswer(this.active, span);
    else this.say("This word is in no answer of the question.");
  }

  nextQuestion() {
    const { questions } = this.annotation;
    this.focusQuestion(questions.find((each) => each.text.trim() === "") ?? questions.at(-1));
  }

  backToQuestion() {
    this.focusQuestion(this.active);
  }

  focusQuestion(question) {
    if (!question) return;
    this.activate(question);
    this.rows.get(question.key)?.box.input.focus();
  }

  giveReason() {
    this.annotation.noQuestion = this.reason.value;
    this.worked();
  }

  pickReason(select) {
    if (select.value) this.reason.value = select.value;
    this.giveReason();
  }

  // --- what it says

  say(text, { isRefusal = false } = {}) {
    const note = place("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  showSelection(span, pending) {
    const take = place("take");
    const refusal = span && this.active ? this.annotation.refusal(this.active, span) : "";
    take.hidden = !span || refusal !== "";
    place("go-on").hidden = Boolean(span) || !this.active?.answers.length || this.locked;
    if (!span) return;
    const words = quoted(spanText(this.annotation.tokens, span));
    setText(take, `Take ${words}`);
    if (refusal) this.say(refusal, { isRefusal: true });
    else if (pending) this.say("Now the last word; the same word again takes it alone.");
    else this.say(words);
  }

  showUndo() {
    const undo = place("undo");
    undo.hidden = this.history.word === null || this.locked;
    setText(undo, `Undo ${this.history.word ?? ""}`);
  }

  // --- handing in

  handIn() {
    if (this.locked) return;
    this.clearProblems();
    const found = this.items.flatMap(({ annotation }, position) =>
      annotation.problems().map((problem) => ({ ...problem, position })),
    );
    if (found.length > 0) this.showProblems(found);
    else this.send();
  }

  showRefused(problems) {
    this.showProblems(
      problems.map(({ item, path, message }) => {
        const position = Math.max(0, this.items.findIndex(({ id }) => id === item));
        const index = Number(/^questions\[(\d+)\]/.exec(path)?.[1] ?? NaN);
        const question = this.items[position].annotation.asked()[index] ?? null;
        const number = question ? this.items[position].annotation.number(question) : null;
        return { position, question, message: number ? `Question ${number}: ${message}` : message };
      }),
    );
  }

  showProblems(problems) {
    const box = place("problems");
    const several = this.items.length > 1;
    const entries = problems.map(({ position, question, message }) => {
      const text = several ? `Verb ${position + 1}: ${message}` : message;
      const go = () => this.goTo(position, question);
      return element("li", {}, element("button", { type: "button", class: "link", onclick: go }, text));
    });
    box.replaceChildren(element("p", {}, "Before you can hand this in:"), element("ul", {}, ...entries));
    box.hidden = false;
    box.focus();
  }

  goTo(position, question) {
    if (position !== this.position) this.showItem(position);
    this.focusQuestion(question ?? this.annotation.questions.at(-1));
  }

  clearProblems() {
    place("problems").hidden = true;
  }
}

// What gets the focus must not hide behind the sentence, which sticks to the window's top.
function keepClearOf(hero) {
  const isSticky = getComputedStyle(hero).position === "sticky";
  document.documentElement.style.scrollPaddingTop = isSticky ? `${hero.offsetHeight + 8}px` : "";
}
