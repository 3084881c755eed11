// The visible lines of a log, in a scrolling box.
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {AnsiLine} from "../../components/ansi_line";
import {Link} from "../../components/link";
import {withoutEscapes} from "../../pure/ansi";
import {lineAt, numbersOf, wanted, type LogWindow} from "../../pure/log_window";
import {columnsOf, rowAt, topsOf, visibleRows} from "../../pure/row_heights";
import type {Query} from "../../pure/url_state";

const LINE_HEIGHT = 18; // pixels, as in the style sheet
const AROUND = 30; // lines rendered outside the box

interface Props {
  window: LogWindow;
  target: number | null; // offset to scroll to, after a jump
  marked: number | null; // offset of the line that the URL names
  wrap: boolean;
  follow: boolean;
  path: string;
  linkQuery: (offset: number) => Query;
  more: () => void;
  before: () => void;
  leftEnd: () => void; // the user has scrolled up while following
}

// The number of characters that fit into one row of the box.
function useColumns(box: {current: HTMLDivElement | null}, wrap: boolean): number {
  const [columns, setColumns] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !wrap) return undefined;
    const measure = () => {
      const probe = element.querySelector(".probe");
      const gutter = element.querySelector(".gutter-probe");
      const character = (probe?.getBoundingClientRect().width ?? 0) / 100;
      const room = element.clientWidth - (gutter?.getBoundingClientRect().width ?? 0) - 16;
      if (character > 0) setColumns(Math.max(10, Math.floor(room / character)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [wrap]);
  return wrap ? columns : 0;
}

export function LogText(props: Props) {
  const {window: log, target, marked, wrap, follow, path, linkQuery, more, before, leftEnd} = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({top: 0, height: 600});
  const columns = useColumns(box, wrap);
  const lengths = useMemo(
    () =>
      columns > 0
        ? log.lines.map(line => columnsOf(withoutEscapes(line.text)))
        : new Array<number>(log.lines.length).fill(0),
    [log, columns],
  );
  const tops = useMemo(() => topsOf(lengths, columns), [lengths, columns]);
  const numbers = useMemo(() => numbersOf(log), [log]);
  const anchor = useRef<{offset: number; delta: number} | null>(null);
  const lastTop = useRef(0);
  const [first, last] = visibleRows(tops, view.top / LINE_HEIGHT, (view.top + view.height) / LINE_HEIGHT, AROUND);

  const remember = (element: HTMLDivElement) => {
    const row = rowAt(tops, element.scrollTop / LINE_HEIGHT);
    const line = log.lines[row];
    anchor.current = line ? {offset: line.offset, delta: element.scrollTop - (tops[row] ?? 0) * LINE_HEIGHT} : null;
    lastTop.current = element.scrollTop;
    setView({top: element.scrollTop, height: element.clientHeight});
  };

  // After new lines: go to the target, stay at the end while following, or keep the same line in place.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (follow) {
      element.scrollTop = element.scrollHeight;
    } else if (target !== null) {
      const row = lineAt(log, target);
      if (row >= 0) element.scrollTop = Math.max(0, ((tops[row] ?? 0) - 3) * LINE_HEIGHT);
    } else if (anchor.current) {
      const row = lineAt(log, anchor.current.offset);
      if (row >= 0) element.scrollTop = (tops[row] ?? 0) * LINE_HEIGHT + anchor.current.delta;
    }
    remember(element);
  }, [log, tops, follow, target]);

  // Reads what is missing around the visible lines.
  const fill = (scrolling: -1 | 0 | 1) => {
    const element = box.current;
    if (!element) return;
    const [from, to] = visibleRows(
      tops,
      element.scrollTop / LINE_HEIGHT,
      (element.scrollTop + element.clientHeight) / LINE_HEIGHT,
      0,
    );
    const side = wanted(log, from, to, scrolling);
    if (side === "after") more();
    if (side === "before") before();
  };
  useEffect(() => fill(0), [log]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const moved = element.scrollTop - lastTop.current;
    if (follow && moved < -LINE_HEIGHT) leftEnd();
    remember(element);
    if (moved !== 0) fill(moved > 0 ? 1 : -1);
  };

  return (
    <div
      ref={box}
      class={`log-box ${wrap ? "wrap" : ""}`}
      onScroll={onScroll}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Text of the log">
      <span class="probe" aria-hidden="true">
        {"0".repeat(100)}
      </span>
      <span class="gutter gutter-probe" aria-hidden="true" />
      <div style={{height: `${(tops[tops.length - 1] ?? 0) * LINE_HEIGHT}px`}} class="log-space">
        <div class="log-lines" style={{transform: `translateY(${(tops[first] ?? 0) * LINE_HEIGHT}px)`}}>
          {log.lines.slice(first, last).map((line, i) => {
            const number = numbers[first + i] ?? null;
            return (
              <div
                key={line.offset}
                class={line.offset === marked ? "log-line marked" : "log-line"}
                aria-current={line.offset === marked ? "location" : undefined}>
                <Link
                  to={path}
                  query={linkQuery(line.offset)}
                  class="gutter"
                  tabIndex={-1}
                  label={number === null ? `link to byte ${line.offset}` : `link to line ${number}`}>
                  {number === null ? "·" : String(number)}
                </Link>
                <AnsiLine line={line} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
