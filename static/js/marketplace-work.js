// The page around a task: goes on when the frame says that it has submitted. The server looks up
// whether that is so, thus a message that lies gains nothing.
const frame = document.getElementById("task");
const form = document.getElementById("go-on");

// The button is for browsers without scripts: here the frame says when it is time.
form.querySelector("button").hidden = true;

window.addEventListener("message", (event) => {
  const said = event.data;
  if (event.source !== frame.contentWindow || said?.type !== "marketplace:submitted") return;
  if (said.assignment === form.dataset.assignment) form.requestSubmit();
});

const clock = document.querySelector("time[data-deadline]");
const deadline = new Date(clock.dateTime);
const twoDigits = new Intl.NumberFormat("en", { minimumIntegerDigits: 2 });

function showTimeLeft() {
  const left = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  const hours = Math.floor(left / 3600);
  const minutes = twoDigits.format(Math.floor((left % 3600) / 60));
  clock.textContent = `${hours ? `${hours}:` : ""}${minutes}:${twoDigits.format(left % 60)} left`;
}

clock.parentElement.firstChild.textContent = "";
showTimeLeft();
setInterval(showTimeLeft, 1000);
