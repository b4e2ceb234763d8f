// The page around a task: continues when the frame reports a submission. The server checks the
// report, so a false message gains nothing.

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("task"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("go-on"));
const clock = /** @type {HTMLTimeElement} */ (document.querySelector("time[data-deadline]"));
const deadline = new Date(clock.dateTime).getTime();
const twoDigits = new Intl.NumberFormat("en", { minimumIntegerDigits: 2 });

// The button is for browsers without scripts.
for (const button of form.querySelectorAll("button")) button.hidden = true;

window.addEventListener("message", ({ data, source }) => {
  if (source !== frame.contentWindow || data?.type !== "marketplace:submitted") return;
  if (data.assignment === form.dataset.assignment) form.requestSubmit();
});

function showTimeLeft() {
  const left = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  const hours = Math.floor(left / 3600);
  const minutes = twoDigits.format(Math.floor((left % 3600) / 60));
  clock.textContent = `${hours ? `${hours}:` : ""}${minutes}:${twoDigits.format(left % 60)} left`;
}

clock.previousSibling?.remove(); // the text for browsers without scripts
showTimeLeft();
setInterval(showTimeLeft, 1000);
