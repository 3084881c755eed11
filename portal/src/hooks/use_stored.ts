// A value that this browser keeps.
import {useCallback, useState} from "preact/hooks";

export function stored<T>(name: string, otherwise: T): T {
  try {
    const text = window.localStorage.getItem(`howdah.${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise; // storage is off, or holds something else
  }
}

export function useStored<T>(name: string, otherwise: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => stored(name, otherwise));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      try {
        window.localStorage.setItem(`howdah.${name}`, JSON.stringify(next));
      } catch {
        // The value then lasts until the page is closed.
      }
    },
    [name],
  );
  return [value, set];
}
