// The page of a task as a preview for its author. Nothing is saved, and a submission shows the content.

import { element, ref, setText } from "../html.js";
import { moduleAddress, readPage } from "./page.js";
import { Shell } from "./shell.js";

/** @type {{mount: import("./contract.js").Mount}} */
const { mount } = await import(moduleAddress());
const page = readPage();
const text = element("code");
const result = element(
  "pre",
  { tabindex: 0, role: "region", "aria-label": "The content of a submission", hidden: true },
  text,
);
ref(document, "work-form").before(result);

function show() {
  setText(text, JSON.stringify(shell.submission()[page.items[0].id], null, 2));
  setText(ref(document, "status"), "This content would be submitted.");
  result.hidden = false;
  result.focus();
}

const shell = new Shell(mount, page, { changed() {}, moved() {}, submit: show });
document.documentElement.dataset.ready = "true";
