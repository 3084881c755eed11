// Colours of the style sheet for what is drawn on a canvas.
import {useEffect, useState} from "preact/hooks";
import {THEME_EVENT} from "./theme_switch";

export type Colour = (name: string) => string;

// The current value of a custom property, such as `--text`. The value may depend on the theme, so a probe resolves it.
export function colourReader(): Colour {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const known = new Map<string, string>();
  for (const name of COLOURS) {
    probe.style.color = `var(${name})`;
    known.set(name, getComputedStyle(probe).color);
  }
  probe.remove();
  return name => known.get(name) ?? "gray";
}

export const CURVES = 8; // number of colours for curves

const COLOURS = [
  "--text",
  "--muted",
  "--line",
  "--panel",
  "--accent",
  "--good",
  "--bad",
  "--warn",
  "--done",
  ...["queue", "localization", "start", "rendezvous", "running", "lost", "recovering"].map(part => `--part-${part}`),
  ...Array.from({length: 5}, (_, i) => `--heat-${i}`),
  ...Array.from({length: CURVES}, (_, i) => `--curve-${i}`),
];

// A number that changes with the theme, for drawing again.
export function useThemeVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const grow = () => setVersion(old => old + 1);
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    window.addEventListener(THEME_EVENT, grow);
    system.addEventListener("change", grow);
    return () => {
      window.removeEventListener(THEME_EVENT, grow);
      system.removeEventListener("change", grow);
    };
  }, []);
  return version;
}
