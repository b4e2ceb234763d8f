// Forms whose files can be dropped on them. Without this module, their file fields work alone.
//
// Archives go to the field that accepts them, the first other file to the first field, and the rest to
// the field for several files. The form is sent once its required fields are filled in.

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-drop-zone]"))) {
  acceptFiles(form);
}

/** @param {HTMLFormElement} form */
function acceptFiles(form) {
  const invitation = form.querySelector("[data-drop-invitation]");
  if (invitation instanceof HTMLElement) invitation.hidden = false;
  form.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    form.classList.add("drop-zone--over");
  });
  form.addEventListener("dragleave", (event) => {
    const isInside = event.relatedTarget instanceof Node && form.contains(event.relatedTarget);
    if (!isInside) form.classList.remove("drop-zone--over");
  });
  form.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    form.classList.remove("drop-zone--over");
    distribute(form, files);
    const isComplete = form.checkValidity();
    if (isComplete) form.requestSubmit();
    else form.reportValidity();
  });
}

// A file dropped beside a form would replace the page.
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => {
    const { dataTransfer } = /** @type {DragEvent} */ (event);
    if (event.defaultPrevented || !dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dataTransfer.dropEffect = "none";
  });
}

/**
 * @param {HTMLFormElement} form
 * @param {File[]} files
 */
function distribute(form, files) {
  const fields = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[type=file]")]);
  const archiveField = fields.find((field) => field.accept.includes(".zip"));
  const single = fields.find((field) => field !== archiveField && !field.multiple);
  const several = fields.find((field) => field.multiple);
  const archives = archiveField ? files.filter((file) => file.name.toLowerCase().endsWith(".zip")) : [];
  const others = files.filter((file) => !archives.includes(file));
  if (archiveField) fill(archiveField, archives.slice(0, 1));
  if (single) fill(single, others.splice(0, 1));
  if (several) fill(several, others);
}

/**
 * @param {HTMLInputElement} field
 * @param {File[]} files
 */
function fill(field, files) {
  if (files.length === 0) return;
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  field.files = transfer.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
}
