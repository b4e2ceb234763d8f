// Look-ups in the project's resources, such as a lexicon.

import { send } from "./draft.js";
import { readPage } from "./page.js";

const LONGEST_QUERY = 200;
/** @type {ReturnType<typeof readPage> | undefined} */
let page;

/**
 * Return up to 50 results of a resource, or null if the server does not respond. Exercises have no
 * resources.
 *
 * @param {string} resource
 * @param {string} query
 * @returns {Promise<any[] | null>}
 */
export async function lookUp(resource, query) {
  page ??= readPage();
  const { token = "", urls } = page;
  if (!urls.lookUp) return null;
  const body = JSON.stringify({ token, resource, query: query.slice(0, LONGEST_QUERY) });
  const response = await send(page, urls.lookUp, body).catch(() => null);
  const answer = response?.ok ? await response.json().catch(() => null) : null;
  return answer?.results ?? null;
}
