// Says how the work stands: saved or not, in two tabs, handed in. For every worker's page built on
// templates/annotation/worker_page.html, which holds the places (data-status, data-banner).
//
//   showWorkStatus({page, draft, submission, describe, load, onProblems})
//     describe(content)  lines that tell one version of the work from another
//     load(content, comment)  puts a version of the work on the page; the comment may be missing
//     onProblems(list)   the server's [{item, path, message}]

import { element, setText } from "./html.js";

const STATUS = {
  saved: "Saved",
  unsaved: "Saving …",
  saving: "Saving …",
  offline: "No connection. Your work is kept on this page and saved when the line is back.",
  refused: "Not saved",
};

// Where the work goes: to a marketplace, or nowhere else than to us.
const PLACES = {
  marketplace: {
    reopen: "Open the task again.",
    onItsWay: "Handed in. Going back to the marketplace …",
    done: "This work has been handed in. If the marketplace still shows the task as open, hand it in once more; it counts once.",
  },
  site: {
    reopen: "Your work is kept in this browser; open the page again.",
    onItsWay: "Handed in. Going on …",
    done: "You have handed this work in.",
  },
};

export function showWorkStatus({ page, draft, submission, describe, load, onProblems }) {
  const status = document.querySelector("[data-status]");
  const banner = new Banner(document.querySelector("[data-banner]"));
  const isOnSite = Boolean(page.csrf);
  const words = isOnSite ? PLACES.site : PLACES.marketplace;
  const lock = (locked) => document.body.classList.toggle("is-handing-in", locked);

  if (page.preview) {
    setText(status, "");
    banner.show("info", ["This is a preview. Accept the task first, then you can work on it."]);
    return;
  }
  setText(status, page.revision > 0 ? STATUS.saved : "");
  if (page.submitted) showHandedIn();

  draft.addEventListener("status", ({ detail }) => {
    // Read out only what needs attention: "Saving", "Saved" every two seconds would be noise.
    const isTrouble = detail.status === "offline" || detail.status === "refused";
    status.setAttribute("aria-live", isTrouble ? "polite" : "off");
    setText(status, STATUS[detail.status]);
    status.dataset.status = detail.status;
    if (detail.status === "refused") {
      banner.show("error", [detail.message || "This page may not save (any more).", words.reopen]);
    }
  });
  draft.addEventListener("submitted", showHandedIn);
  draft.addEventListener("newer", ({ detail }) => load(detail.newest.content, detail.newest.comment));
  draft.addEventListener("conflict", ({ detail }) => chooseVersion(detail.newest));

  submission.addEventListener("state", ({ detail }) => {
    lock(detail.state === "sending" || detail.state === "handing-over");
    ({
      sending: () => setText(status, "Handing in …"),
      "handing-over": () => setText(status, words.onItsWay),
      refused: () => {
        setText(status, "Not handed in");
        onProblems(detail.problems);
      },
      invalid: () => {
        setText(status, "Not handed in");
        offerMarketplace([detail.message || "Our server does not accept this page (any more)."]);
      },
      unreachable: () => {
        setText(status, "Not handed in yet");
        offerMarketplace(["Our server can't be reached just now. Your work is still on this page."]);
      },
      "no-answer": () => {
        setText(status, "The marketplace does not answer");
        offerMarketplace(["The marketplace does not answer. Sending again does no harm."]);
      },
    })[detail.state]();
  });

  function offerMarketplace(lines) {
    if (isOnSite) {
      banner.show("warning", lines, [["Try again", () => submission.send(), "primary"]]);
      return;
    }
    banner.show(
      "warning",
      [...lines, "You can also hand it in at the marketplace directly: we get it from there, and it is paid just the same."],
      [
        ["Try again", () => submission.send(), "primary"],
        ["Hand in at the marketplace", () => submission.sendToMarketplace()],
      ],
    );
  }

  function showHandedIn() {
    draft.pause();
    document.body.classList.add("is-handed-in");
    setText(status, "Handed in");
    const again = isOnSite ? [] : [["Hand in once more", () => submission.send()]];
    banner.show("success", [words.done], again);
  }

  // Two tabs, or a browser that closed before it had saved: the person chooses, nothing is merged.
  function chooseVersion(newest, { mine = null, hereTitle = "On this page" } = {}) {
    const choose = (chosen) => () => {
      if (chosen) load(chosen.content, chosen.comment);
      draft.resume(newest.revision);
      banner.hide();
    };
    banner.show(
      "warning",
      ["There are two versions of your work. Which one do you want to keep?"],
      [],
      element(
        "div",
        { class: "versions" },
        version(hereTitle, (mine ?? draft.state()).content, "Keep this one", choose(mine)),
        version("Saved from another tab", newest.content, "Take this one", choose(newest)),
      ),
    );
  }

  function version(title, content, action, onclick) {
    const lines = describe(content);
    const list = element("ul", {}, ...lines.map((line) => element("li", { dir: "auto" }, line)));
    return element(
      "section",
      { class: "version" },
      element("h2", {}, title),
      lines.length > 0 ? list : element("p", { class: "quiet" }, "Nothing written."),
      element("button", { type: "button", onclick }, action),
    );
  }

  restoreKept();

  // What this browser kept and the server never got.
  function restoreKept() {
    const kept = page.submitted ? null : draft.kept();
    if (!kept) return;
    if (kept.revision === page.revision) {
      load(kept.content, kept.comment);
      draft.changed();
      setText(status, "Restored from this browser");
      return;
    }
    draft.pause();
    const content = Object.fromEntries(page.items.map((item) => [item.id, item.content]));
    const newest = { revision: page.revision, content, comment: page.comment };
    chooseVersion(newest, { mine: kept, hereTitle: "Kept in this browser" });
  }
}

class Banner {
  constructor(place) {
    this.place = place;
  }

  show(kind, lines, actions = [], more = "") {
    const buttons = actions.map(([label, onclick, look = ""]) =>
      element("button", { type: "button", class: look, onclick }, label),
    );
    this.place.className = `banner message message--${kind}`;
    this.place.replaceChildren(
      ...lines.map((line) => element("p", {}, line)),
      more,
      buttons.length > 0 ? element("p", { class: "banner__actions" }, ...buttons) : "",
    );
    this.place.hidden = false;
  }

  hide() {
    this.place.hidden = true;
  }
}
