// Edits of a job's roles, as changes for --set.

export interface RoleSize {
  role: string;
  min: number;
  max: number;
  memory_bytes: number;
  vcores: number;
  gpus: number;
}

export type Edits = Readonly<Record<string, string>>; // key of --set to the text of its field

export const ROLE_FIELDS = ["instances", "memory", "vcores", "gpus"] as const;
export type RoleField = (typeof ROLE_FIELDS)[number];

export function keyOf(role: string, field: RoleField): string {
  return `roles.${role}.${field}`;
}

function memoryText(bytes: number): string {
  const units = ["GiB", "MiB", "KiB"] as const;
  const sizes = [2 ** 30, 2 ** 20, 2 ** 10] as const;
  const i = sizes.findIndex(size => bytes >= size && bytes % size === 0);
  return i < 0 ? String(bytes) : `${bytes / (sizes[i] as number)}${units[i] as string}`;
}

// The value of a field as the job file writes it.
export function valueOfField(size: RoleSize, field: RoleField): string {
  switch (field) {
    case "instances":
      return size.min === size.max ? String(size.min) : `{min: ${size.min}, max: ${size.max}}`;
    case "memory":
      return memoryText(size.memory_bytes);
    case "vcores":
      return String(size.vcores);
    case "gpus":
      return String(size.gpus);
  }
}

// The fields that differ from the job, as KEY=VALUE, in the order of the form. An empty field changes nothing.
export function setsOf(roles: readonly RoleSize[], edits: Edits): string[] {
  return roles.flatMap(size =>
    ROLE_FIELDS.flatMap(field => {
      const text = (edits[keyOf(size.role, field)] ?? "").trim();
      return text === "" || text === valueOfField(size, field) ? [] : [`${keyOf(size.role, field)}=${text}`];
    }),
  );
}

// "4 tasks of worker with 2GiB, 1 vcore and 1 GPU each"
export function sizeText(size: RoleSize): string {
  const tasks = size.min === size.max ? String(size.min) : `${size.min} to ${size.max}`;
  const one = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const gpus = size.gpus > 0 ? `, ${one(size.gpus, "GPU")}` : "";
  const noun = size.max === 1 ? "task" : "tasks";
  const each = `${memoryText(size.memory_bytes)}, ${one(size.vcores, "vcore")}${gpus}`;
  return `${tasks} ${noun} of ${size.role}, each with ${each}`;
}
