import {useEffect} from "preact/hooks";
import {useStored} from "../hooks/use_stored";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

export const THEME_EVENT = "howdah-theme"; // sent to the window after a change, for what is drawn on a canvas

export function ThemeSwitch() {
  const [theme, setTheme] = useStored<Theme>("theme", "system");
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    window.dispatchEvent(new Event(THEME_EVENT));
  }, [theme]);
  return (
    <label class="theme">
      <span class="sr-only">Theme</span>
      <select value={theme} onChange={event => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map(name => (
          <option key={name} value={name}>
            {name === "system" ? "theme: system" : name}
          </option>
        ))}
      </select>
    </label>
  );
}
