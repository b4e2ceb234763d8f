// The suggested questions of a page, as the project's setting wants them.

/** @import { Ranking, SharedCosts, Walker } from "./grammar.js" */

import { Suggester } from "./grammar.js";

/** @typedef {"off" | "grammar" | "learned"} Suggestions */

/**
 * Return a source of suggestions for an item's page. It returns none if they are off.
 *
 * @param {Walker} walker
 * @param {object} page
 * @param {{suggestions: Record<string, SharedCosts>}} page.shared
 * @param {{suggestions: Suggestions, ranking: Ranking | null}} page.data
 * @returns {Pick<Suggester, "suggest">}
 */
export function createSuggester(walker, { shared, data }) {
  if (data.ranking === null) return { suggest: () => [] };
  return new Suggester(walker, shared.suggestions[data.suggestions], data.ranking);
}
