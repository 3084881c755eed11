// The keyboard shortcuts of all pages.
import {useEffect} from "preact/hooks";
import {interpret, NO_PREFIX, type Action} from "../pure/keys";
import {navigate} from "./use_location";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, select, textarea, dialog, [contenteditable]") !== null;
}

// Moves the focus to the link of the next or previous row; `data-row` marks rows.
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const now = rows.findIndex(row => row.contains(document.activeElement));
  const next = rows[now < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, now + step))];
  const link = next?.querySelector<HTMLElement>("a.job-name, a");
  link?.focus();
  next?.scrollIntoView({block: "nearest"});
}

function act(action: Action, help: () => void): void {
  switch (action.kind) {
    case "filter":
      document.querySelector<HTMLInputElement>("[data-filter]")?.focus();
      break;
    case "help":
      help();
      break;
    case "row":
      moveRow(action.step);
      break;
    case "go":
      navigate(action.path);
      break;
  }
}

export function useShortcuts(help: () => void): void {
  useEffect(() => {
    let state = NO_PREFIX;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape" && event.target instanceof HTMLInputElement) event.target.blur();
        return;
      }
      const result = interpret(state, event.key);
      state = result.state;
      if (!result.action) return;
      event.preventDefault();
      act(result.action, help);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
