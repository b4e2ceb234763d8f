// Elements built from plain values. Text is always text: nothing here reads markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith("on")) made.addEventListener(attribute.slice(2), value);
    else if (value === true) made.setAttribute(attribute, "");
    else if (value !== false && value !== null) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

// Set text only where it changed: a live region speaks when it is written to.
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

const TURNS_WRITING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

// In quotation marks; what could turn the direction of writing is kept from turning ours.
export function quoted(text) {
  return TURNS_WRITING.test(text) ? `“\u2068${text}\u2069”` : `“${text}”`;
}

export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

// The page's data, which annotation/page_script.py writes as two elements.
export function readPage() {
  const [page, shared] = ["page", "shared"].map((id) => JSON.parse(document.getElementById(id).textContent));
  return { ...page, shared };
}
