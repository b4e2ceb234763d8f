// The button that returns a HIT asks for confirmation first.

const returning = /** @type {HTMLFormElement} */ (document.getElementById("return"));
const confirmation = /** @type {HTMLDialogElement} */ (document.getElementById("confirm-return"));

export function confirmReturn() {
  returning.addEventListener("submit", (event) => {
    event.preventDefault();
    confirmation.returnValue = "";
    confirmation.showModal();
  });
  confirmation.addEventListener("close", () => {
    if (confirmation.returnValue === "return") returning.submit();
  });
}
