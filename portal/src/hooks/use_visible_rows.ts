// The rows of a long table that are visible in its scrolling box. All rows have the same height.
import type {RefObject} from "preact";
import {useLayoutEffect, useRef, useState} from "preact/hooks";

const AROUND = 20; // rows rendered outside the box
export const ALL_ROWS = 200; // a table of at most this size is rendered as a whole

export interface VisibleRows {
  box: RefObject<HTMLDivElement | null>; // the scrolling element
  first: number;
  last: number;
  above: number; // pixels of the rows before the first one
  below: number;
  scrolled: () => void;
}

export function useVisibleRows(rows: number, height: number): VisibleRows {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({from: 0, to: 1000});
  const scrolled = () => {
    const element = box.current;
    if (element) setRange({from: element.scrollTop / height, to: (element.scrollTop + element.clientHeight) / height});
  };
  useLayoutEffect(scrolled, [rows]);
  const all = rows <= ALL_ROWS;
  const first = all ? 0 : Math.min(rows, Math.max(0, Math.floor(range.from) - AROUND));
  const last = all ? rows : Math.min(rows, Math.ceil(range.to) + AROUND);
  return {box, first, last, above: first * height, below: (rows - last) * height, scrolled};
}
