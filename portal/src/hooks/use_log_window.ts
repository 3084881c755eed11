// Reads parts of one log into a window.
import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, getLog} from "../api/client";
import {appended, CHUNK, emptyWindow, prepended, WINDOW_LIMIT, windowAt, type LogWindow} from "../pure/log_window";
import type {Query} from "../pure/url_state";

export type Position =
  {kind: "begin"} | {kind: "end"} | {kind: "offset"; offset: number} | {kind: "line"; line: number};

export interface LogReader {
  window: LogWindow | null;
  error: ApiError | null;
  busy: boolean;
  target: number | null; // offset of the line to show after the last `go`
  go: (position: Position) => void;
  more: () => void; // reads on behind the window, or looks whether the log has grown
  before: () => void; // reads what is before the window
}

const FAR = 2 ** 52; // behind the end of any log: such a request only returns the size

export function useLogWindow(urlOf: (query: Query) => string, key: string): LogReader {
  const [window, setWindow] = useState<LogWindow | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const [target, setTarget] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  const newest = useRef<LogWindow | null>(null);
  const grown = useRef(false); // the log may have grown since the request under way began

  const show = (next: LogWindow) => {
    newest.current = next;
    setWindow(next);
  };

  // Runs one request at a time. A jump ends the one under way; reading on waits for the next scroll event.
  const run = (jump: boolean, work: (signal: AbortSignal) => Promise<void>) => {
    if (running.current && !jump) return;
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    work(controller.signal)
      .then(
        () => setError(null),
        (reason: unknown) => {
          if (reason instanceof ApiError) setError(reason);
        },
      )
      .finally(() => {
        if (running.current !== controller) return;
        running.current = null;
        setBusy(false);
        if (grown.current) more();
      });
  };

  const read = (offset: number, limit: number, signal: AbortSignal) =>
    getLog(urlOf({offset: String(offset), limit: String(limit)}), signal);

  const goToOffset = async (offset: number, signal: AbortSignal) => {
    const from = Math.max(0, offset - 1);
    const log = await read(from, CHUNK, signal);
    show(windowAt(log.bytes, log.offset, log.size));
    setTarget(offset);
  };

  const goToEnd = async (signal: AbortSignal) => {
    const {size} = await read(FAR, 1, signal);
    const from = Math.max(0, size - CHUNK);
    const log = await read(from, CHUNK, signal);
    show(windowAt(log.bytes, log.offset, log.size));
    setTarget(log.offset + log.bytes.length);
  };

  const goToLine = async (line: number, signal: AbortSignal) => {
    const log = await getLog(urlOf({line: String(line), limit: String(CHUNK)}), signal);
    if (log.bytes.length === 0) return goToEnd(signal);
    show(appended({...emptyWindow(log.offset, log.size), firstNumber: log.line ?? line}, log.bytes, log.size));
    setTarget(log.offset);
  };

  const go = (position: Position) =>
    run(true, signal => {
      switch (position.kind) {
        case "begin":
          return goToOffset(0, signal);
        case "end":
          return goToEnd(signal);
        case "offset":
          return goToOffset(position.offset, signal);
        case "line":
          return goToLine(position.line, signal);
      }
    });

  const more = () => {
    grown.current = running.current !== null;
    run(false, readOn);
  };

  const readOn = async (signal: AbortSignal) => {
    const old = newest.current;
    if (!old) return;
    if (old.size - old.end > WINDOW_LIMIT / 2 && old.lines.length === 0) return goToEnd(signal);
    const log = await read(old.end, CHUNK, signal);
    setTarget(null);
    // A log that became shorter was replaced, for example after the attempt began again.
    if (log.size < old.end) return goToOffset(0, signal);
    show(appended(old, log.bytes, log.size));
  };

  const before = () =>
    run(false, async signal => {
      const old = newest.current;
      if (!old || old.begin === 0) return;
      const from = Math.max(0, old.begin - CHUNK);
      const log = await read(from, old.begin - from, signal);
      setTarget(null);
      show(prepended({...old, size: log.size}, log.bytes, log.offset));
    });

  useEffect(() => {
    newest.current = null;
    setWindow(null);
    setError(null);
    return () => {
      running.current?.abort();
      running.current = null;
    };
  }, [key]);

  return {window, error, busy, target, go, more, before};
}
