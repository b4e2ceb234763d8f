// The data of a worker's page, which templates/annotation/worker_page.html writes into it.

/** @import { PayTerms } from "./pay.js" */

/**
 * Content by item id. What an item's content looks like is up to the scheme.
 *
 * @typedef {Record<string, any>} Content
 */

/**
 * An item to annotate. `target`, `data` and `content` belong to the scheme.
 *
 * @typedef {object} Item
 * @property {number} id
 * @property {string[]} tokens
 * @property {any} target
 * @property {any} data
 * @property {any} content  the draft, if there is one
 * @property {any} [sources]  of a case: the annotators' content
 * @property {any} [layout]  of a case: the sources aligned
 * @property {any} [asked]  of a validation
 */

/**
 * @typedef {object} Page
 * @property {Item[]} items
 * @property {any} shared  data that all pages of the scheme share
 * @property {boolean} preview
 * @property {boolean} submitted
 * @property {number} revision  of the draft
 * @property {number} activeSeconds
 * @property {number} moves
 * @property {string} comment
 * @property {PayTerms | null} pay
 * @property {string} token
 * @property {string} assignment
 * @property {string} submitTo
 * @property {{draft: string, submit: string, check: string}} urls
 * @property {string} [csrf]  on a page of the site itself
 * @property {string} [draftKey]  on a page of the site itself
 * @property {number} [number]  of a practice exercise
 */

/** @returns {Page} */
export function readPage() {
  return JSON.parse(document.getElementById("page")?.textContent ?? "null");
}

/** @param {Page} page */
export function isLocked(page) {
  return page.preview || page.submitted;
}
