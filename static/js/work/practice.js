// An exercise: the page of a task without a draft or pay, and a comparison with the expert's answers.

import { ref, setText, t } from "../html.js";
import { recall, remember } from "../storage.js";
import { moduleAddress, readPage, showGuidelines } from "./page.js";
import { Shell } from "./shell.js";

/** @type {{mount: import("./contract.js").Mount}} */
const { mount } = await import(moduleAddress());
const page = readPage();
const done = `practice done ${page.series}`;
const status = ref(document, "status");
const button = ref(document, "submit", HTMLButtonElement);

async function check() {
  button.disabled = true;
  setText(status, t`Comparing …`);
  const response = await fetch(page.urls.check, {
    method: "POST",
    body: JSON.stringify({ content: shell.submission()[page.items[0].id] }),
    headers: { "Content-Type": "text/plain" },
    credentials: "omit",
  }).catch(() => null);
  const answer = response ? await response.json().catch(() => null) : null;
  button.disabled = false;
  setText(status, "");
  if (response?.ok && answer) showComparison(answer);
  else if (response?.status === 422) shell.showRefusals(answer.problems);
  else setText(status, t`The comparison couldn't be loaded. Try again in a moment.`);
}

/** @param {{summary: string, rows: string}} answer  whose rows are HTML */
function showComparison({ summary, rows }) {
  setText(ref(document, "summary"), summary);
  ref(document, "rows").innerHTML = rows;
  const comparison = ref(document, "comparison");
  comparison.hidden = false;
  comparison.focus({ preventScroll: true });
  comparison.scrollIntoView({ block: "start" });
  remember(done, [...new Set([...(recall(done) ?? []), page.number])]);
  showDone();
}

function showDone() {
  for (const number of recall(done) ?? []) {
    document.querySelector(`[data-lesson="${Number(number)}"]`)?.setAttribute("data-done", "");
  }
}

showGuidelines();
const shell = new Shell(mount, page, { changed() {}, moved() {}, submit: check });
showDone();
document.documentElement.dataset.ready = "true";
