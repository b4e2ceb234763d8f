// Browser storage where there is one. A sandboxed frame has none: nothing is remembered there, and
// nothing breaks.

const PREFIX = "touchstone:";

export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key));
  } catch {
    return null;
  }
}

// Says whether it was kept.
export function remember(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function forget(key) {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Nothing was kept there.
  }
}
