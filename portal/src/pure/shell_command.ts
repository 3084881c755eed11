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

// The fields of a new notebook, as the user has written them. An empty one has the default of the command.
export interface NotebookFields {
  name: string;
  memory: string;
  vcores: string;
  gpus: string;
  python: string;
  queue: string;
  directory: string;
  idle: string;
  limit: string;
}

const NOTEBOOK_FLAGS: readonly [keyof NotebookFields, string][] = [
  ["name", "--name"],
  ["memory", "--memory"],
  ["vcores", "--vcores"],
  ["gpus", "--gpus"],
  ["python", "--python"],
  ["queue", "--queue"],
  ["directory", "--dir"],
  ["idle", "--idle"],
  ["limit", "--limit"],
];

export function notebookCommand(backend: string, fields: NotebookFields): string {
  const flags = NOTEBOOK_FLAGS.flatMap(([field, flag]) => (fields[field] ? [flag, fields[field]] : []));
  return command(backend, "notebook", ...flags);
}

// The same for the API; numbers are numbers there.
export function notebookBody(backend: string, fields: NotebookFields): Record<string, string | number> {
  const filled = NOTEBOOK_FLAGS.flatMap(([field]) => (fields[field] ? [[field, fields[field]] as const] : []));
  const number = (field: string) => field === "vcores" || field === "gpus";
  const values = filled.map(([field, text]) => [field, number(field) ? Number(text) : text] as const);
  return Object.fromEntries([["on", backend], ...values]);
}

// Why the fields cannot be sent; null if they can. The portal checks the rest.
export function notebookProblem(fields: NotebookFields): string | null {
  for (const field of ["vcores", "gpus"] as const) {
    if (!/^\d*$/.test(fields[field])) return `${field}: '${fields[field]}' is not a whole number`;
  }
  return null;
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
