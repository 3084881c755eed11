// The command that does the same as a button of the page.

export function shellQuoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

function command(backend: string, ...words: string[]): string {
  return ["howdah", ...words, "--on", backend].map(shellQuoted).join(" ");
}

export function killCommand(id: string, backend: string, grace: string): string {
  return command(backend, "kill", id, ...(grace ? ["--grace", grace] : []));
}

export function scaleCommand(id: string, backend: string, role: string, instances: number): string {
  return command(backend, "scale", id, `${role}=${instances}`);
}

export function submitCommand(backend: string, sets: readonly string[]): string {
  return command(backend, "submit", "job.yaml", ...sets.flatMap(set => ["--set", set]));
}

export function execCommand(id: string, backend: string, task: string): string {
  return `${command(backend, "exec", id, task)} -- bash`;
}

export type ServerToOpen = {tensorboard: true} | {notebook: true} | {task: string; port: number};

export function openCommand(id: string, backend: string, what: ServerToOpen): string {
  if ("tensorboard" in what) return command(backend, "tensorboard", id);
  if ("notebook" in what) return command(backend, "notebook", id);
  return command(backend, "open", id, what.task, String(what.port));
}

// Whether the address leads to a server of a job through the portal. The page follows no other address.
export function isAppAddress(url: string): boolean {
  return /^http:\/\/([0-9a-f]{32}\.localhost|127\.0\.0\.1)(:\d+)?\/\.howdah\/open\?ticket=[0-9a-f]{32}$/.test(url);
}

export interface StackOptions {
  native: boolean;
  signal: string; // "" for none
}

export function stacksCommand(id: string, backend: string, task: string, {native, signal}: StackOptions): string {
  return command(
    backend,
    "stacks",
    id,
    task,
    ...(native ? ["--native"] : []),
    ...(signal ? ["--signal", signal] : []),
  );
}

// A duration as the command line takes it; null if it is invalid. Nothing means the default of the job.
export function graceError(text: string): string | null {
  if (text === "" || /^\d+(\.\d+)?(ms|s|m|h)$/.test(text)) return null;
  return `invalid duration '${text}': write a number with a unit, such as 30s or 2m`;
}
