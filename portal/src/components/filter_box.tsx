import {useEffect, useId, useRef, useState} from "preact/hooks";
import type {ApiError} from "../api/client";

const WAIT_MS = 250; // after the last key, before the list is read

interface Props {
  value: string;
  error: ApiError | null; // why the server cannot use this filter
  change: (value: string) => void;
}

// The filter of the jobs list. The server's explanation of a mistake is shown beneath the box.
export function FilterBox({value, error, change}: Props) {
  const [text, setText] = useState(value);
  const timer = useRef<number | undefined>(undefined);
  const sent = useRef(value);
  const id = useId();

  useEffect(() => {
    if (value === sent.current) return; // our own change; the user may have typed on
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const apply = (next: string) => {
    window.clearTimeout(timer.current);
    sent.current = next.trim();
    change(next.trim());
  };
  const input = (next: string) => {
    setText(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => apply(next), WAIT_MS);
  };
  return (
    <form
      role="search"
      class="filter"
      onSubmit={event => {
        event.preventDefault();
        apply(text);
      }}>
      <label class="sr-only" for={id}>
        Filter the jobs
      </label>
      <input
        id={id}
        data-filter
        type="text"
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== null}
        aria-describedby={`${id}-note`}
        placeholder="state:RUNNING user:me since:7d took:>1h words…"
        onInput={event => input(event.currentTarget.value)}
      />
      {text && (
        <button
          type="button"
          aria-label="Clear the filter"
          onClick={() => {
            setText("");
            apply("");
          }}>
          ✕
        </button>
      )}
      <p id={`${id}-note`} class={error ? "problem" : "sr-only"} role={error ? "alert" : undefined}>
        {error ? `${error.message} ${error.advice ?? ""}` : "Words, and terms such as state:FAILED or since:7d"}
      </p>
    </form>
  );
}
