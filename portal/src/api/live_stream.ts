// Updates of a page: one stream of server-sent events, or polling while there is none.
import {parsedEvent, streamUrl} from "../pure/stream_events";

export type LiveState = "connecting" | "live" | "polling";

export interface LiveHandlers {
  // A topic is watched from now on, or events were lost: read the resource again.
  reload: () => void;
  // An event of one of the topics.
  event: (kind: string, data: {topic: string} & Record<string, unknown>) => void;
  state: (state: LiveState) => void;
}

const POLL_MS = 5_000;
const RETRY_MS = 30_000; // how often a page without a stream asks for one again
const KINDS = ["jobs", "job", "cluster", "log", "log_end", "problem"];

export class LiveStream {
  private source: EventSource | null = null;
  private poll: number | null = null;
  private retry: number | null = null;
  private readonly onVisibility = () => (document.hidden ? this.disconnect() : this.connect());

  // `topics` is called for each connection, because a log continues at another offset.
  constructor(
    private readonly topics: () => string[],
    private readonly handlers: LiveHandlers,
  ) {
    // A hidden page holds no stream: a browser has only a few per server.
    document.addEventListener("visibilitychange", this.onVisibility);
    if (!document.hidden) this.connect();
  }

  close(): void {
    document.removeEventListener("visibilitychange", this.onVisibility);
    this.disconnect();
  }

  private connect(): void {
    this.disconnect();
    this.handlers.state("connecting");
    const source = new EventSource(streamUrl(this.topics()));
    this.source = source;
    const reload = (event: Event) => {
      // The browser's own event `open` has the same name, and no data.
      if (!(event instanceof MessageEvent)) return;
      this.stopPolling();
      this.handlers.state("live");
      this.handlers.reload();
    };
    source.addEventListener("open", reload);
    source.addEventListener("resync", reload);
    for (const kind of KINDS) {
      source.addEventListener(kind, event => {
        const data = parsedEvent((event as MessageEvent).data);
        if (data) this.handlers.event(kind, data);
      });
    }
    source.onerror = () => this.onError(source);
  }

  // The browser connects again by itself, unless the server refused the stream.
  private onError(source: EventSource): void {
    if (source !== this.source) return;
    this.startPolling();
    if (source.readyState === EventSource.CLOSED && this.retry === null) {
      this.retry = window.setTimeout(() => this.connect(), RETRY_MS);
    }
  }

  private startPolling(): void {
    this.handlers.state("polling");
    if (this.poll !== null) return;
    this.handlers.reload();
    this.poll = window.setInterval(() => this.handlers.reload(), POLL_MS);
  }

  private stopPolling(): void {
    if (this.poll !== null) window.clearInterval(this.poll);
    if (this.retry !== null) window.clearTimeout(this.retry);
    this.poll = this.retry = null;
  }

  private disconnect(): void {
    this.source?.close();
    this.source = null;
    this.stopPolling();
  }
}
