// The likely roles of an argument. The rules are those of schemes/frames/role_rules.py.

/** @import { ItemFacts } from "./frame-types.js" */

/**
 * An argument of a record, as far as its role depends on it.
 *
 * @typedef {{head: number[], element: string, frame: string, held: string[]}} LabelledHead  `held` are
 *   the roles of the record's other arguments
 */

/**
 * Return the likely roles of an argument, the most likely first, and the suggested one or "".
 *
 * @param {LabelledHead} argument
 * @param {ItemFacts} facts
 */
export function likelyRoles({ head, element, frame, held }, facts) {
  const { elementRoles, roleHints, roles, verbRoles = [], chosenRoles = {} } = facts;
  const isKnown = (/** @type {string | undefined} */ role) => roles.some(({ name }) => name === role);
  const hint = head.map((at) => roleHints[at]).find(isKnown) ?? "";
  const ruled = [...(elementRoles[element] ?? []), element, hint];
  const agreed = ruled.filter((role) => verbRoles.includes(role));
  const free = verbRoles.filter((role) => !held.includes(role));
  const chosen = chosenRoles[frame]?.[element] ?? [];
  const isLabelled = element !== "" || hint !== "";
  const ordered = new Set([...chosen, ...agreed, ...ruled, ...free, ...verbRoles].filter(isKnown));
  return { likely: [...ordered], suggested: (isLabelled && [...ordered][0]) || "" };
}
