// The runs that are selected for a comparison, as the URL names them: `a,b`. Ids of jobs contain no comma.

export const MOST_COMPARED = 20;

// Adds the id, or removes it if it is selected.
export function toggled(selected: readonly string[], id: string): string[] {
  return selected.includes(id) ? selected.filter(one => one !== id) : [...selected, id];
}

// Why these runs cannot be compared; null if they can.
export function selectionProblem(selected: readonly string[]): string | null {
  if (selected.length < 2) return "Select two or more runs to compare them.";
  if (selected.length <= MOST_COMPARED) return null;
  return `At most ${MOST_COMPARED} runs can be compared, and ${selected.length} are selected.`;
}
