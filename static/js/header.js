// The header: Ctrl+K moves to the search.

const search = document.querySelector(".header__search input[type=search]");

document.addEventListener("keydown", (event) => {
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (isShortcut && search instanceof HTMLInputElement) {
    event.preventDefault();
    search.focus();
    search.select();
  }
});
