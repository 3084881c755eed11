// Draws the timeline on a canvas.
import {barOf, density, pixelOf, ticksOf, type GanttRow, type Range} from "../pure/gantt";
import type {Colour} from "./theme_colours";

export const ROW = 20; // height of a row in pixels
export const TOP = 22; // height of the time axis
export const LEFT = 110; // width of the labels

export interface Stretch extends Range {
  what: string;
}

export interface Mark {
  at: number;
  kind: string;
  task: string | null;
  text: string;
}

export interface Picture {
  rows: readonly GanttRow[];
  stretches: readonly Stretch[];
  marks: readonly Mark[];
  range: Range;
  width: number;
  selected: number | null; // index of the row with the details
}

const SYMBOLS: Readonly<Record<string, string>> = {
  failure: "✕",
  lost: "⚡",
  preemption: "⇄",
  checkpoint: "◆",
  scaled: "±",
  recovering: "↻",
  stop: "■",
};

export function symbolOf(kind: string): string {
  return SYMBOLS[kind] ?? "•";
}

const STATE_COLOURS: Readonly<Record<string, string>> = {
  PENDING: "--part-queue",
  ALLOCATED: "--part-localization",
  READY: "--part-start",
  RUNNING: "--part-running",
};

export function heightOf(rows: number): number {
  return TOP + ROW * (rows + 1);
}

function clock(time: number, step: number): string {
  const at = new Date(time);
  const text = at.toLocaleTimeString(undefined, {hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false});
  if (step >= 864e5) return `${at.getDate()}.${at.getMonth() + 1}.`;
  return step >= 6e4
    ? text.slice(0, 5)
    : step >= 1000
      ? text
      : `${text}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

function drawAxis(drawing: CanvasRenderingContext2D, {range, width, rows}: Picture, colour: Colour): void {
  const ticks = ticksOf(range, Math.max(2, Math.floor(width / 90)));
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  drawing.strokeStyle = colour("--line");
  drawing.fillStyle = colour("--muted");
  drawing.textAlign = "center";
  for (const tick of ticks) {
    const x = Math.round(LEFT + pixelOf(tick, range, width)) + 0.5;
    drawing.beginPath();
    drawing.moveTo(x, TOP - 4);
    drawing.lineTo(x, heightOf(rows.length));
    drawing.stroke();
    if (x < LEFT + width - 24) drawing.fillText(clock(tick, step), x, 11);
  }
  drawing.textAlign = "left";
}

function drawBar(drawing: CanvasRenderingContext2D, bar: [number, number] | null, y: number, height: number): void {
  if (bar) drawing.fillRect(LEFT + bar[0], y, bar[1], height);
}

function drawRole(
  drawing: CanvasRenderingContext2D,
  row: GanttRow,
  y: number,
  {range, width}: Picture,
  colour: Colour,
): void {
  const shares = density(row, range, Math.max(1, Math.floor(width)));
  drawing.fillStyle = colour("--part-running");
  shares.forEach((share, x) => {
    const height = share * (ROW - 4);
    if (height > 0) drawing.fillRect(LEFT + x, y + ROW - 2 - height, 1, height);
  });
}

function drawTask(
  drawing: CanvasRenderingContext2D,
  row: GanttRow,
  y: number,
  {range, width}: Picture,
  colour: Colour,
): void {
  for (const attempt of row.attempts) {
    for (const span of attempt.spans) {
      const color = STATE_COLOURS[span.state];
      if (!color) continue;
      drawing.fillStyle = colour(color);
      // Waiting states are thin, so that they differ from running without their colour.
      const [inset, height] = span.state === "RUNNING" ? [3, ROW - 6] : [ROW / 2 - 2, 4];
      drawBar(drawing, barOf(span, range, width), y + inset, height);
    }
    const end = attempt.spans[attempt.spans.length - 1]?.to;
    if (end === undefined || (attempt.state !== "FAILED" && attempt.state !== "LOST")) continue;
    const x = LEFT + pixelOf(end, range, width);
    drawing.fillStyle = colour("--bad");
    if (x >= LEFT && x <= LEFT + width) drawing.fillText(attempt.state === "LOST" ? "⚡" : "✕", x - 4, y + ROW - 6);
  }
}

function drawLabel(drawing: CanvasRenderingContext2D, text: string, y: number, colour: Colour, indent: number): void {
  drawing.fillStyle = colour("--text");
  drawing.fillText(text, 4 + indent, y + ROW - 6, LEFT - 8 - indent);
}

export function drawGantt(drawing: CanvasRenderingContext2D, picture: Picture, colour: Colour): void {
  const {rows, stretches, marks, range, width, selected} = picture;
  drawing.font = "12px system-ui, sans-serif";
  drawing.clearRect(0, 0, LEFT + width, heightOf(rows.length));
  drawAxis(drawing, picture, colour);
  drawLabel(drawing, "job", TOP, colour, 0);
  for (const stretch of stretches) {
    drawing.fillStyle = colour(`--part-${stretch.what}`);
    drawBar(drawing, barOf(stretch, range, width), TOP + 3, ROW - 6);
  }
  rows.forEach((row, i) => {
    const y = TOP + ROW * (i + 1);
    if (i === selected) {
      drawing.fillStyle = colour("--panel");
      drawing.fillRect(0, y, LEFT + width, ROW);
    }
    drawLabel(
      drawing,
      row.kind === "role" ? `${row.label} ×${row.tasks}` : row.label,
      y,
      colour,
      row.kind === "task" ? 10 : 0,
    );
    if (row.kind === "role") drawRole(drawing, row, y, picture, colour);
    else drawTask(drawing, row, y, picture, colour);
  });
  drawing.fillStyle = colour("--text");
  for (const mark of marks) {
    const x = pixelOf(mark.at, range, width);
    if (x >= 0 && x <= width) drawing.fillText(symbolOf(mark.kind), LEFT + x - 4, TOP + ROW - 6);
  }
}
