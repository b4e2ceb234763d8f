// The second step: the frame is chosen from suggestions or by a search over all frames.

/** @import { RecordState } from "./frame-types.js" */
/** @import { Entry } from "./lexicon.js" */
/** @import { RecordPage } from "./record-page.js" */

import { counted, element, ref, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { disputeNotes } from "./dispute-notes.js";
import { source } from "./frame-source.js";
import { frameDetails, retry } from "./frame-text.js";
import { combined, headLemma, lemmaOf, textOf } from "./record.js";

const MAX_SHOWN = 20;
const KEYS = "123456789";

/** @typedef {{entry: Entry, reason: string}} Offer */

export class FrameStep {
  /** @param {RecordPage} page */
  constructor(page) {
    this.page = page;
    this.search = ref(page.root, "search", HTMLInputElement);
    this.list = ref(page.root, "frames");
    // Has the focus while the frames are loading, and the first of them afterwards.
    this.status = ref(page.root, "frames-state");
    this.status.tabIndex = -1;
    /** @type {Map<string, FrameRow>} */
    this.rows = new Map();
    this.painted = "";
    this.search.addEventListener("input", () => this.render(page.state));
    this.search.addEventListener("keydown", (event) => this.searchKey(event));
    this.list.addEventListener("keydown", (event) => this.listKey(event));
    ref(page.root, "no-frame").addEventListener("click", () => page.skip("no-frame"));
    ref(page.root, "load-again").addEventListener("click", () => source.load());
    const onTake = (/** @type {string} */ name) => page.chooseFrame(name);
    ref(page.root, "frame-disputes").append(
      ...disputeNotes(page.disputes.verb ?? [], {
        subject: t`the words of the verb`,
        textOf: (words) => (words.length > 0 ? `“${textOf(words, page.facts.tokens)}”` : ""),
        onTake: (words) => page.takeVerb(words),
      }),
      ...disputeNotes(page.disputes.frame ?? [], {
        subject: t`the frame`,
        textOf: String,
        onTake,
      }),
    );
  }

  focus() {
    const { locked, state } = this.page;
    const target = this.list.querySelector("input:checked") ?? this.list.querySelector("input");
    if (target instanceof HTMLElement && !locked) target.focus();
    else if (!state.skip) (this.isLoading() ? this.status : this.search).focus();
  }

  isLoading() {
    return source.state === "loading" || this.isWaiting();
  }

  // --- rendering

  /** @param {RecordState} state */
  render(state) {
    const { facts, locked, root } = this.page;
    setText(ref(root, "lemma"), lemmaOf(state.verb, facts));
    this.search.disabled = locked;
    ref(root, "no-frame", HTMLButtonElement).disabled = locked;
    const hadFocus = document.activeElement === this.status;
    const query = this.search.value.trim();
    const offers = query ? this.results(query) : this.suggestions(state);
    this.showState(query, offers.length);
    this.paint(offers.slice(0, MAX_SHOWN), state.frame, query === "");
    if (hadFocus && !this.isLoading()) this.focus();
  }

  /** @param {string} query @returns {Offer[]} */
  results(query) {
    return (source.index?.search(query) ?? []).map((entry) => ({ entry, reason: "" }));
  }

  // Nothing is suggested before all counts have arrived, so that the list stays as it is.
  /** @param {RecordState} state @returns {Offer[]} */
  suggestions(state) {
    const { facts } = this.page;
    if (!source.index || this.isWaiting()) return [];
    const verb = {
      lemma: lemmaOf(state.verb, facts),
      head: headLemma(facts),
      nouns: facts.nouns,
      words: new Set([...facts.lemmas, ...facts.tokens.map((token) => token.toLowerCase())]),
    };
    const reference = source.index.chosenFor(new Set([verb.lemma, verb.head]));
    const offers = source.index.suggest(verb, combined([...this.page.precedents(), ...reference]));
    const chosen = source.index.entries.get(state.frame);
    if (chosen && !offers.some(({ entry }) => entry === chosen)) offers.unshift({ entry: chosen, reason: "" });
    return offers;
  }

  isWaiting() {
    return [...this.page.lemmas()].some((lemma) => source.pending.has(lemma));
  }

  /** @param {string} query @param {number} count */
  showState(query, count) {
    const texts = {
      loading: t`Loading the frames …`,
      failed: t`The frames couldn't be loaded.`,
      loaded: query ? foundText(count) : count === 0 ? t`No suggestions for this verb. Search all frames.` : "",
    };
    const state = !query && source.state === "loaded" && this.isWaiting() ? "loading" : source.state;
    setText(this.status, texts[state]);
    ref(this.page.root, "load-again").hidden = source.state !== "failed";
    setText(ref(this.page.root, "frames-title"), query ? t`Matching frames` : t`Suggested frames`);
  }

  /** @param {Offer[]} offers @param {string} chosen @param {boolean} areSuggested */
  paint(offers, chosen, areSuggested) {
    const rows = offers.map(({ entry, reason }) => this.row(entry).update(reason, chosen, this.page.locked));
    const key = `${areSuggested} ${offers.map(({ entry }) => entry.name).join(" ")}`;
    if (key === this.painted) return;
    this.painted = key;
    const names = offers.map(({ entry }) => entry.name);
    for (const [at, row] of rows.entries()) {
      const relation = areSuggested ? source.index?.relations.describe(row.name, names.slice(0, at)) : "";
      row.place(KEYS[at] ?? "", relation ?? "");
    }
    const focused = document.activeElement;
    this.list.replaceChildren(...rows.map((row) => row.box));
    // Rows that move lose the focus.
    if (focused instanceof HTMLElement && this.list.contains(focused)) focused.focus();
  }

  /** @param {Entry} entry */
  row(entry) {
    const row = this.rows.get(entry.name) ?? new FrameRow(entry, this.page);
    this.rows.set(entry.name, row);
    return row;
  }

  // --- keys

  /** @param {KeyboardEvent} event */
  searchKey(event) {
    const [first] = this.list.querySelectorAll("input");
    if (event.key === "ArrowDown") first?.focus();
    else if (event.key === "Escape" && this.search.value) this.clear();
    else if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return;
    else first?.focus();
    event.preventDefault();
  }

  clear() {
    this.search.value = "";
    this.render(this.page.state);
  }

  // Arrow keys only move the focus, so that reading on does not choose.
  /** @param {KeyboardEvent} event */
  listKey(event) {
    if (!(event.target instanceof HTMLInputElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const radios = [...this.list.querySelectorAll("input")];
    const at = radios.indexOf(event.target);
    const { key, shiftKey } = event;
    if (key === "ArrowDown" || key === "ArrowUp") this.move(radios, at + (key === "ArrowDown" ? 1 : -1));
    else if (key === "ArrowRight" || key === "ArrowLeft") this.rows.get(event.target.value)?.show(key === "ArrowRight");
    else if (key === "Enter" && !shiftKey) this.take(event.target);
    else if (KEYS.includes(key) && !ignoresKey(event, "select")) this.pick(radios[KEYS.indexOf(key)]);
    else return;
    event.preventDefault();
  }

  /** @param {HTMLInputElement[]} radios @param {number} at */
  move(radios, at) {
    if (at < 0) this.search.focus();
    else radios[at]?.focus();
  }

  /** @param {HTMLInputElement | undefined} radio */
  pick(radio) {
    radio?.focus();
    if (radio && !radio.checked) radio.click();
  }

  // Enter chooses, and once more goes on.
  /** @param {HTMLInputElement} radio */
  take(radio) {
    if (radio.checked) this.page.goOn();
    else radio.click();
  }
}

/** @param {number} count */
function foundText(count) {
  const shown = count > MAX_SHOWN ? t`, the best ${MAX_SHOWN} are shown` : "";
  return count === 0 ? t`No frames match. Try other words.` : t`${counted(count, "frame")} found${shown}.`;
}

let rowCount = 0;

class FrameRow {
  /** @param {Entry} entry @param {RecordPage} page */
  constructor({ name, definition, core }, page) {
    rowCount += 1;
    this.name = name;
    this.page = page;
    const id = `frame-${rowCount}`;
    const onchange = () => page.chooseFrame(name);
    const attributes = { type: "radio", name: "frame", value: name, "aria-describedby": `${id}-about`, onchange };
    this.radio = element("input", attributes);
    this.reason = element("span", { class: "frame-row__reason" });
    this.relation = element("span", { class: "frame-row__relation" });
    this.key = element("span");
    this.button = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-expanded": "false",
        "aria-controls": `${id}-details`,
        onclick: () => this.toggle(),
      },
      t`Details`,
      element("span", { class: "visually-hidden" }, t` of ${name}`),
    );
    this.details = element("div", { class: "frame-row__details", id: `${id}-details`, hidden: true });
    this.painted = "";
    this.box = element(
      "div",
      { class: "frame-row" },
      element(
        "label",
        { class: "frame-row__choice" },
        this.radio,
        this.key,
        element("span", { class: "frame-row__name" }, name),
      ),
      this.button,
      element(
        "p",
        { class: "frame-row__about", id: `${id}-about` },
        element("span", { class: "frame-row__core" }, core.join(", ")),
        this.reason,
        this.relation,
        element("span", { class: "frame-row__definition" }, definition),
      ),
      this.details,
    );
  }

  /** @param {string} reason @param {string} chosen @param {boolean} locked */
  update(reason, chosen, locked) {
    setText(this.reason, reason);
    this.radio.checked = this.name === chosen;
    this.radio.disabled = locked;
    this.box.classList.toggle("frame-row--chosen", this.radio.checked);
    if (!this.details.hidden) this.fill();
    return this;
  }

  /** @param {string} key @param {string} relation  to a frame above */
  place(key, relation) {
    this.key.replaceChildren(...(key ? [keyHint(key)] : []));
    if (key) this.radio.setAttribute("aria-keyshortcuts", key);
    else this.radio.removeAttribute("aria-keyshortcuts");
    setText(this.relation, relation);
  }

  toggle() {
    this.show(this.details.hidden === true);
  }

  /** @param {boolean} isOpen */
  show(isOpen) {
    if (isOpen !== this.details.hidden) return;
    this.details.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    source.request(this.name, { again: true });
    this.fill();
    this.page.pass(t`reading about ${this.name}`);
  }

  fill() {
    const frame = source.frames.get(this.name) ?? "loading";
    const state = typeof frame === "object" ? "loaded" : frame;
    if (state === this.painted) return;
    this.painted = state;
    if (typeof frame === "object") this.details.replaceChildren(...frameDetails(frame));
    else if (frame === "loading") this.details.replaceChildren(element("p", { role: "status" }, t`Loading …`));
    else this.details.replaceChildren(...retry(this.name));
  }
}
