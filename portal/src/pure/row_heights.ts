// Positions of rows of different heights, for lists that render only the visible rows.

// tops[i] is the top of row i in units of one text line; the last element is the height of all rows.
export function topsOf(lengths: readonly number[], columns: number): Float64Array {
  const tops = new Float64Array(lengths.length + 1);
  for (let row = 0; row < lengths.length; row++) {
    const lines = columns > 0 ? Math.max(1, Math.ceil((lengths[row] as number) / columns)) : 1;
    tops[row + 1] = (tops[row] as number) + lines;
  }
  return tops;
}

// The row that contains the position `at`.
export function rowAt(tops: Float64Array, at: number): number {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The rows [first, last) that are visible between two positions, with some rows around them.
export function visibleRows(tops: Float64Array, from: number, to: number, around: number): [number, number] {
  const rows = tops.length - 1;
  if (rows <= 0) return [0, 0];
  return [Math.max(0, rowAt(tops, from) - around), Math.min(rows, rowAt(tops, to) + 1 + around)];
}

// The number of columns of a text in a monospaced font. Wide characters, such as Chinese ones, take two.
export function columnsOf(text: string): number {
  let columns = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 9) columns += 8 - (columns % 8);
    else if (
      code >= 0x1100 &&
      (code <= 0x115f ||
        (code >= 0x2e80 && code <= 0xd7a3) ||
        (code >= 0xf900 && code <= 0xfaff) ||
        (code >= 0xfe30 && code <= 0xfe6f) ||
        (code >= 0xff00 && code <= 0xff60))
    )
      columns += 2;
    else columns += 1;
  }
  return columns;
}
