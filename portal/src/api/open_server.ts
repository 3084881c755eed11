// Opens servers in new tabs, each in an origin of its own: those of jobs, and TensorBoards that the portal runs.
import {isAppAddress, type ServerToOpen} from "../pure/shell_command";
import {ApiError, apiUrl, jobUrl, post} from "./client";

export interface OpenedServer {
  text: string;
  url: string | null; // to be opened by the user, because the browser has blocked the new tab
}

const MOST_ASKS = 12; // of 9 s: the portal waits that long for a TensorBoard which is starting

// Call within a click: a browser blocks a tab that is opened later, when the portal has answered.
async function openInTab(ask: () => Promise<{url: string}>): Promise<OpenedServer> {
  const tab = window.open("", "_blank");
  try {
    const {url} = await ask();
    if (!isAppAddress(url)) throw new ApiError(0, "the portal gave no address of a server", null);
    if (!tab) return {text: "The browser has blocked a new tab. The address is valid once, for 30 s.", url};
    tab.opener = null; // the server must not reach this page
    tab.location.replace(url);
    return {text: "The server was opened in a new tab.", url: null};
  } catch (error) {
    tab?.close();
    throw error;
  }
}

export function openServer(job: string, what: ServerToOpen): Promise<OpenedServer> {
  return openInTab(() => post<{url: string}>(jobUrl(job, "open"), what));
}

// Opens a TensorBoard of the portal, which may still be starting.
export function openTensorBoard(id: string): Promise<OpenedServer> {
  return openInTab(() => whenStarted(id));
}

// Starts a TensorBoard with the event files of jobs, and opens it.
export function showTensorBoard(jobs: readonly string[]): Promise<OpenedServer> {
  return openInTab(async () => whenStarted((await post<{id: string}>(apiUrl("tensorboards"), {jobs})).id));
}

async function whenStarted(id: string): Promise<{url: string}> {
  const url = apiUrl(`tensorboards/${encodeURIComponent(id)}/open`);
  for (let asks = 1; ; asks++) {
    try {
      return await post<{url: string}>(url, {});
    } catch (error) {
      const isStarting = error instanceof ApiError && error.status === 503;
      if (!isStarting || asks === MOST_ASKS) throw error;
    }
  }
}
