// The text of a filter as words. The server gives the words their meaning and explains mistakes; the page only adds,
// replaces and removes single words.

// Splits at blanks outside quotes.
export function wordsOf(filter: string): string[] {
  return filter.match(/(?:"[^"]*"?|[^\s"])+/g) ?? [];
}

function quoted(value: string): string {
  return /[\s",*]/.test(value) ? `"${value.replace(/"/g, "")}"` : value;
}

export function term(key: string, value: string): string {
  return `${key}:${quoted(value)}`;
}

export function hasTerm(filter: string, key: string, value: string): boolean {
  return wordsOf(filter).includes(term(key, value));
}

// Replaces every word with this key. A null value removes them.
export function withTerm(filter: string, key: string, value: string | null): string {
  const others = wordsOf(filter).filter(word => !word.startsWith(`${key}:`) && !word.startsWith(`-${key}:`));
  if (value !== null) others.push(term(key, value));
  return others.join(" ");
}
