export function findings(path: string, text: string): string[];
export function lint(folder: string): string[];
