// Requests to the portal's API.
import {urlOf, type Query} from "../pure/url_state";

const PREFIX = "/api/v1";
const TIME_LIMIT_MS = 15_000;

// An answer other than 2xx, with the sentences of the server; or no answer at all (status 0).
export class ApiError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly advice: string | null,
  ) {
    super(detail);
  }
}

export function apiUrl(path: string, query: Query = {}): string {
  return urlOf(`${PREFIX}/${path}`, query);
}

export function jobUrl(id: string, part = "", query: Query = {}): string {
  return apiUrl(`jobs/${encodeURIComponent(id)}${part ? `/${part}` : ""}`, query);
}

async function errorOf(response: Response): Promise<ApiError> {
  let detail = `${response.status} ${response.statusText}`;
  let advice: string | null = null;
  try {
    const body = (await response.json()) as {detail?: unknown; advice?: unknown};
    if (typeof body.detail === "string") detail = body.detail;
    if (typeof body.advice === "string") advice = body.advice;
  } catch {
    // A proxy or an older portal: the status is all that is known.
  }
  return new ApiError(response.status, detail, advice);
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

// Sends a request. `signal` ends it; without one it ends after a time limit, so that no page waits permanently.
async function request(url: string, init: RequestInit = {}, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {...init, signal: signal ?? AbortSignal.timeout(TIME_LIMIT_MS)});
  } catch (error) {
    if (isAbort(error)) throw error;
    const late = error instanceof DOMException && error.name === "TimeoutError";
    throw new ApiError(
      0,
      late ? `the portal did not answer within ${TIME_LIMIT_MS / 1000} s` : "the portal does not answer",
      "Check that `howdah portal` is still running. This page continues when it answers.",
    );
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const response = await request(url, {headers: {Accept: "application/json"}}, anyOf(signal, limit));
  return (await response.json()) as T;
}

// AbortSignal.any is too new for some browsers.
function anyOf(first: AbortSignal | undefined, second: AbortSignal): AbortSignal {
  if (!first) return second;
  const controller = new AbortController();
  for (const signal of [first, second]) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener("abort", () => controller.abort(signal.reason), {once: true});
  }
  return controller.signal;
}

export async function getText(url: string): Promise<string> {
  return (await request(url)).text();
}

// A change. No form of another page can send this header.
export async function post<T>(url: string, body: unknown): Promise<T> {
  const headers = {"Content-Type": "application/json", "Howdah-Request": "1"};
  const response = await request(url, {method: "POST", headers, body: JSON.stringify(body)});
  return (await response.json()) as T;
}

export interface LogBytes {
  bytes: Uint8Array;
  offset: number;
  size: number;
  line: number | null;
}

function numberHeader(response: Response, name: string): number | null {
  const value = response.headers.get(name);
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}

export async function getLog(url: string, signal: AbortSignal): Promise<LogBytes> {
  const response = await request(url, {}, anyOf(signal, AbortSignal.timeout(TIME_LIMIT_MS)));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const offset = numberHeader(response, "Howdah-Offset") ?? 0;
  return {
    bytes,
    offset,
    size: numberHeader(response, "Howdah-Size") ?? offset + bytes.length,
    line: numberHeader(response, "Howdah-Line"),
  };
}

// Calls `take` with each JSON line of a streamed answer, as it arrives.
export async function streamLines(url: string, take: (value: unknown) => void, signal: AbortSignal): Promise<void> {
  const response = await request(url, {}, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) take(JSON.parse(line));
  }
  if (rest.trim()) take(JSON.parse(rest));
}

// Saves rows as a CSV file. The browser's own download cannot send the header that asks for CSV.
export async function downloadCsv(url: string, name: string): Promise<void> {
  const response = await request(url, {headers: {Accept: "text/csv"}}, new AbortController().signal);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
