// Relations between frames, as they are shown where one of several frames is chosen.

const MAX_STEPS = 2;
// It says nothing about frames between which it is one of several steps.
const LOOSE = "See_also";

/** @typedef {{to: string, label: string, isLoose: boolean}} Step */

export class Relations {
  /**
   * @param {string[]} names
   * @param {[type: number, frame: number, parent: number][]} rows  by position
   * @param {[type: string, toParent: string, toChild: string][]} labels
   */
  constructor(names, rows, labels) {
    /** @type {Map<string, Step[]>} */
    this.steps = new Map();
    for (const [type, frame, parent] of rows) {
      const [kind, toParent, toChild] = labels[type];
      this.add(names[frame], { to: names[parent], label: toParent, isLoose: kind === LOOSE });
      this.add(names[parent], { to: names[frame], label: toChild, isLoose: kind === LOOSE });
    }
  }

  /** @param {string} name @param {Step} step */
  add(name, step) {
    const steps = this.steps.get(name);
    if (steps) steps.push(step);
    else this.steps.set(name, [step]);
  }

  /**
   * Describe the shortest path from a frame to one of the others, such as "Inherits from Creating, which
   * is inherited by Building". Return "" if there is none of one or two relations.
   *
   * @param {string} name
   * @param {string[]} others
   */
  describe(name, others) {
    const wanted = new Set(others.filter((other) => other !== name));
    /** @type {Step[][]} */
    let paths = [[]];
    for (let length = 1; length <= MAX_STEPS && wanted.size > 0; length += 1) {
      paths = paths.flatMap((path) => this.longer(name, path, length > 1));
      const found = paths.find((path) => wanted.has(path[path.length - 1].to));
      if (found) return pathText(found);
    }
    return "";
  }

  /** @param {string} name @param {Step[]} path @param {boolean} isIndirect */
  longer(name, path, isIndirect) {
    const from = path.at(-1)?.to ?? name;
    if (isIndirect && path.some(({ isLoose }) => isLoose)) return [];
    const steps = (this.steps.get(from) ?? []).filter(({ to, isLoose }) => to !== name && !(isIndirect && isLoose));
    return steps.map((step) => [...path, step]);
  }
}

/** @param {Step[]} path */
function pathText(path) {
  const [first, ...others] = path.map(({ label, to }) => `${label} ${to}`);
  return [first, ...others.map((text) => `which ${text[0].toLowerCase()}${text.slice(1)}`)].join(", ");
}
