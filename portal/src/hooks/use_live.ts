// Live updates of a component.
import {useEffect, useRef, useState} from "preact/hooks";
import {LiveStream, type LiveHandlers, type LiveState} from "../api/live_stream";

// Watches topics while the component is shown. `key` names the set of topics; null: nothing is watched. The handlers of
// the newest rendering are called.
export function useLive(key: string | null, topics: () => string[], handlers: Omit<LiveHandlers, "state">): LiveState {
  const [state, setState] = useState<LiveState>("connecting");
  const newest = useRef({topics, handlers});
  newest.current = {topics, handlers};
  useEffect(() => {
    if (key === null) return undefined;
    const stream = new LiveStream(() => newest.current.topics(), {
      reload: () => newest.current.handlers.reload(),
      event: (kind, data) => newest.current.handlers.event(kind, data),
      state: setState,
    });
    return () => stream.close();
  }, [key]);
  return state;
}

// Calls `action` at most once per `ms`, the last time after the last call.
export function useThrottled(action: () => void, ms: number): () => void {
  const newest = useRef(action);
  newest.current = action;
  const timer = useRef<number | null>(null);
  const last = useRef(0);
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
    },
    [],
  );
  return () => {
    if (timer.current !== null) return;
    const wait = Math.max(0, last.current + ms - Date.now());
    timer.current = window.setTimeout(() => {
      timer.current = null;
      last.current = Date.now();
      newest.current();
    }, wait);
  };
}
