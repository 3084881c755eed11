import {useEffect, useRef, useState} from "preact/hooks";
import {useWidth} from "../hooks/use_width";
import {clamped, zoomed, type GanttRow, type Range} from "../pure/gantt";
import {drawGantt, heightOf, LEFT, ROW, TOP, type Mark, type Stretch} from "./gantt_drawing";
import {colourReader, useThemeVersion} from "./theme_colours";

interface Props {
  rows: readonly GanttRow[];
  stretches: readonly Stretch[];
  marks: readonly Mark[];
  whole: Range;
  range: Range;
  change: (range: Range) => void;
  choose: (row: GanttRow) => void;
}

const KEYS: Readonly<Record<string, (range: Range, whole: Range) => Range>> = {
  ArrowLeft: (range, whole) => shifted(range, whole, -0.1),
  ArrowRight: (range, whole) => shifted(range, whole, 0.1),
  "+": (range, whole) => zoomed(range, whole, 0.5, 0.5),
  "=": (range, whole) => zoomed(range, whole, 0.5, 0.5),
  "-": (range, whole) => zoomed(range, whole, 2, 0.5),
  "0": (_, whole) => whole,
};

function shifted(range: Range, whole: Range, share: number): Range {
  const by = (range.to - range.from) * share;
  return clamped({from: range.from + by, to: range.to + by}, whole);
}

// The timeline as a picture. Arrow keys move it and + and - zoom; so do dragging, and the wheel with Ctrl.
export function Gantt({rows, stretches, marks, whole, range, change, choose}: Props) {
  const [box, boxWidth] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeVersion();
  const [selected, setSelected] = useState<number | null>(null);
  const drag = useRef<{x: number; range: Range; moved: boolean} | null>(null);
  const width = Math.max(1, boxWidth - LEFT - 8);
  const height = heightOf(rows.length);

  useEffect(() => {
    const drawing = canvas.current?.getContext("2d");
    if (!canvas.current || !drawing || boxWidth === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.current.width = boxWidth * scale;
    canvas.current.height = height * scale;
    drawing.scale(scale, scale);
    drawGantt(drawing, {rows, stretches, marks, range, width, selected}, colourReader());
  }, [rows, stretches, marks, range.from, range.to, boxWidth, theme, selected]);

  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const around = Math.min(1, Math.max(0, (event.offsetX - LEFT) / width));
    change(zoomed(range, whole, event.deltaY > 0 ? 1.25 : 0.8, around));
  };
  const onMove = (event: PointerEvent) => {
    const from = drag.current;
    if (!from) return;
    const by = ((event.offsetX - from.x) / width) * (from.range.to - from.range.from);
    if (Math.abs(event.offsetX - from.x) < 3 && !from.moved) return;
    from.moved = true;
    change(clamped({from: from.range.from - by, to: from.range.to - by}, whole));
  };
  const onUp = (event: PointerEvent) => {
    const moved = drag.current?.moved;
    drag.current = null;
    const index = Math.floor((event.offsetY - TOP) / ROW) - 1;
    const row = rows[index];
    if (moved || !row) return;
    setSelected(index);
    choose(row);
  };
  return (
    <div
      ref={box}
      class="gantt"
      tabIndex={0}
      role="group"
      aria-label="Timeline; the tables below have the same facts"
      onKeyDown={event => {
        const next = event.ctrlKey || event.metaKey ? undefined : KEYS[event.key];
        if (!next) return;
        event.preventDefault();
        change(next(range, whole));
      }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${rows.length} rows of roles and tasks over time`}
        style={{width: `${boxWidth}px`, height: `${height}px`}}
        onWheel={onWheel}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerLeave={() => {
          drag.current = null;
        }}
        onPointerDown={event => {
          drag.current = {x: event.offsetX, range, moved: false};
        }}
      />
    </div>
  );
}
