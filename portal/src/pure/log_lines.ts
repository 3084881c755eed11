// Bytes of a log as lines that can be shown.

export interface LogLine {
  offset: number; // of the line's first byte in the log
  text: string;
  cut: number; // bytes of the line that are not in `text`
  continued: boolean; // a further piece of a very long line
}

// A longer line is shown only in part, because a browser needs seconds to lay out a line of 100 MB.
export const LINE_LIMIT = 16 * 1024;

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

// Control characters other than tab and escape, as their visible symbols: NUL is ␀. Marks that change the direction of
// text are named, because they could make a line look like another one.
export function visible(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, symbol => {
    if (symbol >= "\u2000") return `[U+${symbol.charCodeAt(0).toString(16).toUpperCase()}]`;
    return symbol === "\x7f" ? "␡" : String.fromCharCode(0x2400 + symbol.charCodeAt(0));
  });
}

// Moves an end that lies inside a UTF-8 character to the character's begin.
function characterStart(bytes: Uint8Array, begin: number, end: number): number {
  let at = end;
  while (at > begin && end - at < 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return ((bytes[at] ?? 0) & 0xc0) === 0x80 ? end : at;
}

const decoder = new TextDecoder("utf-8"); // invalid bytes become U+FFFD

// The text of one line. As in a terminal, a carriage return starts the line again, so only the newest state of a
// progress bar is shown.
function shown(bytes: Uint8Array, begin: number, end: number): {text: string; cut: number} {
  let from = begin;
  let to = end;
  while (to > from && bytes[to - 1] === CARRIAGE_RETURN) to--;
  from += bytes.subarray(from, to).lastIndexOf(CARRIAGE_RETURN) + 1;
  const limit = Math.min(to, from + LINE_LIMIT);
  const stop = limit < to ? characterStart(bytes, from, limit) : limit;
  const text = decoder.decode(bytes.subarray(from, stop));
  return {text: visible(text), cut: to - stop};
}

// The lines of `bytes`, which begin at `offset` of the log. The last line may be incomplete. `continued`: the bytes
// begin inside a line.
export function linesOf(bytes: Uint8Array, offset: number, continued: boolean): LogLine[] {
  const lines: LogLine[] = [];
  let begin = 0;
  while (begin < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const end = newline < 0 ? bytes.length : newline;
    lines.push({offset: offset + begin, continued: continued && begin === 0, ...shown(bytes, begin, end)});
    begin = end + 1;
  }
  return lines;
}

// Where the first line begins if `bytes` does not begin at the start of a line: after the first newline.
export function firstLineStart(bytes: Uint8Array): number {
  const newline = bytes.indexOf(NEWLINE);
  return newline < 0 ? bytes.length : newline + 1;
}

// Where the last, incomplete line begins: after the last newline.
export function lastLineStart(bytes: Uint8Array): number {
  return bytes.lastIndexOf(NEWLINE) + 1;
}
