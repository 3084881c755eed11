// The state of a page is in its URL, so that every view can be shared. Values that are the default are left out.

export type Query = Readonly<Record<string, string>>;

export interface Location {
  path: string;
  query: Query;
}

export function parseLocation(pathname: string, search: string): Location {
  const query: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(search)) query[key] = value;
  const path = pathname.length > 1 && pathname.endsWith("/") ? pathname.slice(0, -1) : pathname;
  return {path, query};
}

// Encodes as little as possible, so that a filter can be read in the URL: `/?q=state:RUNNING,QUEUED+user:me`.
function encoded(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(3A|2C|2F|40|3E|3C)/gi, code => decodeURIComponent(code))
    .replace(/%20/g, "+");
}

export function urlOf(path: string, query: Query = {}): string {
  const pairs = Object.keys(query)
    .sort()
    .filter(key => query[key] !== "")
    .map(key => `${encoded(key)}=${encoded(query[key] as string)}`);
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

// A change of some values; null and the empty text remove a value.
export function changed(query: Query, changes: Readonly<Record<string, string | null>>): Query {
  const result: Record<string, string> = {...query};
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") delete result[key];
    else result[key] = value;
  }
  return result;
}

export type Route =
  | {page: "jobs"}
  | {page: "job"; id: string; tab: string}
  | {page: "compare"}
  | {page: "name"; name: string}
  | {page: "rerun"; id: string}
  | {page: "cluster"}
  | {page: "queue"; queue: string}
  | {page: "node"; node: string}
  | {page: "goodput"}
  | {page: "advice"; check: string | null}
  | {page: "notebooks"}
  | {page: "about"}
  | {page: "unknown"};

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export function routeOf(location: Location): Route {
  const parts = location.path.split("/").slice(1).map(decoded);
  const [first, second, third] = parts;
  // A name may contain slashes.
  if (first === "names" && second && !parts.includes(null)) return {page: "name", name: parts.slice(1).join("/")};
  if (first === "cluster" && parts.length === 3 && third) {
    if (second === "queues") return {page: "queue", queue: third};
    if (second === "nodes") return {page: "node", node: third};
  }
  if (parts.some(part => part === null) || parts.length > 2) return {page: "unknown"};
  if (parts.length === 2 && !second) return {page: "unknown"};
  switch (first) {
    case "":
      return parts.length === 1 ? {page: "jobs"} : {page: "unknown"};
    case "jobs":
      return second ? {page: "job", id: second, tab: location.query["tab"] ?? "overview"} : {page: "unknown"};
    case "advice":
      return {page: "advice", check: second ?? null};
    case "rerun":
      return second ? {page: "rerun", id: second} : {page: "unknown"};
    case "compare":
      return parts.length === 1 ? {page: "compare"} : {page: "unknown"};
    case "cluster":
      return parts.length === 1 ? {page: "cluster"} : {page: "unknown"};
    case "goodput":
      return parts.length === 1 ? {page: "goodput"} : {page: "unknown"};
    case "notebooks":
      return parts.length === 1 ? {page: "notebooks"} : {page: "unknown"};
    case "about":
      return parts.length === 1 ? {page: "about"} : {page: "unknown"};
    default:
      return {page: "unknown"};
  }
}

export function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

export function queuePath(queue: string): string {
  return `/cluster/queues/${encodeURIComponent(queue)}`;
}

export function nodePath(node: string): string {
  return `/cluster/nodes/${encodeURIComponent(node)}`;
}

export function rerunPath(id: string): string {
  return `/rerun/${encodeURIComponent(id)}`;
}

// Encodes each part between slashes, because the server accepts no encoded slash.
export function namePart(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}

export function namePath(name: string): string {
  return `/names/${namePart(name)}`;
}

// A list in a URL: `a,b`. Names with commas cannot occur in it, because tasks and series have none.
export function listOf(text: string | undefined): string[] {
  return text ? text.split(",").filter(word => word !== "") : [];
}

// "metrics" of a finite set of words; anything else is the default.
export function oneOf<T extends string>(text: string | undefined, words: readonly T[], otherwise: T): T {
  return words.includes(text as T) ? (text as T) : otherwise;
}
