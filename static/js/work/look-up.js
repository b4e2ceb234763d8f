// Look-ups in the project's resources, such as a lexicon, and their indexes, which pages search
// without the server.

import { send } from "./draft.js";
import { readPage } from "./page.js";

const MAX_QUERY_LENGTH = 200;
// A slow connection needs more time for an index than for a look-up.
const GIVE_UP_AFTER = 60_000;
/** @type {Map<string, Promise<any>>} */
const indexes = new Map();
/** @type {ReturnType<typeof readPage> | undefined} */
let page;

/**
 * Return up to 50 results of a resource, or null if the server does not respond. Exercises have no
 * resources, and a preview may not look up.
 *
 * @param {string} resource
 * @param {string} query
 * @returns {Promise<any[] | null>}
 */
export async function lookUp(resource, query) {
  page ??= readPage();
  const { token = "", urls } = page;
  if (!urls.lookUp || page.preview) return null;
  const body = JSON.stringify({ token, resource, query: query.slice(0, MAX_QUERY_LENGTH) });
  const response = await send(page, urls.lookUp, body).catch(() => null);
  const answer = response?.ok ? await response.json().catch(() => null) : null;
  return answer?.results ?? null;
}

/**
 * Return the index of a resource, or null if it can't be loaded. It is loaded once for all items.
 * A further call tries again after a failure.
 *
 * @param {string} resource
 * @returns {Promise<any>}
 */
export function loadIndex(resource) {
  const loading = indexes.get(resource) ?? fetchIndex(resource);
  indexes.set(resource, loading);
  return loading;
}

/** @param {string} resource */
async function fetchIndex(resource) {
  page ??= readPage();
  const address = page.urls.index?.[resource];
  const options = { credentials: /** @type {const} */ ("omit"), signal: AbortSignal.timeout(GIVE_UP_AFTER) };
  const response = address ? await fetch(address, options).catch(() => null) : null;
  const index = response?.ok ? await response.json().catch(() => null) : null;
  if (index === null) indexes.delete(resource);
  return index;
}
