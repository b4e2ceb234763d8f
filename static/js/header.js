// The header: Ctrl+K moves to the search, which is a pop-up on narrow screens.

const search = document.querySelector(".header__search input[type=search]");
const form = /** @type {HTMLFormElement | null} */ (document.querySelector(".header__search"));

form?.addEventListener("toggle", (event) => {
  if (/** @type {ToggleEvent} */ (event).newState === "open" && search instanceof HTMLInputElement) search.focus();
});

document.addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (isShortcut && search instanceof HTMLInputElement) {
    event.preventDefault();
    if (!search.checkVisibility()) form?.showPopover();
    search.focus();
    search.select();
  }
});
