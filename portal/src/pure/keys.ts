// The keyboard shortcuts, as a pure function of the last key and this one.

export type Action = {kind: "filter"} | {kind: "help"} | {kind: "row"; step: 1 | -1} | {kind: "go"; path: string};

export interface KeyState {
  prefix: boolean; // `g` was pressed
}

export const NO_PREFIX: KeyState = {prefix: false};

export const SHORTCUTS: readonly {keys: string; meaning: string}[] = [
  {keys: "/", meaning: "go to the filter or search box"},
  {keys: "j", meaning: "next row"},
  {keys: "k", meaning: "previous row"},
  {keys: "Enter", meaning: "open the row"},
  {keys: "g j", meaning: "jobs"},
  {keys: "g c", meaning: "cluster"},
  {keys: "g g", meaning: "goodput"},
  {keys: "g a", meaning: "advice"},
  {keys: "g n", meaning: "notebooks"},
  {keys: "g b", meaning: "about"},
  {keys: "?", meaning: "this help"},
  {keys: "Esc", meaning: "close, leave the box"},
];

const PAGES: Readonly<Record<string, string>> = {
  j: "/",
  c: "/cluster",
  g: "/goodput",
  a: "/advice",
  n: "/notebooks",
  b: "/about",
};

export function interpret(state: KeyState, key: string): {state: KeyState; action: Action | null} {
  const done = (action: Action | null) => ({state: NO_PREFIX, action});
  if (state.prefix) {
    const path = PAGES[key];
    return done(path === undefined ? null : {kind: "go", path});
  }
  switch (key) {
    case "g":
      return {state: {prefix: true}, action: null};
    case "/":
      return done({kind: "filter"});
    case "?":
      return done({kind: "help"});
    case "j":
      return done({kind: "row", step: 1});
    case "k":
      return done({kind: "row", step: -1});
    default:
      return done(null);
  }
}
