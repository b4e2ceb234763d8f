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

export function quoted(text) {
  return `“${text}”`;
}

// The page's data, written by the server with json_script.
export function readPage() {
  return JSON.parse(document.getElementById("page").textContent);
}
