// The choice of a frame element or of a generic role from a list.

/** @import { Frame } from "./frame-types.js" */

import { element, t } from "../../html.js";
import { isCore } from "./record.js";

/**
 * Return a list of the frame's elements. The present one is in it, whatever the frame.
 *
 * @param {object} options
 * @param {Frame | null} options.frame
 * @param {string} options.value
 * @param {boolean} options.coreOnly
 * @param {string} options.none  the text of the empty choice
 * @param {(value: string) => void} options.onChoose
 */
export function elementSelect({ frame, value, coreOnly, none, onChoose }) {
  const elements = frame?.elements ?? [];
  const core = elements.filter(isCore).map(({ name }) => name);
  const others = coreOnly ? [] : elements.filter((frameElement) => !isCore(frameElement)).map(({ name }) => name);
  const groups = [group(t`Core elements`, core), group(t`Optional elements`, others)].filter(Boolean);
  return select({ groups, known: [...core, ...others], value, none, onChoose });
}

/**
 * Return a list of the project's roles, the likely ones first. A letter jumps to a role in it.
 *
 * @param {object} options
 * @param {{name: string}[]} options.roles
 * @param {string[]} [options.likely]
 * @param {string} options.value
 * @param {string} options.none  the text of the empty choice
 * @param {(value: string) => void} options.onChoose
 */
export function roleSelect({ roles, likely = [], value, none, onChoose }) {
  const groups = roleGroups({ roles, likely, value });
  return select({ groups, known: [...roles.map(({ name }) => name), value], value, none, onChoose });
}

/**
 * Return the roles as options of a list, the likely ones first. The present one is in it.
 *
 * @param {object} options
 * @param {{name: string}[]} options.roles
 * @param {string[]} options.likely
 * @param {string} options.value
 */
export function roleGroups({ roles, likely, value }) {
  const names = roles.map(({ name }) => name).filter((name) => !likely.includes(name));
  if (value && !names.includes(value) && !likely.includes(value)) names.push(value);
  if (likely.length === 0) return options(names);
  return [group(t`Likely`, likely), group(t`Other roles`, names)].filter((part) => part !== null);
}

/**
 * @param {object} choice
 * @param {(Node | null)[]} choice.groups
 * @param {string[]} choice.known
 * @param {string} choice.value
 * @param {string} choice.none
 * @param {(value: string) => void} choice.onChoose
 */
function select({ groups, known, value, none, onChoose }) {
  const list = element("select", { onchange: () => onChoose(list.value) });
  list.append(element("option", { value: "" }, none), .../** @type {Node[]} */ (groups));
  if (value && !known.includes(value)) list.append(...options([value]));
  list.value = value;
  return list;
}

/** @param {string} label @param {string[]} names */
function group(label, names) {
  return names.length > 0 ? element("optgroup", { label }, ...options(names)) : null;
}

/** @param {string[]} names */
function options(names) {
  return names.map((name) => element("option", { value: name }, name));
}
