// The page on which the parts of another annotator's record are verified or disputed.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { CaseProblem, Part, RecordPart, StoredRecord, Verification } from "./case-types.js" */

import { counted, element, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { CasePage } from "./case-page.js";
import { source } from "./frame-source.js";
import { frameDetails, retry, runsText } from "./frame-text.js";
import { JudgmentField } from "./judgment-field.js";
import { elementSelect, roleSelect } from "./label-fields.js";
import { textOf } from "./record.js";
import {
  addMissing,
  changeMissing,
  countDisputed,
  judgedParts,
  judgePart,
  judgeRecord,
  PARTS,
  partsOf,
  placeOf,
  problemsOf,
  removeMissing,
  resume,
  submissionOf,
} from "./verification-state.js";

const RECORD_TITLES = { skip: t`Skipped`, verb: t`Words of the verb`, frame: t`Frame` };
const TITLES = { head: t`Words`, element: t`Frame element`, role: t`Generic role` };
const PROPOSALS = { head: t`Your proposal (optional)`, element: t`Your proposal`, role: t`Your proposal` };

/**
 * @implements {Work}
 * @extends {CasePage<Verification>}
 */
export class VerificationPage extends CasePage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    super(root, data, onChange, resume(data.content, data.asked));
    /** @type {StoredRecord} */
    this.record = data.asked;
    this.roles = data.data.roles;
    this.coreOnly = Boolean(data.data.coreOnly);
    this.words = this.record.arguments.map(({ head }) => `“${textOf(head, this.tokens)}”`);
    this.frameProposal = element("input", {
      type: "text",
      list: this.frameNames.id,
      maxlength: 200,
      autocomplete: "off",
      onchange: () => this.proposeFrame(this.frameProposal.value),
    });
    this.recordFields = {
      skip: this.createRecordField("skip", t`the skip`, null, ""),
      verb: this.createRecordField("verb", t`the words of the verb`, this.verbProposal(), t`Your proposal (optional)`),
      frame: this.createRecordField("frame", t`the frame`, this.frameProposal, t`Which frame is right? (optional)`),
    };
    this.fields = this.record.arguments.map((_, at) => PARTS.map((part) => this.createField(at, part)));
    this.details = element("div", { class: "frame-details", hidden: true });
    this.relation = element("p", { class: "frame-relation", hidden: true });
    this.detailsPainted = "";
    this.createBoard();
    root.addEventListener("keydown", (event) => this.keyDown(event));
    this.ref("add-missing").addEventListener("click", () => this.focusSentence());
    if (this.record.frame) source.request(this.record.frame);
    this.render();
  }

  // --- building

  /** @param {RecordPart} part @param {string} subject @param {HTMLElement | null} proposal @param {string} proposalLabel */
  createRecordField(part, subject, proposal, proposalLabel) {
    return new JudgmentField({
      page: this,
      place: part,
      title: RECORD_TITLES[part],
      subject,
      proposal,
      proposalLabel,
      onChange: (change, label, key) => this.change(judgeRecord(this.state, part, change), label, key),
      onNext: () => this.goOn(part),
    });
  }

  verbProposal() {
    return element("button", {
      type: "button",
      onclick: () => {
        const { proposal } = this.state.verb;
        const head = Array.isArray(proposal) ? proposal : this.record.verb;
        const onChange = (/** @type {number[]} */ words) =>
          this.change(judgeRecord(this.state, "verb", { proposal: words }), t`proposing words for the verb`, "verb");
        this.togglePicking({ place: "verb", head, onChange });
      },
    });
  }

  /** @param {number} at @param {Part} part */
  createField(at, part) {
    const place = placeOf(at, part);
    return new JudgmentField({
      page: this,
      place,
      title: TITLES[part],
      subject: `${TITLES[part].toLowerCase()} of ${this.words[at]}`,
      proposal: part === "head" ? this.headProposal(at) : element("span", { class: "judgment__choice" }),
      proposalLabel: PROPOSALS[part],
      onChange: (change, label, key) => this.change(judgePart(this.state, at, part, change), label, key),
      onNext: () => this.goOn(place),
    });
  }

  /** @param {number} at */
  headProposal(at) {
    const place = placeOf(at, "head");
    return element("button", {
      type: "button",
      onclick: () => {
        const { proposal } = this.state.arguments[at].head;
        const head = Array.isArray(proposal) ? proposal : this.record.arguments[at].head;
        const onChange = (/** @type {number[]} */ words) =>
          this.change(
            judgePart(this.state, at, "head", { proposal: words }),
            t`proposing words for ${this.words[at]}`,
            place,
          );
        this.togglePicking({ place, head, onChange });
      },
    });
  }

  createBoard() {
    const { skip, verb, frame } = this.recordFields;
    const isSkipped = this.state.skip !== null;
    this.ref("skip-section").hidden = !isSkipped;
    for (const section of this.root.querySelectorAll("[data-record-section]")) {
      /** @type {HTMLElement} */ (section).hidden = isSkipped;
    }
    this.ref("skip-judgment").append(skip.box);
    this.ref("verb-judgment").append(verb.box);
    this.ref("frame").append(frame.box, this.relation, this.details);
    const cards = this.fields.map((fields, at) => {
      const verifyAll = element(
        "button",
        { type: "button", class: "quiet", onclick: () => this.verifyArgument(at) },
        t`Verify the whole argument`,
      );
      return element(
        "li",
        { class: "argument judged-argument" },
        element("div", { class: "argument__line" }, element("h3", {}, this.words[at]), verifyAll),
        ...fields.map(({ box }) => box),
      );
    });
    this.ref("arguments").append(...cards);
    this.ref("no-arguments").hidden = cards.length > 0;
  }

  // --- the contract of a work page

  content() {
    return this.state;
  }

  submission() {
    return submissionOf(this.state);
  }

  /** @returns {CaseProblem[]} */
  problems() {
    return [...problemsOf(this.state, this.record, this.tokens), ...this.unknownFrame()];
  }

  // A proposal that is no frame of the lexicon, as soon as its names are loaded.
  /** @returns {CaseProblem[]} */
  unknownFrame() {
    const { verdict, proposal } = this.state.frame;
    if (this.state.skip || verdict !== "disputed" || !proposal || !source.index) return [];
    if (source.index.entries.has(String(proposal))) return [];
    return [
      { place: "frame", message: t`There is no frame “${proposal}”. Choose one from the list, or leave it empty.` },
    ];
  }

  /** @param {string} path @param {string} message @returns {CaseProblem} */
  problemAt(path, message) {
    const match = /^arguments\[(\d+)\]\.(head|element|role)/.exec(path);
    const missing = this.state.missing[Number(/^missing\[(\d+)\]/.exec(path)?.[1] ?? NaN)];
    if (missing)
      return { place: `missing-${missing.key}`, message: `“${textOf(missing.head, this.tokens)}”: ${message}` };
    const part = /^(skip|verb)/.exec(path)?.[1] ?? "frame";
    if (!match) return { place: part, message: `${RECORD_TITLES[/** @type {RecordPart} */ (part)]}: ${message}` };
    const [at, field] = [Number(match[1]), /** @type {Part} */ (match[2])];
    return { place: placeOf(at, field), message: `${TITLES[field]} of ${this.words[at]}: ${message}` };
  }

  step() {
    return "verify";
  }

  units() {
    return this.record.arguments.length;
  }

  focus() {
    this.recordFields[this.state.skip ? "skip" : "verb"].focus();
  }

  /** @param {any} content */
  load(content) {
    this.restore(resume(content, this.record));
  }

  /** @param {any} content */
  describe(content) {
    const state = resume(content, this.record);
    const judged = partsOf(state).filter(({ judgment }) => judgment.verdict).length;
    return [t`${counted(judged, "part")} judged`, `${counted(countDisputed(state), "dispute")}`];
  }

  // --- moves

  /** @param {string} text  a frame, with blanks or as in files */
  proposeFrame(text) {
    const proposal = text.trim().replaceAll(/\s+/g, "_");
    this.change(judgeRecord(this.state, "frame", { proposal }), t`proposing a frame`);
    if (source.index?.entries.has(proposal)) source.request(proposal);
  }

  /** @param {number} at */
  verifyArgument(at) {
    const next = PARTS.reduce((state, part) => judgePart(state, at, part, { verdict: "verified" }), this.state);
    this.change(next, t`verifying ${this.words[at]}`);
    this.goOn(placeOf(at, "role"));
  }

  /** @param {number[]} head */
  addArgument(head) {
    const words = `“${textOf(head, this.tokens)}”`;
    const next = addMissing(this.state, head);
    this.change(next, t`adding the missing argument ${words}`);
    this.say(t`${words} was added as a missing argument. Choose its element or role.`);
    this.goTo(`missing-${next.missing.at(-1)?.key}`);
  }

  /**
   * Go to the next part that is not judged yet, else to the button that submits.
   *
   * @param {string} place
   */
  goOn(place) {
    const parts = partsOf(this.state);
    const at = parts.findIndex((part) => part.place === place);
    const following = [...parts.slice(at + 1), ...parts.slice(0, at)].find(({ judgment }) => !judgment.verdict);
    if (following) this.goTo(following.place);
    else this.focusEnd();
  }

  focusEnd() {
    const button = document.querySelector("[data-next]:not([hidden]), [data-submit]:not([hidden])");
    if (button instanceof HTMLElement) button.focus();
  }

  focusSentence() {
    this.sentence.focus();
    this.say(t`Click the word that is missing as an argument, or go to it and press Enter.`);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const isIgnored = ignoresKey(event, "input[type=text], textarea, select");
    if (event.key !== "m" || isIgnored || this.sentence.box.contains(/** @type {Node} */ (event.target))) return;
    this.focusSentence();
    event.preventDefault();
  }

  // --- rendering

  marked() {
    const asked = this.record.arguments.map(({ head, element: name, role }, at) => ({
      head: this.picking?.place === placeOf(at, "head") ? this.picking.head : head,
      label: t`argument ${[name, role].filter(Boolean).join(", ")}`,
      place: placeOf(at, "head"),
    }));
    const missing = this.state.missing.map(({ key, head }) => ({
      head,
      label: t`missing argument`,
      place: `missing-${key}`,
    }));
    return [...asked, ...missing];
  }

  renderParts() {
    this.renderSkip();
    this.renderVerb();
    this.renderFrame();
    this.renderArguments();
    this.renderMissing();
    const open = this.problems().length;
    const disputed = countDisputed(this.state);
    setText(
      this.ref("summary"),
      [open > 0 ? t`${open} to do` : t`All parts are judged`, disputed > 0 && counted(disputed, "dispute")]
        .filter(Boolean)
        .join(" · "),
    );
  }

  renderSkip() {
    if (!this.state.skip) return;
    const { skip } = this.record;
    const reason = this.data.shared.skips.find((/** @type {any} */ { key }) => key === skip)?.label ?? skip;
    this.recordFields.skip.update(this.state.skip, reason);
  }

  renderVerb() {
    const { proposal } = this.state.verb;
    const isOpen = this.picking?.place === "verb";
    const button = /** @type {HTMLButtonElement} */ (this.recordFields.verb.proposal);
    button.disabled = this.locked;
    button.setAttribute("aria-pressed", String(isOpen));
    const isChosen = Array.isArray(proposal) && proposal.length > 0;
    const text = isChosen ? t`Change “${textOf(proposal, this.tokens)}”` : t`Select the words of the verb`;
    setText(button, isOpen ? t`Done` : text);
    this.recordFields.verb.update(this.state.verb, textOf(this.record.verb, this.tokens));
  }

  renderFrame() {
    const { frame: name } = this.record;
    const { frame: judgment } = this.state;
    this.recordFields.frame.update(judgment, name);
    this.frameProposal.disabled = this.locked;
    if (document.activeElement !== this.frameProposal) this.frameProposal.value = String(judgment.proposal);
    const { proposal } = judgment;
    this.renderRelation(this.relation, judgment.verdict === "disputed" ? String(proposal) : "", [name]);
    const state = source.frames.get(name);
    const key = typeof state === "object" ? "loaded" : (state ?? "");
    if (key === this.detailsPainted) return;
    this.detailsPainted = key;
    this.details.hidden = !key;
    if (typeof state === "object") this.details.replaceChildren(...frameDetails(state));
    else if (state === "failed") this.details.replaceChildren(...retry(name));
  }

  renderArguments() {
    const frame = source.frame(this.record.frame);
    for (const [at, argument] of this.state.arguments.entries()) {
      const asked = this.record.arguments[at];
      const shown = judgedParts(argument);
      for (const [order, part] of PARTS.entries()) {
        const field = this.fields[at][order];
        field.box.hidden = !shown.includes(part);
        field.update(argument[part], this.valueOf(asked, part), this.aboutOf(asked, part, frame));
        if (part === "head") this.renderHeadProposal(at);
        else if (field.proposal) this.renderChoice(at, part, field.proposal);
      }
    }
  }

  /** @param {import("./case-types.js").Labels} asked @param {Part} part */
  valueOf(asked, part) {
    if (part === "head") return textOf(asked.head, this.tokens);
    return asked[part] || (part === "element" ? t`no element` : t`no role`);
  }

  /** @param {import("./case-types.js").Labels} asked @param {Part} part @param {import("./frame-types.js").Frame | null} frame */
  aboutOf(asked, part, frame) {
    if (part === "role")
      return [this.roles.find((/** @type {any} */ { name }) => name === asked.role)?.definition ?? ""].filter(Boolean);
    const known = part === "element" && frame?.elements.find(({ name }) => name === asked.element);
    return known && frame ? runsText(known.definition, frame.elements) : [];
  }

  /** @param {number} at */
  renderHeadProposal(at) {
    const { proposal } = this.state.arguments[at].head;
    const button = /** @type {HTMLButtonElement} */ (this.fields[at][0].proposal);
    const isOpen = this.picking?.place === placeOf(at, "head");
    button.disabled = this.locked;
    button.setAttribute("aria-pressed", String(isOpen));
    const isChosen = Array.isArray(proposal) && proposal.length > 0;
    const text = isChosen ? t`Change “${textOf(proposal, this.tokens)}”` : `Select other words for ${this.words[at]}`;
    setText(button, isOpen ? t`Done` : text);
  }

  // A list of names, made again when the frame or the choice changes.
  /** @param {number} at @param {"element" | "role"} part @param {HTMLElement} box */
  renderChoice(at, part, box) {
    const value = String(this.state.arguments[at][part].proposal);
    const frame = this.frameForProposals();
    const asked = this.record.arguments[at];
    const likely = part === "role" ? this.likelyRoles(asked, frame?.name ?? "") : [];
    const key = JSON.stringify([part, value, frame?.name, likely, this.locked]);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    const onChoose = (/** @type {string} */ proposal) =>
      this.change(
        judgePart(this.state, at, part, { proposal }),
        proposal ? t`proposing ${proposal} for ${this.words[at]}` : t`proposing none for ${this.words[at]}`,
      );
    const none = t`No proposal`;
    const select =
      part === "element"
        ? elementSelect({ frame, value, coreOnly: this.coreOnly, none, onChoose })
        : roleSelect({ roles: this.roles, likely, value, none, onChoose });
    this.putIn(box, select);
  }

  // The label names the list, whose focus survives that it is made again.
  /** @param {HTMLElement} box @param {HTMLSelectElement} select */
  putIn(box, select) {
    const hadFocus = box.contains(document.activeElement);
    select.disabled = this.locked;
    const label = box.previousElementSibling;
    select.id = `${box.id}-list`;
    if (label instanceof HTMLLabelElement) label.htmlFor = select.id;
    box.replaceChildren(select);
    if (hadFocus) select.focus();
  }

  // The frame whose elements are offered: the verifier's own, if there is one.
  frameForProposals() {
    const { verdict, proposal } = this.state.frame;
    const own = verdict === "disputed" ? source.frame(String(proposal)) : null;
    return own ?? source.frame(this.record.frame);
  }

  renderMissing() {
    const list = this.ref("missing");
    const frame = this.frameForProposals();
    const key = JSON.stringify([this.state.missing, frame?.name, this.locked]);
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.id : "";
    list.replaceChildren(...this.state.missing.map((argument) => this.missingCard(argument, frame)));
    const again = focused && list.querySelector(`#${CSS.escape(focused)}`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {import("./case-types.js").KeyedLabels} argument @param {import("./frame-types.js").Frame | null} frame */
  missingCard({ key, head, element: name, role }, frame) {
    const words = `“${textOf(head, this.tokens)}”`;
    const id = this.idOf(`missing-${key}`);
    const none = t`none`;
    const choose = (/** @type {"element" | "role"} */ part) => (/** @type {string} */ value) =>
      this.change(changeMissing(this.state, key, { [part]: value }), t`the ${part} ${value || none} for ${words}`);
    const elements = elementSelect({
      frame,
      value: name,
      coreOnly: this.coreOnly,
      none: t`No element`,
      onChoose: choose("element"),
    });
    const likely = this.likelyRoles({ head, element: name }, frame?.name ?? "");
    const roles = roleSelect({ roles: this.roles, likely, value: role, none: t`No role`, onChoose: choose("role") });
    elements.id = `${id}-element`;
    roles.id = `${id}-role`;
    const remove = element(
      "button",
      { type: "button", class: "quiet", onclick: () => this.removeMissing(key, words) },
      t`Remove ${words}`,
    );
    for (const control of [elements, roles, remove]) control.disabled = this.locked;
    return element(
      "li",
      { class: "argument judged-argument" },
      element(
        "fieldset",
        { class: "judgment", id },
        element("legend", {}, t`Missing argument: `, element("strong", {}, words)),
        element("p", { class: "field" }, element("label", { for: elements.id }, t`Frame element`), elements),
        element("p", { class: "field" }, element("label", { for: roles.id }, t`Generic role`), roles),
        remove,
      ),
    );
  }

  /** @param {number} key @param {string} words */
  removeMissing(key, words) {
    this.change(removeMissing(this.state, key), t`removing ${words}`);
    this.ref("add-missing").focus();
  }
}
