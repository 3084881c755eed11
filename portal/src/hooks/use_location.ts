// The URL as the state of the pages.
import {useEffect, useState} from "preact/hooks";
import {changed, parseLocation, urlOf, type Location} from "../pure/url_state";

const listeners = new Set<() => void>();

function current(): Location {
  return parseLocation(window.location.pathname, window.location.search);
}

function notify(): void {
  for (const listener of listeners) listener();
}

window.addEventListener("popstate", notify);

export function navigate(url: string, replace = false): void {
  if (replace) window.history.replaceState(null, "", url);
  else window.history.pushState(null, "", url);
  notify();
}

// Changes values of the query; null removes one. `replace`: the change is no step of the browser's history.
export function setQuery(changes: Readonly<Record<string, string | null>>, replace = false): void {
  const {path, query} = current();
  const url = urlOf(path, changed(query, changes));
  if (url !== urlOf(path, query)) navigate(url, replace);
}

export function useLocation(): Location {
  const [location, setLocation] = useState(current);
  useEffect(() => {
    const update = () => setLocation(current());
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return location;
}
