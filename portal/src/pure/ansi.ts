// ANSI escape sequences in logs: colours become spans, everything else that a terminal would act on is removed.

export interface Span {
  text: string;
  style: string; // names of CSS classes, separated by blanks; empty for plain text
}

interface Look {
  foreground: number | null; // 0 to 15
  background: number | null;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

const PLAIN: Look = {
  foreground: null,
  background: null,
  bold: false,
  faint: false,
  italic: false,
  underline: false,
  inverse: false,
};

function classes(look: Look): string {
  const [front, back] = look.inverse ? [look.background, look.foreground] : [look.foreground, look.background];
  const names: string[] = [];
  if (look.inverse && front === null && back === null) names.push("ansi-inverse");
  if (front !== null) names.push(`ansi-f${front}`);
  if (back !== null) names.push(`ansi-bg${back}`);
  if (look.bold) names.push("ansi-bold");
  if (look.faint) names.push("ansi-faint");
  if (look.italic) names.push("ansi-italic");
  if (look.underline) names.push("ansi-underline");
  return names.join(" ");
}

// The nearest of the 16 colours, because each of them has a readable counterpart in both themes.
function nearestOf16(red: number, green: number, blue: number): number {
  const brightest = Math.max(red, green, blue);
  const bright = brightest > 191 ? 8 : 0;
  if (brightest < 48) return 0;
  if (brightest - Math.min(red, green, blue) < 32) return brightest > 191 ? 15 : brightest > 127 ? 7 : 8;
  const half = brightest / 2;
  return bright + (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
}

function nearestOf256(index: number): number {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearestOf16(grey, grey, grey);
  }
  const level = (digit: number) => (digit === 0 ? 0 : 55 + digit * 40);
  const cube = index - 16;
  return nearestOf16(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

// Reads the colour after the parameter 38 or 48. Returns it with the number of parameters that it takes.
function extendedColour(parameters: number[], at: number): [number | null, number] {
  if (parameters[at] === 5) return [nearestOf256(Math.min(255, parameters[at + 1] ?? 0)), 2];
  if (parameters[at] === 2) {
    return [nearestOf16(parameters[at + 1] ?? 0, parameters[at + 2] ?? 0, parameters[at + 3] ?? 0), 4];
  }
  return [null, 0];
}

function withColour(look: Look, parameter: number): Look {
  if (parameter >= 30 && parameter <= 37) return {...look, foreground: parameter - 30};
  if (parameter >= 40 && parameter <= 47) return {...look, background: parameter - 40};
  if (parameter >= 90 && parameter <= 97) return {...look, foreground: parameter - 90 + 8};
  if (parameter >= 100 && parameter <= 107) return {...look, background: parameter - 100 + 8};
  return look;
}

function withParameter(look: Look, parameter: number): Look {
  switch (parameter) {
    case 0:
      return PLAIN;
    case 1:
      return {...look, bold: true};
    case 2:
      return {...look, faint: true};
    case 3:
      return {...look, italic: true};
    case 4:
      return {...look, underline: true};
    case 7:
      return {...look, inverse: true};
    case 22:
      return {...look, bold: false, faint: false};
    case 23:
      return {...look, italic: false};
    case 24:
      return {...look, underline: false};
    case 27:
      return {...look, inverse: false};
    case 39:
      return {...look, foreground: null};
    case 49:
      return {...look, background: null};
    default:
      return withColour(look, parameter);
  }
}

function applied(look: Look, text: string): Look {
  const parameters = text.split(/[;:]/).map(word => Number(word) || 0);
  let result = look;
  for (let at = 0; at < parameters.length; at++) {
    const parameter = parameters[at] as number;
    if (parameter === 38 || parameter === 48) {
      const [colour, used] = extendedColour(parameters, at + 1);
      if (used === 0) break;
      result = {...result, [parameter === 38 ? "foreground" : "background"]: colour};
      at += used;
    } else {
      result = withParameter(result, parameter);
    }
  }
  return result;
}

// CSI sequences, OSC and other strings up to their end, two-byte sequences, and an incomplete one at the end of a line.
const ESCAPE = /\x1b(?:\[([0-?]*)[ -/]*([@-~])?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;

// The spans of one line. Colours do not continue in the next line, because the viewer may show any part of a log.
export function spansOf(line: string): Span[] {
  if (!line.includes("\x1b")) return [{text: line, style: ""}];
  const spans: Span[] = [];
  let look = PLAIN;
  let begin = 0;
  const add = (text: string) => {
    const style = classes(look);
    const last = spans[spans.length - 1];
    if (text === "") return;
    if (last && last.style === style) last.text += text;
    else spans.push({text, style});
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(line.slice(begin, match.index));
    begin = match.index + match[0].length;
    if (match[2] === "m") look = applied(look, match[1] ?? "");
  }
  add(line.slice(begin));
  return spans.length > 0 ? spans : [{text: "", style: ""}];
}

export function withoutEscapes(line: string): string {
  return line.includes("\x1b") ? line.replace(ESCAPE, "") : line;
}
