// The time, for durations that grow while they are shown.
import {useEffect, useState} from "preact/hooks";

// One timer serves all texts of the page.
const listeners = new Set<() => void>();
let timer: number | null = null;

function watch(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    if (!document.hidden) for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    window.clearInterval(timer);
    timer = null;
  };
}

// In milliseconds since 1970; renders the component again every second.
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => watch(() => setNow(Date.now())), []);
  return now;
}
