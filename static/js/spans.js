// Spans of tokens: half-open ranges [start, end), as everywhere in the house.

export function spanBetween(one, other) {
  return [Math.min(one, other), Math.max(one, other) + 1];
}

export function overlaps([start, end], [otherStart, otherEnd]) {
  return start < otherEnd && otherStart < end;
}

export function contains([start, end], token) {
  return start <= token && token < end;
}

export function equal([start, end], [otherStart, otherEnd]) {
  return start === otherStart && end === otherEnd;
}

export function spanText(tokens, [start, end]) {
  return tokens.slice(start, end).join(" ");
}

export function answersText(tokens, answers) {
  return answers.map((span) => spanText(tokens, span)).join(" | ");
}

export function byPosition(one, other) {
  return one[0] - other[0] || one[1] - other[1];
}

// The tokens that more than one of the spans covers.
export function contested(spans) {
  const sorted = [...spans].sort(byPosition);
  const tokens = new Set();
  let reach = 0;
  for (const [start, end] of sorted) {
    for (let token = start; token < Math.min(reach, end); token += 1) tokens.add(token);
    reach = Math.max(reach, end);
  }
  return tokens;
}
