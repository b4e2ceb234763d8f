// What a form's answers are: which fields are shown, what is submitted, and what is wrong.

/** @import { Answers, Condition, Definition, Field, Option, Problem, State } from "./custom-types.js" */

import { counted, t } from "../../html.js";
import { sortedParts, textsOfQuestions } from "./parts.js";

/** @type {typeof import("./patterns.js").matches | null} */
let matches = null;

/**
 * Load what checks patterns, if a field has one.
 *
 * @param {Field[]} fields
 */
export async function loadPatterns(fields) {
  if (/"pattern":"[^"]/.test(JSON.stringify(fields))) ({ matches } = await import("./patterns.js"));
}

export const PARTS = ["spans", "relations", "questions", "boxes"];
/** @type {Record<string, [string, string]>} */
const NOUNS = {
  spans: ["span", "spans"],
  relations: ["relation", "relations"],
  questions: ["question", "questions"],
  boxes: ["box", "boxes"],
};

/** @type {Record<string, string>} */
const VERBS = { spans: "mark", relations: "add", questions: "write", fixed: "answer", boxes: "draw" };

/**
 * Return the options that can be chosen, which are the leaves of the groups.
 *
 * @param {Option[]} options
 * @returns {Option[]}
 */
export function leavesOf(options) {
  return options.flatMap((option) => (option.options?.length ? leavesOf(option.options) : [option]));
}

/**
 * Return an option by its key, inside groups too.
 *
 * @param {Option[]} options
 * @param {string} key
 */
export function optionOf(options, key) {
  return leavesOf(options).find((option) => option.key === key);
}

/** @param {Field} field */
export function nounOf({ type }) {
  return NOUNS[type];
}

/** @param {Field} field @param {any} value */
export function isAnswered({ type }, value) {
  if (value === undefined || value === null) return false;
  if (type === "questions") return value.some(isFilled);
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== "string" || value.trim() !== "";
}

/** @param {{question: string, answers: any[], none?: boolean}} question */
function isFilled({ question, answers, none }) {
  return question.trim() !== "" && (answers.length > 0 || Boolean(none));
}

/**
 * Return the fields whose conditions are met. A field that is not shown has no answer. Relations need the
 * field of their spans, and boxes a picture.
 *
 * @param {Definition} definition
 * @param {Answers} answers
 */
export function shownFields({ fields, hasPicture = true }, answers) {
  /** @type {Map<string, boolean>} */
  const known = new Map();
  const byKey = new Map(fields.map((field) => [field.key, field]));
  /** @param {string} key */
  const isShown = (key) => {
    const field = byKey.get(key);
    if (!field) return false;
    if (!known.has(key)) {
      known.set(key, false);
      const isPossible = field.type === "relations" ? isShown(field.spans ?? "") : hasPicture || field.type !== "boxes";
      known.set(key, isPossible && (!field.show_if || isMet(field.show_if)));
    }
    return known.get(key) ?? false;
  };
  /** @param {Condition} condition */
  const isMet = ({ field: key, is }) => {
    const value = answers[key];
    const field = byKey.get(key);
    if (!field || !isShown(key) || !isAnswered(field, value)) return false;
    if (!is?.length) return true;
    return is.some((expected) => (Array.isArray(value) ? value.includes(expected) : value === expected));
  };
  return fields.filter(({ key }) => isShown(key));
}

/**
 * Return the content to submit, as the server's parser returns it.
 *
 * @param {Definition} definition
 * @param {State} state
 * @returns {{skipped?: string, answers: Answers}}
 */
export function submissionOf(definition, { answers, skipped }) {
  if (skipped !== null) return { skipped: cleaned(skipped), answers: {} };
  const answered = shownFields(definition, answers).filter((field) => isAnswered(field, answers[field.key]));
  return { answers: Object.fromEntries(answered.map((field) => [field.key, submitted(field, answers[field.key])])) };
}

/**
 * Return a text with single blanks.
 *
 * @param {string} text
 */
export function cleaned(text) {
  return text.trim().replace(/\s+/g, " ").normalize("NFC");
}

/**
 * Return a text as the server stores it.
 *
 * @param {Field} field
 * @param {string} text
 */
function writtenText({ lines = 1 }, text) {
  return lines > 1
    ? text
        .split(/\r\n|\r|\n/)
        .map(cleaned)
        .join("\n")
        .trim()
    : cleaned(text);
}

/** @param {Field} field @param {any} value */
function submitted(field, value) {
  if (field.type === "text") return writtenText(field, value);
  if (field.type === "number") return numberOf(value) ?? value;
  if (field.type === "choices")
    return leavesOf(field.options ?? []).flatMap(({ key }) => (value.includes(key) ? key : []));
  if (field.type === "questions") return textsOfQuestions(value.filter(isFilled));
  if (field.type === "spans" && field.attributes?.length) {
    const { attributes: fields } = field;
    return value.map((/** @type {any} */ span) => ({
      ...span,
      attributes: attributesOf(fields, span.attributes ?? {}),
    }));
  }
  return sortedParts(field, value);
}

/** @param {Field[]} fields @param {Answers} values */
function attributesOf(fields, values) {
  const answered = fields.filter((field) => isAnswered(field, values[field.key]));
  return Object.fromEntries(answered.map((field) => [field.key, submitted(field, values[field.key])]));
}

/**
 * Return the number that was written, or null.
 *
 * @param {unknown} value
 */
export function numberOf(value) {
  const text = String(value ?? "").trim();
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

/**
 * Count what is paid: the parts of the definition's unit, or the answered fields.
 *
 * @param {Definition} definition
 * @param {State} state
 */
export function countUnits(definition, state) {
  const { answers } = submissionOf(definition, state);
  const { unit } = definition;
  return unit ? (answers[unit]?.length ?? 0) : Object.keys(answers).length;
}

/**
 * Return what prevents a submission.
 *
 * @param {Definition} definition
 * @param {State} state
 * @returns {Problem[]}
 */
export function problemsOf(definition, { answers, skipped }) {
  if (skipped !== null) return skipped.trim() ? [] : [{ path: "skipped", message: t`Write why you skip it.` }];
  return shownFields(definition, answers).flatMap((field) => fieldProblems(field, answers, `answers.${field.key}`));
}

/** @param {Field} field @param {Answers} answers @param {string} path @returns {Problem[]} */
function fieldProblems(field, answers, path) {
  const value = answers[field.key];
  const name = field.label || field.key;
  /** @param {string} message @param {string} [below] @returns {Problem} */
  const problem = (message, below = "") => ({ path: path + below, message: `${name}: ${message}` });
  if (PARTS.includes(field.type)) return partsProblems(field, answers, problem);
  if (!isAnswered(field, value)) return field.required === false ? [] : [problem(missing(field))];
  const message = valueProblem(field, value);
  return message ? [problem(message)] : [];
}

/** @param {Field} field */
function missing({ type, min }) {
  if (type === "text") return t`write an answer.`;
  if (type === "number") return t`enter a number.`;
  if (type === "choices") return t`choose at least ${counted(Math.max(min ?? 1, 1), "option")}.`;
  return t`choose an answer.`;
}

/** @param {Field} field @param {any} value */
function valueProblem(field, value) {
  if (field.type === "choices") {
    if (value.length < (field.min ?? 0)) return t`choose at least ${counted(field.min ?? 0, "option")}.`;
    if (value.length > (field.max ?? Infinity)) return t`choose at most ${counted(field.max ?? 0, "option")}.`;
  }
  if (field.type === "text") return textProblem(field, writtenText(field, value));
  if (field.type === "number") return numberProblem(field, numberOf(value));
  return "";
}

/** @param {Field} field @param {string} text */
function textProblem({ max_length: most = Infinity, pattern }, text) {
  const length = [...text].length;
  if (length > most) return t`${counted(length, "character")}, and at most ${most} are allowed.`;
  if (pattern && matches?.(pattern, text) === false) return t`this doesn't have the required form.`;
  return "";
}

/** @param {Field} field @param {number | null} number */
function numberProblem({ min, max, integer }, number) {
  if (number === null) return t`enter a number, such as 12 or 0.5.`;
  if (integer && !Number.isInteger(number)) return t`enter a whole number.`;
  if (min !== null && min !== undefined && number < min) return t`enter at least ${min}.`;
  if (max !== null && max !== undefined && number > max) return t`enter at most ${max}.`;
  return "";
}

/**
 * @param {Field} field
 * @param {Answers} answers
 * @param {(message: string, below?: string) => Problem} problem
 * @returns {Problem[]}
 */
function partsProblems(field, answers, problem) {
  const parts = answers[field.key] ?? [];
  const [one, many] = nounOf(field);
  const filled = field.type === "questions" ? parts.filter(isFilled) : parts;
  const least = Math.max(field.min ?? 0, 1);
  const isTooFew = filled.length > 0 ? filled.length < least : field.required;
  const problems = [];
  const verb = VERBS[field.type === "questions" && field.question !== "free" ? "fixed" : field.type];
  if (isTooFew) problems.push(problem(t`${verb} at least ${counted(least, one, many)}.`));
  if (filled.length > (field.max ?? Infinity)) {
    problems.push(problem(t`at most ${counted(field.max ?? 0, one, many)} can be submitted.`));
  }
  return [
    ...problems,
    ...parts.flatMap((/** @type {any} */ part, /** @type {number} */ at) => {
      if (field.type === "spans") return spanProblems(field, part, at, problem);
      if (field.type === "relations") return relationProblems(field, answers, part, at, problem);
      if (field.type === "questions") return questionProblems(field, parts, at, problem);
      return [];
    }),
  ];
}

/**
 * @param {Field} field
 * @param {import("./custom-types.js").Span} span
 * @param {number} at
 * @param {(message: string, below?: string) => Problem} problem
 */
function spanProblems({ attributes = [] }, span, at, problem) {
  return attributes.flatMap((attribute) =>
    fieldProblems(attribute, span.attributes ?? {}, "").map(({ message }) =>
      problem(t`span ${at + 1}, ${message}`, `.${at}.attributes.${attribute.key}`),
    ),
  );
}

/**
 * @param {Field} field
 * @param {Answers} answers
 * @param {import("./custom-types.js").Relation} relation
 * @param {number} at
 * @param {(message: string, below?: string) => Problem} problem
 */
function relationProblems({ labels = [], spans = "" }, answers, { label, from, to }, at, problem) {
  const allowed = labels.find(({ key }) => key === label);
  const [start, end] = [answers[spans]?.[from]?.label, answers[spans]?.[to]?.label];
  const side = !fits(allowed?.from, start) ? "from" : !fits(allowed?.to, end) ? "to" : "";
  return side ? [problem(t`relation ${at + 1} can't join spans with these labels.`, `.${at}.${side}`)] : [];
}

/**
 * Return true if a label of relations can join spans with these labels.
 *
 * @param {Option} label
 * @param {string} from
 * @param {string} to
 */
export function joins(label, from, to) {
  return fits(label.from, from) && fits(label.to, to);
}

/** @param {string[] | undefined} allowed @param {string} label */
function fits(allowed, label) {
  return !allowed?.length || allowed.includes(label);
}

/** @param {string} question */
function folded(question) {
  return cleaned(question).normalize("NFKC").toLowerCase();
}

/**
 * Return stored answers with a mark at questions that the text does not answer.
 *
 * @param {Definition} definition
 * @param {Answers} answers
 * @returns {Answers}
 */
export function withNone({ fields }, answers) {
  const marked = { ...answers };
  for (const { key, answers: limits } of fields.filter(({ type }) => type === "questions")) {
    if (!limits?.allow_none || !marked[key]) continue;
    marked[key] = marked[key].map((/** @type {any} */ each) =>
      each.answers.length > 0 ? each : { ...each, none: true },
    );
  }
  return marked;
}

/**
 * @param {Field} field
 * @param {import("./custom-types.js").Question[]} questions
 * @param {number} at
 * @param {(message: string, below?: string) => Problem} problem
 */
function questionProblems({ answers: limits, question: kind }, questions, at, problem) {
  const { question, answers, none } = questions[at];
  const text = folded(question);
  if (!text) return answers.length > 0 ? [problem(t`question ${at + 1} has no text.`, `.${at}.question`)] : [];
  if (questions.slice(0, at).some((other) => folded(other.question) === text)) {
    return [problem(t`question ${at + 1} is written twice.`, `.${at}.question`)];
  }
  if (none) return [];
  const { min = 1, max = 3 } = limits ?? {};
  const isOpen = answers.length === 0 && kind !== "free";
  if (answers.length < min && !isOpen) {
    return [problem(t`question ${at + 1} needs at least ${counted(min, "answer")}.`, `.${at}.answers`)];
  }
  if (answers.length > max) {
    return [problem(t`question ${at + 1} can have at most ${counted(max, "answer")}.`, `.${at}.answers`)];
  }
  return [];
}
