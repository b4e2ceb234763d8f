// The consolidation page: the questions of several annotators about one verb become one set.

/** @import { Mount } from "../../work/contract.js" */
/** @import { CaseState, Source } from "./case-types.js" */
/** @import { Row } from "./consolidation-text.js" */

import { corpusText, counted, element, quoted, ref, setText, t } from "../../html.js";
import { spansText } from "../../written-text.js";
import { CasePage } from "./case-page.js";
import { apply, begin, conflicts, contentOf, kept, problems, resume, sourceId } from "./case-state.js";
import { ConsolidationBoard } from "./consolidation-cards.js";
import * as text from "./consolidation-text.js";
import { Walker } from "./grammar.js";
import { isNoun } from "./predicate.js";
import { createSuggester } from "./suggestions.js";
import { VerbalStep } from "./verbal-step.js";

const MAX_SUGGESTED = 4;

/** @type {Mount} */
export function mount(root, data, onChange) {
  const { tokens } = data;
  /** @type {Source[]} */
  const sources = data.sources;
  /** @type {Row[][]} */
  const groups = data.layout.groups.map((/** @type {{rows: Row[]}} */ group) => group.rows);
  const walker = new Walker(data.shared.automaton, data.data.item);
  const suggester = createSuggester(walker, data);
  const asksImplied = Boolean(data.data.asksImplied);
  const order = groups.flat().map((row) => sourceId(row.submission, row.position));
  const beginning = begin({ sources, size: tokens.length, order, isNoun: isNoun(data.target), asksImplied });
  const settle = ref(root, "settle-agreed");
  const settleLabel = settle.querySelector("span") ?? settle;
  /** @type {ConsolidationBoard} */
  let board;

  // Suggest questions that are not kept yet.
  /** @param {string} typed */
  function suggest(typed) {
    const asked = kept(work.state).map(({ question }) => question);
    return suggester.suggest(typed, asked, MAX_SUGGESTED).map(({ question }) => question);
  }

  /** @param {CaseState} state */
  function show(state) {
    showResult(root, state, tokens);
    const count = board.agreedAndOpen().length;
    verbalStep.update(state.isVerbal ?? null, board.locked);
    settle.hidden = count === 0 || board.locked;
    setText(
      settleLabel,
      count === 1 ? t`Accept the role that all agree on` : t`Accept the ${count} roles that all agree on`,
    );
  }

  ref(root, "board").classList.toggle("board--many", sources.length !== 2);
  settle.addEventListener("click", () => board.settleAgreed());
  showReasons(root, sources);
  const verbalStep = new VerbalStep(root, {
    target: data.target,
    tokens,
    onChoose: (isVerbal) => work.act({ type: "verbal", isVerbal }),
  });

  const work = new CasePage(root, data, onChange, {
    beginning,
    resume: (content) => resume(content, beginning),
    contentOf: (state) => contentOf(state, sources),
    apply,
    problems: (state) => problems(state, text.keyOf),
    text,
    createBoard(box, calls) {
      const freeForm = data.freeForm ?? true;
      const start = { state: beginning, groups, sources, tokens, walker, suggest, freeForm, calls };
      board = new ConsolidationBoard(box, start);
      return board;
    },
    settled: t`Everything is decided.`,
    show,
    goTo({ kind }) {
      const isAboutNoun = kind === "verbal-undecided" || kind === "not-verbal";
      if (isAboutNoun) verbalStep.focus();
      return isAboutNoun;
    },
  });
  return work;
}

/** @param {HTMLElement} root @param {CaseState} state @param {string[]} tokens */
function showResult(root, state, tokens) {
  const questions = kept(state);
  const inConflict = new Set([...conflicts(state).values()].flat());
  const answers = questions.reduce((sum, question) => sum + question.answers.length, 0);
  setText(ref(root, "summary"), `${counted(questions.length, "question")}, ${counted(answers, "answer")}`);
  const rows = questions.map((question) => {
    const outside = question.contextAnswers?.map((answer) => t`${answer} (in context)`) ?? [];
    const inside = question.answers.length > 0 ? [spansText(tokens, question.answers)] : [];
    const said = [...inside, ...outside].join(" | ") || t`no answer yet`;
    const row = element(
      "li",
      { "data-id": question.id },
      element("span", { class: "outcome__question" }, question.question || t`(no text)`),
      " ",
      element("span", { class: "outcome__answers", ...corpusText() }, said),
    );
    if (inConflict.has(question.id))
      row.append(" ", element("span", { class: "conflict-word" }, t`overlapping answers`));
    return row;
  });
  if (rows.length === 0) rows.push(element("li", { class: "quiet" }, t`No questions kept yet.`));
  ref(root, "preview").replaceChildren(...rows);
}

/**
 * Show why annotators asked nothing.
 *
 * @param {HTMLElement} root
 * @param {Source[]} sources
 */
function showReasons(root, sources) {
  const reasons = sources.flatMap(({ questions, no_question: reason, is_verbal: isVerbal }, position) => {
    if (questions.length > 0) return [];
    const who = text.letter(position);
    if (isVerbal === false) return [t`${who}: the noun doesn't describe an action or event.`];
    return [reason ? t`${who} asked no questions: ${quoted(reason)}` : t`${who} asked no questions.`];
  });
  const box = ref(root, "reasons");
  box.hidden = reasons.length === 0;
  box.replaceChildren(...reasons.map((reason) => element("p", { dir: "auto" }, reason)));
}
