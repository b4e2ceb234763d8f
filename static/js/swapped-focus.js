// Focuses the element marked `data-focus` in content that htmx swapped in. Browsers look at
// `autofocus` only while they load a page.

document.addEventListener("htmx:after:swap", () => {
  const element = document.querySelector("[data-focus]");
  if (!(element instanceof HTMLElement)) return;
  element.removeAttribute("data-focus");
  element.focus();
});
