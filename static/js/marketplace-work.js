// The page around a task: continues when the frame reports a submission, or replaces the task when
// its page refuses the worker. The server checks reports, so a false message gains nothing.

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("task"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("go-on"));
const returning = /** @type {HTMLFormElement} */ (document.getElementById("return"));
const replace = /** @type {HTMLFormElement} */ (document.getElementById("replace"));
const confirmation = /** @type {HTMLDialogElement} */ (document.getElementById("confirm-return"));
const clock = /** @type {HTMLTimeElement} */ (document.querySelector("time[data-deadline]"));
const deadline = new Date(clock.dateTime).getTime();
const twoDigits = new Intl.NumberFormat("en", { minimumIntegerDigits: 2 });

// The button is for browsers without scripts.
for (const button of form.querySelectorAll("button")) button.hidden = true;

window.addEventListener("message", ({ data, source }) => {
  if (source !== frame.contentWindow || data?.assignment !== form.dataset.assignment) return;
  if (data.type === "marketplace:submitted") form.requestSubmit();
  else if (data.type === "marketplace:not-for-you") replace.submit();
});

returning.addEventListener("submit", (event) => {
  event.preventDefault();
  confirmation.returnValue = "";
  confirmation.showModal();
});
confirmation.addEventListener("close", () => {
  if (confirmation.returnValue === "return") returning.submit();
});

// The page in the frame puts its focus into its first field.
if (document.activeElement === document.body) frame.focus();

function showTimeLeft() {
  const left = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  const hours = Math.floor(left / 3600);
  const minutes = twoDigits.format(Math.floor((left % 3600) / 60));
  clock.textContent = `${hours ? `${hours}:` : ""}${minutes}:${twoDigits.format(left % 60)} left`;
}

clock.previousSibling?.remove(); // the text for browsers without scripts
showTimeLeft();
setInterval(showTimeLeft, 1000);
