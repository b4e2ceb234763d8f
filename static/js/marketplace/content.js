// The functions of MTurk's script that pages of HTMLQuestions call. A classic script, so that the
// pages' own scripts find the functions.

{
  const query = new URLSearchParams(location.search);

  /** @param {string} name @param {string} fallback */
  const turkGetParam = (name, fallback = "") => query.get(name) ?? fallback;

  const turkGetSubmitToHost = () => turkGetParam("turkSubmitTo");

  /** Fills in the assignment. In a preview it disables the submit button. @param {string} [assignment] */
  const turkSetAssignmentID = (assignment) => {
    const id = assignment ?? turkGetParam("assignmentId");
    const field = document.getElementById("assignmentId");
    if (field instanceof HTMLInputElement) field.value = id;
    if (id === "ASSIGNMENT_ID_NOT_AVAILABLE") {
      const button = document.getElementById("submitButton");
      const text = "Accept the task before you submit the results.";
      if (button instanceof HTMLInputElement) {
        button.disabled = true;
        button.value = text;
      } else if (button instanceof HTMLButtonElement) {
        button.disabled = true;
        button.textContent = text;
      }
      return;
    }
    const form = document.getElementById("mturk_form");
    if (form instanceof HTMLFormElement) form.action = `${turkGetSubmitToHost()}/mturk/externalSubmit`;
  };

  // The page has an opaque origin, in which the browser refuses storage. Items last as long as the page.
  class PageStorage {
    /** @type {Map<string, string>} */
    #items = new Map();
    get length() {
      return this.#items.size;
    }
    /** @param {number} index */
    key(index) {
      return [...this.#items.keys()][index] ?? null;
    }
    /** @param {string} name */
    getItem(name) {
      return this.#items.get(String(name)) ?? null;
    }
    /** @param {string} name @param {unknown} value */
    setItem(name, value) {
      this.#items.set(String(name), String(value));
    }
    /** @param {string} name */
    removeItem(name) {
      this.#items.delete(String(name));
    }
    clear() {
      this.#items.clear();
    }
  }
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, { value: new PageStorage() });
  }

  Object.assign(window, { turkGetParam, turkGetSubmitToHost, turkSetAssignmentID });
}
