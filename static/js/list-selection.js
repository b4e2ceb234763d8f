// The selection of rows in lists with bulk actions: all rows of a page, or all that match the filter.
// The checkboxes of the rows work without it.

const BOXES = "input[data-select-row]";
const PAGE_BOXES = "input[data-select-page]";
// A checkbox that selects all rows of a list, also without scripts.
const ALL_BOX = "input[data-all-rows]";
const ALL_BUTTON = "button[data-select-all]";

/** @type {Set<string>} Values of the selected rows, which a swap must not give to other rows. */
const selected = new Set();
// An action without selected rows applies to all rows that match. Disabled checkboxes aren't sent.
let areAllSelected = false;
// The query of the list of which all rows are selected.
let query = "";

/**
 * @param {string} selector
 * @returns {HTMLInputElement[]}
 */
function inputs(selector) {
  return [...document.querySelectorAll(selector)].filter((element) => element instanceof HTMLInputElement);
}

function countText() {
  const button = document.querySelector(ALL_BUTTON);
  if (areAllSelected && button instanceof HTMLElement) return `All ${button.dataset.total} selected`;
  return selected.size ? `${selected.size.toLocaleString("en")} selected` : "";
}

/** Show the selection in the checkboxes, the count and the button. */
function show() {
  const boxes = inputs(BOXES);
  for (const box of boxes) {
    box.checked = areAllSelected || selected.has(box.value);
    box.disabled = areAllSelected;
  }
  const checked = boxes.filter((box) => box.checked).length;
  for (const box of inputs(PAGE_BOXES)) {
    box.checked = checked > 0 && checked === boxes.length;
    box.indeterminate = checked > 0 && checked < boxes.length;
  }
  for (const box of inputs(ALL_BOX)) box.checked = areAllSelected;
  for (const count of document.querySelectorAll("[data-selection-count]")) {
    if (count.textContent !== countText()) count.textContent = countText();
  }
  for (const button of document.querySelectorAll(ALL_BUTTON)) {
    if (!(button instanceof HTMLElement)) continue;
    button.textContent = areAllSelected ? "Clear selection" : (button.dataset.label ?? "");
  }
}

/** Select the rows whose checkboxes are checked. */
function readBoxes() {
  selected.clear();
  for (const box of inputs(BOXES)) {
    if (box.checked && !box.disabled) selected.add(box.value);
  }
}

/** @param {boolean} isSelected */
function selectPage(isSelected) {
  areAllSelected = false;
  selected.clear();
  if (isSelected) for (const box of inputs(BOXES)) selected.add(box.value);
}

/** @param {boolean} isSelected */
function selectAll(isSelected) {
  selected.clear();
  areAllSelected = isSelected;
  query = shownQuery();
}

function shownQuery() {
  const controls = document.querySelector("[data-list-query]");
  return controls?.getAttribute("data-list-query") ?? "";
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.matches(PAGE_BOXES)) selectPage(target.checked);
  else if (target.matches(BOXES)) readBoxes();
  else if (target.matches(ALL_BOX)) selectAll(target.checked);
  else return;
  show();
});

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element) || !target.closest(ALL_BUTTON)) return;
  selectAll(!areAllSelected);
  show();
});

// A swap reuses the checkboxes for the rows of another page or filter. A list that refreshes itself
// keeps its selection.
document.addEventListener("htmx:after:swap", () => {
  const values = new Set(inputs(BOXES).map((box) => box.value));
  for (const value of selected) {
    if (!values.has(value)) selected.delete(value);
  }
  areAllSelected &&= shownQuery() === query;
  show();
});

readBoxes();
show();
