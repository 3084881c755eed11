// Opens servers of jobs in new tabs, each in an origin of its own.
import {isAppAddress, type ServerToOpen} from "../pure/shell_command";
import {ApiError, jobUrl, post} from "./client";

export interface OpenedServer {
  text: string;
  url: string | null; // to be opened by the user, because the browser has blocked the new tab
}

// Call within a click: a browser blocks a tab that is opened later, when the portal has answered.
export async function openServer(job: string, what: ServerToOpen): Promise<OpenedServer> {
  const tab = window.open("", "_blank");
  try {
    const {url} = await post<{url: string}>(jobUrl(job, "open"), what);
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
