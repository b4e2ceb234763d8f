// Elements built from plain values. Text is always text: nothing here parses markup.

// The texts of the interface's language, by the English one. There are none in English.
/** @type {Record<string, any>} */
const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");

/**
 * Return a text in the interface's language: t`Part ${number}`.
 *
 * @param {readonly string[]} parts
 * @param {...unknown} values
 */
export function t(parts, ...values) {
  const text = parts.reduce((all, part, at) => `${all}{${at - 1}}${part}`);
  return (texts[text] ?? text).replace(/{(\d)}/g, (/** @type {string} */ _, /** @type {number} */ at) => values[at]);
}

/**
 * Create an element. Attributes named `on...` are listeners, `true` sets an empty attribute, and
 * `false` or `null` sets none.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean | null | ((event: any) => void)>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(attribute.slice(2), value);
    else if (value === true) created.setAttribute(attribute, "");
    else if (value !== false && value !== null) created.setAttribute(attribute, String(value));
  }
  created.append(...children);
  return created;
}

/** Return the attributes of an element with a text of the corpus, whose language is not the page's. */
export function corpusText() {
  const { language = null, direction = "auto" } = document.body.dataset;
  return { lang: language, dir: direction };
}

/**
 * Return the element marked `data-<name>`.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} name
 * @param {abstract new () => T} [kind]
 */
export function ref(root, name, kind) {
  const target = root.querySelector(`[data-${name}]`);
  if (!(target instanceof (kind ?? HTMLElement))) throw new Error(`No element for data-${name}.`);
  return /** @type {T} */ (/** @type {unknown} */ (target));
}

/**
 * Set text only where it changed: screen readers read a live region again at every write.
 *
 * @param {Element} target
 * @param {string} text
 */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * Return true if a key event goes to a control that takes text or a choice.
 *
 * @param {Event} event
 * @param {string} [fields]
 */
export function isTyping(event, fields = "input, select, textarea") {
  return event.target instanceof Element && event.target.matches(fields);
}

const CHANGES_DIRECTION = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/**
 * Put the text in quotation marks, isolated if it could change the direction of what follows.
 *
 * @param {string} text
 */
export function quoted(text) {
  return CHANGES_DIRECTION.test(text) ? `“\u2068${text}\u2069”` : `“${text}”`;
}

/** @param {number} count @param {string} singular */
export function counted(count, singular, plural = `${singular}s`) {
  // The place of each number's plural form, up to 199.
  const at = texts[""]?.[count < 100 ? count : 100 + (count % 100)] ?? Number(count !== 1);
  return `${count} ${(texts[singular] ?? [singular, plural])[at]}`;
}

/** @param {string} text */
export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
