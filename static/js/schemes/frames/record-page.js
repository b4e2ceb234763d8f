// The page on which the record of a verb is written, in four steps that can be visited in any order.

/** @import { Span } from "../../spans.js" */
/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Disputes, ItemFacts, Problem, RecordState, StepName } from "./frame-types.js" */

import { counted, element, ref, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { keepClearOf } from "../../work/sticky.js";
import { ArgumentStep } from "./argument-step.js";
import { disputeNotes } from "./dispute-notes.js";
import { source } from "./frame-source.js";
import { FrameStep } from "./frame-step.js";
import { RateStep } from "./rate-step.js";
import {
  addArgument,
  argumentAt,
  changeArgument,
  combined,
  draftOf,
  find,
  finishedSteps,
  headLemma,
  isLost,
  lemmaOf,
  problemsOf,
  refusal,
  removeArgument,
  resume,
  STEPS,
  statusOf,
  submissionOf,
  textOf,
  toggled,
  toggleVerb,
} from "./record.js";
import { TokenPicker } from "./token-picker.js";

const TITLES = { read: t`Read`, frame: t`Frame`, arguments: t`Arguments`, rate: t`Rate` };
const GO_ON = { read: "", frame: t`Continue to the arguments`, arguments: t`Continue to the rating`, rate: "" };

/** @type {Record<string, StepName>} */
const FIELD_STEPS = { understood: "read", skip: "read", verb: "frame", frame: "frame", confidence: "rate" };

/** @implements {Work} */
export class RecordPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    this.root = root;
    this.onChange = onChange;
    this.locked = data.locked;
    /** @type {ItemFacts} */
    this.facts = {
      ...{ tokens: data.tokens, target: data.target, ...data.data },
      ...{ elementRoles: data.shared.elementRoles, chosenRoles: source.chosenRoles },
    };
    this.coreOnly = Boolean(data.data.coreOnly);
    /** @type {Disputes} */
    this.disputes = data.disputes ?? {};
    /** @type {{key: string, label: string}[]} */
    this.skips = data.shared.skips;
    /** @type {RecordState} */
    this.state = resume(data.content, this.facts, this.disputes);
    /** @type {number | null} The open argument. */
    this.activeKey = null;
    // Whether a tap adds a word to the open argument.
    this.wordMode = false;
    this.changesUnit = false;
    this.sentence = this.createSentence();
    this.steps = {
      frame: new FrameStep(this),
      arguments: new ArgumentStep(this),
      rate: new RateStep(this, data.shared.confidence),
    };
    this.shortcuts = (/** @type {KeyboardEvent} */ event) => this.keyDown(event);
    this.reasons = this.createSkips();
    this.stepButtons = this.createStepper();
    this.listen();
    this.loaded = () => {
      this.render();
      root.dispatchEvent(new Event("work-loaded", { bubbles: true }));
    };
    source.listeners.add(this.loaded);
    this.render();
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  createSentence() {
    return new TokenPicker(this.ref("sentence"), {
      tokens: this.facts.tokens,
      target: this.facts.target.verb[0],
      onPick: (token) => this.pick(token),
      onToggle: (token) => this.toggle(token),
      onChoose: (span) => this.pickSpan(span),
      onRemove: (token) => this.takeOut(token),
      onLeave: () => this.leaveSentence(),
    });
  }

  createSkips() {
    const reasons = this.skips.map(({ key }) =>
      element("input", { type: "radio", name: "skip", value: key, onchange: () => this.skip(key) }),
    );
    const labels = this.skips.map(({ label }, at) => element("label", {}, reasons[at], label));
    this.ref("skips").append(...labels);
    this.ref("unskip").addEventListener("click", () => this.skip(""));
    this.ref("skip-disputes").append(
      ...disputeNotes(this.disputes.skip ?? [], {
        subject: t`that you skipped this record`,
        textOf: () => "",
        onTake: () => undefined,
      }),
    );
    return reasons;
  }

  createStepper() {
    const buttons = STEPS.map((step, at) => {
      const state = element("span", { class: "stepper__state" });
      const button = element(
        "button",
        { type: "button", class: "stepper__button", onclick: () => this.goTo(step) },
        element("span", { class: "stepper__number", "aria-hidden": "true" }, String(at + 1)),
        element("span", {}, TITLES[step]),
        state,
      );
      return { step, button, state };
    });
    this.ref("stepper").append(...buttons.map(({ button }) => element("li", {}, button)));
    return buttons;
  }

  listen() {
    this.ref("understand").addEventListener("click", () => this.understand());
    this.ref("back").addEventListener("click", () => this.goTo(STEPS[STEPS.indexOf(this.state.step) - 1]));
    this.ref("go-on").addEventListener("click", () => this.goOn());
    document.addEventListener("keydown", this.shortcuts, { capture: true });
    const hero = this.ref("hero");
    new ResizeObserver(() => keepClearOf(hero, "Top")).observe(hero);
  }

  // --- the contract of a work page

  content() {
    return draftOf(this.state);
  }

  submission() {
    return submissionOf(this.state);
  }

  problems() {
    const { frame } = this.state;
    const isUnknown = source.index !== null && !source.index.entries.has(frame);
    return problemsOf(this.state, this.facts, { frame: source.frame(frame), isUnknown });
  }

  /** @param {Problem} problem */
  focusProblem({ step, key, isBare }) {
    this.goTo(step);
    if (key !== undefined) this.open(key);
    if (isBare) this.steps.arguments.none.focus();
  }

  /** @param {string} path @param {string} message @returns {Problem} */
  problemAt(path, message) {
    const index = Number(/^arguments\[(\d+)\]/.exec(path)?.[1] ?? NaN);
    const argument = this.state.arguments[index];
    if (argument) {
      const name = `“${textOf(argument.head, this.facts.tokens)}”`;
      return { step: "arguments", key: argument.key, message: `${name}: ${message}` };
    }
    const [field] = path.split(/[.[]/);
    return { step: FIELD_STEPS[field] ?? "arguments", message: `${field}: ${message}` };
  }

  isReady() {
    return this.problems().length === 0;
  }

  // Marking the words of a multi-word verb or head is a step of its own in the log.
  step() {
    return this.marksUnit() ? "units" : this.state.step;
  }

  // In the step of the frame, the sentence is for the words of the verb. A mouse has left it before its
  // focus moves on.
  marksUnit() {
    if (this.changesUnit || this.wordMode) return true;
    const { box } = this.sentence;
    const isUsed = box.matches(":focus-visible") || (box.matches(":hover") && box.contains(document.activeElement));
    return this.state.step === "frame" && isUsed;
  }

  /**
   * Make a move that changes the words of a verb or head.
   *
   * @param {RecordState} next
   * @param {string} label
   */
  changeUnit(next, label) {
    this.changesUnit = true;
    const isChanged = this.change(next, label);
    this.changesUnit = false;
    return isChanged;
  }

  units() {
    return this.state.skip ? 0 : this.state.arguments.length;
  }

  status() {
    return statusOf(this.state, this.problems(), this.facts);
  }

  title() {
    return lemmaOf(this.state.verb, this.facts);
  }

  focus() {
    const { step, skip } = this.state;
    if (skip) this.reasons.find(({ checked }) => checked)?.focus();
    else if (step === "read") this.ref("understand").focus();
    else if (step === "arguments") this.focusSentence();
    else this.steps[step].focus();
  }

  shown() {
    setText(ref(document, "verb"), textOf(this.state.verb, this.facts.tokens));
    for (const lemma of this.lemmas()) source.requestPrecedents(lemma);
    if (this.state.step === "rate") openComment();
  }

  /** @param {any} content */
  load(content) {
    this.restore(resume(content, this.facts, this.disputes));
  }

  snapshot() {
    return this.state;
  }

  /** @param {RecordState} state */
  restore(state) {
    this.state = state;
    this.activeKey = find(state, this.activeKey)?.key ?? null;
    this.wordMode = false;
    this.render();
  }

  /** @param {any} content */
  describe(content) {
    const state = resume(content, this.facts);
    if (state.skip) return [t`Skipped: ${this.reasonOf(state.skip)}`];
    const heads = state.arguments.map(({ head, element: name, role }) =>
      [textOf(head, this.facts.tokens), name, role].filter(Boolean).join(" · "),
    );
    const confidence = state.confidence === null ? [] : [t`Confidence ${state.confidence}`];
    return state.frame ? [t`Frame ${state.frame}`, ...heads, ...confidence] : [...heads, ...confidence];
  }

  lock() {
    this.locked = true;
    this.render();
  }

  destroy() {
    source.listeners.delete(this.loaded);
    document.removeEventListener("keydown", this.shortcuts, { capture: true });
  }

  // --- changes

  /**
   * Make a move that can be undone. Return false if it is not possible.
   *
   * @param {RecordState} next
   * @param {string} label
   */
  change(next, label) {
    if (this.locked || next === this.state) return false;
    this.state = next;
    this.render();
    this.onChange({ label });
    return true;
  }

  /**
   * Report a move that changes nothing of the record.
   *
   * @param {string} label
   */
  pass(label) {
    if (!this.locked) this.onChange({ label, passing: true });
  }

  understand() {
    if (!this.state.understood) this.change({ ...this.state, understood: true }, t`understanding the sentence`);
    this.goTo("frame");
  }

  /** @param {string} key  of the reason, or "" */
  skip(key) {
    if (this.state.skip === key) return;
    const label = key ? t`skipping the record: ${this.reasonOf(key)}` : t`annotating the record after all`;
    if (!this.change({ ...this.state, skip: key }, label)) return;
    this.say(key ? t`Skipped: ${this.reasonOf(key)}.` : t`The record is no longer skipped.`);
    if (key === "other") openComment();
    if (!this.root.contains(document.activeElement) || !key) this.focus();
  }

  /** @param {string} key */
  reasonOf(key) {
    return this.skips.find((skip) => skip.key === key)?.label ?? key;
  }

  /** @param {string} name */
  chooseFrame(name) {
    if (name === this.state.frame) return;
    source.request(name, { again: true });
    if (this.change({ ...this.state, frame: name }, t`choosing the frame ${name}`)) this.say(t`Frame: ${name}.`);
  }

  /** @param {number} value */
  rate(value) {
    this.change({ ...this.state, confidence: value }, t`confidence ${value}`);
  }

  /** @param {boolean} mentionsNone */
  mentionNone(mentionsNone) {
    this.change(
      { ...this.state, mentionsNone },
      mentionsNone ? t`confirming that there are no arguments` : t`no longer confirming that there are no arguments`,
    );
  }

  // --- steps

  /** @param {StepName} step */
  goTo(step) {
    if (step === this.state.step) return;
    this.state = { ...this.state, step };
    this.activeKey = null;
    this.wordMode = false;
    this.render();
    this.pass(t`going to step ${STEPS.indexOf(step) + 1}, ${TITLES[step].toLowerCase()}`);
    this.arrive();
  }

  arrive() {
    const { step } = this.state;
    if (step === "rate") openComment();
    this.focus();
    this.say(t`Step ${STEPS.indexOf(step) + 1} of ${STEPS.length}: ${TITLES[step]}.`);
  }

  goOn() {
    const following = STEPS[STEPS.indexOf(this.state.step) + 1];
    if (this.state.step === "read") this.understand();
    else if (following) this.goTo(following);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const isHere = event.target instanceof Node && this.root.contains(event.target);
    const isNowhere = event.target === document.body && this.root.isConnected;
    if (event.ctrlKey || event.metaKey || event.altKey || this.state.skip) return;
    if (event.key === "Enter" && event.shiftKey && (isHere || isNowhere)) this.goOn();
    else if (event.key === "/" && isHere && this.state.step === "frame" && !ignoresKey(event, "[type=search]")) {
      this.steps.frame.search.focus();
    } else if (!this.takeRoleKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // In the sentence, a digit is for the role of the open argument, unless it begins a word.
  /** @param {KeyboardEvent} event */
  takeRoleKey(event) {
    const isInSentence = event.target instanceof Node && this.sentence.box.contains(event.target);
    const { activeKey, facts, locked } = this;
    if (!isInSentence || activeKey === null || locked || event.shiftKey || ignoresKey(event)) return false;
    if (facts.tokens.some((token) => token.startsWith(event.key))) return false;
    return this.steps.arguments.takeDigit(activeKey, event.key);
  }

  // --- words of the sentence

  /** @param {number} token */
  pick(token) {
    const argument = argumentAt(this.state, token);
    if (this.state.step === "frame" || this.wordMode) this.toggle(token);
    else if (argument) this.open(argument.key);
    else this.mark([token]);
  }

  /** @param {Span} span */
  pickSpan([start, end]) {
    const words = Array.from({ length: end - start }, (_, at) => start + at);
    if (this.state.step === "frame") {
      const added = words.filter((at) => !this.state.verb.includes(at));
      const verb = added.reduce((state, at) => toggleVerb(state, at, this.facts), this.state);
      if (added.length > 0) this.changeVerb(verb, t`adding “${textOf(added, this.facts.tokens)}” to the verb`);
    } else if (this.wordMode && this.activeKey !== null) this.changeHead(this.activeKey, words, true);
    else this.mark(words);
  }

  /** @param {number} token */
  toggle(token) {
    const word = `“${textOf([token], this.facts.tokens)}”`;
    const { step, verb } = this.state;
    if (step === "frame") {
      const next = toggleVerb(this.state, token, this.facts);
      if (next === this.state) this.refuse(t`${word} is the annotated verb and can't be removed.`);
      else
        this.changeVerb(next, verb.includes(token) ? t`removing ${word} from the verb` : t`adding ${word} to the verb`);
    } else if (this.activeKey !== null) this.changeHead(this.activeKey, [token], false);
    else this.pick(token);
  }

  /** @param {RecordState} next @param {string} label */
  changeVerb(next, label) {
    const overlap = argumentOfVerb(next);
    if (overlap) {
      this.refuse(
        t`The verb can't include words of “${textOf(overlap.head, this.facts.tokens)}”. Remove that argument first.`,
      );
    } else if (this.changeUnit(next, label)) {
      this.say(t`The verb is “${textOf(next.verb, this.facts.tokens)}”.`);
      setText(ref(document, "verb"), textOf(next.verb, this.facts.tokens));
    }
  }

  /** @param {number[]} verb  as a verifier proposes it */
  takeVerb(verb) {
    this.changeVerb({ ...this.state, verb }, t`changing the verb to “${textOf(verb, this.facts.tokens)}”`);
  }

  /** @param {number[]} head */
  mark(head) {
    const reason = refusal(this.state, head, null, this.facts);
    if (reason) return this.refuse(reason);
    const words = `“${textOf(head, this.facts.tokens)}”`;
    const next = addArgument(this.state, head, this.facts);
    if (!this.change(next, t`marking ${words}`)) return;
    this.open(/** @type {number} */ (next.arguments.at(-1)?.key));
    this.say(t`${words} is an argument. Choose its element and its role.`);
  }

  /**
   * Add words to a head, or take them out unless they are only to be added.
   *
   * @param {number} key
   * @param {number[]} words
   * @param {boolean} adds
   */
  changeHead(key, words, adds) {
    const argument = find(this.state, key);
    if (!argument) return;
    const changing = adds ? words.filter((at) => !argument.head.includes(at)) : words;
    const head = changing.reduce(toggled, argument.head);
    const before = `“${textOf(argument.head, this.facts.tokens)}”`;
    if (head.length === 0) return this.refuse(t`An argument needs at least one word. To delete it, remove ${before}.`);
    const reason = refusal(this.state, head, key, this.facts);
    if (reason) return this.refuse(reason);
    const after = `“${textOf(head, this.facts.tokens)}”`;
    const next = changeArgument(this.state, key, { head }, this.facts);
    if (this.changeUnit(next, t`changing ${before} to ${after}`)) this.say(t`The argument is ${after}.`);
  }

  /** @param {number} token */
  takeOut(token) {
    const { state } = this;
    const argument = state.step === "arguments" ? argumentAt(state, token) : undefined;
    if (state.step === "frame" && state.verb.includes(token)) this.toggle(token);
    else if (!argument) this.refuse(t`No argument contains this word.`);
    else if (argument.head.length > 1) this.changeHead(argument.key, [token], false);
    else this.removeArgument(argument.key);
  }

  leaveSentence() {
    const { step } = this.state;
    if (step === "arguments" && this.activeKey !== null) this.steps.arguments.focusCard(this.activeKey);
    else if (step === "arguments") this.ref("go-on").focus();
    else this.focus();
  }

  focusSentence() {
    const argument = find(this.state, this.activeKey);
    this.sentence.focus();
    this.sentence.moveTo(argument?.head[0] ?? this.sentence.cursor ?? this.state.verb[0]);
  }

  // --- arguments

  /**
   * Open an argument, and go to its elements.
   *
   * @param {number} key
   */
  open(key) {
    this.activate(key);
    this.steps.arguments.focusCard(key);
  }

  /** @param {number | null} key */
  activate(key) {
    this.activeKey = key;
    this.wordMode = false;
    this.render();
  }

  toggleWordMode() {
    this.wordMode = !this.wordMode;
    this.render();
    this.say(this.wordMode ? t`Tap words to add or remove them.` : "");
  }

  /** @param {number} key */
  removeArgument(key) {
    const argument = find(this.state, key);
    if (!argument) return;
    const words = `“${textOf(argument.head, this.facts.tokens)}”`;
    if (!this.change(removeArgument(this.state, key), t`removing ${words}`)) return;
    this.activate(this.activeKey === key ? null : this.activeKey);
    this.focusSentence();
    this.say(t`${words} removed. You can undo this.`);
  }

  /**
   * Return true unless the page is locked.
   *
   * @param {number} key
   * @param {string} name
   */
  setElement(key, name) {
    const argument = find(this.state, key);
    if (!argument || this.locked) return false;
    if (argument.element === name) return true;
    const words = `“${textOf(argument.head, this.facts.tokens)}”`;
    const next = changeArgument(this.state, key, { element: name }, this.facts);
    this.change(next, name ? t`the element ${name} for ${words}` : t`no element for ${words}`);
    const role = find(next, key)?.role;
    this.say(
      [name ? t`${words} is ${name}` : t`${words} has no element`, role && t`role ${role}`].filter(Boolean).join(", "),
    );
    return true;
  }

  /** @param {number} key @param {string} role */
  setRole(key, role) {
    const argument = find(this.state, key);
    if (!argument) return;
    const words = `“${textOf(argument.head, this.facts.tokens)}”`;
    const next = changeArgument(this.state, key, { role, isOwnRole: true }, this.facts);
    this.change(next, role ? t`the role ${role} for ${words}` : t`no role for ${words}`);
    this.say(role ? t`${words} has the role ${role}.` : t`${words} has no role.`);
  }

  /**
   * Follow a verifier's proposal.
   *
   * @param {number} key
   * @param {"head" | "element" | "role"} part
   * @param {any} proposal
   */
  takeProposal(key, part, proposal) {
    const argument = find(this.state, key);
    if (!argument) return;
    if (part === "element") this.setElement(key, proposal);
    else if (part === "role") this.setRole(key, proposal);
    else {
      const reason = refusal(this.state, proposal, key, this.facts);
      const label = t`changing “${textOf(argument.head, this.facts.tokens)}” to “${textOf(proposal, this.facts.tokens)}”`;
      if (reason) this.refuse(reason);
      else this.change(changeArgument(this.state, key, { head: proposal }, this.facts), label);
    }
  }

  /** @param {{head: number[], element: string, role: string}} missing */
  addMissing({ head, element: name, role }) {
    const reason = refusal(this.state, head, null, this.facts);
    if (reason) return this.refuse(reason);
    const added = addArgument(this.state, head, this.facts);
    const key = /** @type {number} */ (added.arguments.at(-1)?.key);
    const change = { element: name, ...(role && { role, isOwnRole: true }) };
    const next = changeArgument(added, key, change, this.facts);
    if (this.change(next, t`marking “${textOf(head, this.facts.tokens)}”`)) this.open(key);
  }

  // The lemmas of records whose annotations help: with and without the particles of the verb.
  lemmas() {
    return new Set([this.facts.target.lemma, headLemma(this.facts)]);
  }

  // How others annotated the verb, the most frequent first.
  precedents() {
    return combined([...this.lemmas()].flatMap((lemma) => source.precedentsOf(lemma)));
  }

  // --- rendering

  render() {
    const { state } = this;
    if (state.frame) source.request(state.frame);
    const frame = source.frame(state.frame);
    const problems = this.problems();
    this.renderStepper(problems);
    this.renderSkip();
    for (const step of STEPS) this.ref(`panel-${step}`).hidden = step !== state.step || state.skip !== "";
    this.ref("understand").hidden = state.skip !== "" || state.step !== "read";
    setText(this.ref("understand"), state.understood ? t`Continue to the frame` : t`I understand the sentence`);
    this.ref("back").hidden = state.step === "read" || state.skip !== "";
    this.ref("go-on").hidden = !GO_ON[state.step] || state.skip !== "";
    setText(this.ref("go-on"), GO_ON[state.step]);
    this.steps.frame.render(state);
    this.steps.arguments.render(state, frame);
    this.steps.rate.render(state);
    this.renderLost();
    this.renderSentence();
  }

  /** @param {Problem[]} problems */
  renderStepper(problems) {
    const { state } = this;
    const finished = state.skip ? [] : finishedSteps(problems);
    const disputed = {
      read: 0,
      frame: (this.disputes.verb?.length ?? 0) + (this.disputes.frame?.length ?? 0),
      arguments: (this.disputes.arguments?.length ?? 0) + (this.disputes.missing?.length ?? 0),
      rate: 0,
    };
    for (const { step, button, state: mark } of this.stepButtons) {
      const isFinished = finished.includes(step);
      if (step === state.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.disabled = state.skip !== "";
      button.classList.toggle("stepper__button--done", isFinished);
      const parts = [isFinished && "done", disputed[step] > 0 && `${counted(disputed[step], "dispute")}`];
      setText(mark, parts.filter(Boolean).join(", "));
    }
  }

  renderSkip() {
    const { skip } = this.state;
    for (const radio of this.reasons) {
      radio.checked = radio.value === skip;
      radio.disabled = this.locked;
    }
    this.ref("skipped").hidden = !skip;
    setText(this.ref("skipped-reason"), t`This record is skipped: ${this.reasonOf(skip)}.`);
    ref(this.root, "unskip", HTMLButtonElement).disabled = this.locked;
    if (skip) ref(this.root, "skip", HTMLDetailsElement).open = true;
  }

  // The elements that a changed frame does not have.
  renderLost() {
    const frame = source.frame(this.state.frame);
    const lost = this.state.arguments.filter(({ element: name }) => isLost(name, frame));
    const box = this.ref("lost");
    box.hidden = lost.length === 0;
    const names = lost.map(({ head, element: name }) => t`${name} of “${textOf(head, this.facts.tokens)}”`);
    const text = t`${this.state.frame} doesn't have ${counted(lost.length, "element")} that you chose: `;
    setText(
      ref(box, "lost-text"),
      t`${text}${names.join(", ")}. The words and roles are kept. Choose new elements in the step “Arguments”.`,
    );
  }

  renderSentence() {
    const { state, sentence } = this;
    const marksWords = !state.skip && (state.step === "frame" || state.step === "arguments");
    if (sentence.disabled !== (this.locked || !marksWords)) sentence.disable(this.locked || !marksWords);
    const active = find(state, this.activeKey);
    sentence.chosen = state.step === "frame" ? state.verb : (active?.head ?? []);
    sentence.paint(this.marks());
  }

  marks() {
    const { state } = this;
    /** @type {import("../../sentence.js").Mark[]} */
    const marks = runs(state.verb).map(([start, end]) => ({
      start,
      end,
      kind: "target",
      label: state.step === "frame" ? t`part of the verb` : t`the verb`,
    }));
    if (state.step === "read" || state.step === "frame" || state.skip) return marks;
    for (const { key, head, element: name, role } of state.arguments) {
      const isActive = key === this.activeKey;
      const named = [name, role].filter(Boolean).join(", ");
      const label = isActive ? t`argument ${named}, open` : t`argument ${named}`;
      for (const [start, end] of runs(head)) marks.push({ start, end, kind: isActive ? "own" : "other", label });
    }
    return marks;
  }

  // --- messages

  /** @param {string} text */
  say(text, { isRefusal = false } = {}) {
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  /** @param {string} text */
  refuse(text) {
    this.say(text, { isRefusal: true });
  }
}

/**
 * Return the argument that has a word of the verb, if there is one.
 *
 * @param {RecordState} state
 */
function argumentOfVerb(state) {
  return state.verb.map((at) => argumentAt(state, at)).find(Boolean);
}

/**
 * Return positions as spans of words in a row.
 *
 * @param {number[]} positions
 */
function runs(positions) {
  /** @type {Span[]} */
  const spans = [];
  for (const at of positions) {
    const last = spans.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else spans.push([at, at + 1]);
  }
  return spans;
}

// The comment belongs to the frame of the page.
function openComment() {
  const field = document.querySelector("[data-comment]")?.closest("details");
  if (field) field.open = true;
}
