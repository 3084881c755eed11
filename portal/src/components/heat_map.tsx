import {useEffect, useRef} from "preact/hooks";
import {useWidth} from "../hooks/use_width";
import {shadeOf, type HeatRow} from "../pure/heat_map";
import {colourReader, useThemeVersion} from "./theme_colours";

const MOST_ROWS = 64;
const ROW_HEIGHT = 12;

interface Props {
  rows: readonly HeatRow[];
  label: string;
}

// Ranks (slowest first) by time. The darker a cell, the longer the steps compared with the median of all ranks.
export function HeatMap({rows, label}: Props) {
  const [box, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeVersion();
  const shown = rows.slice(0, MOST_ROWS);
  const height = shown.length * ROW_HEIGHT;

  useEffect(() => {
    const drawing = canvas.current?.getContext("2d");
    if (!canvas.current || !drawing || width === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.current.width = width * scale;
    canvas.current.height = height * scale;
    drawing.scale(scale, scale);
    const colour = colourReader();
    const columns = Math.max(1, ...shown.map(row => row.cells.length));
    shown.forEach((row, y) =>
      row.cells.forEach((cell, x) => {
        if (cell === null) return;
        drawing.fillStyle = colour(`--heat-${shadeOf(cell)}`);
        const left = Math.floor((x / columns) * width);
        drawing.fillRect(
          left,
          y * ROW_HEIGHT,
          Math.max(1, Math.ceil(((x + 1) / columns) * width) - left),
          ROW_HEIGHT - 1,
        );
      }),
    );
  }, [rows, width, height, theme]);

  return (
    <div ref={box} class="heat">
      <canvas ref={canvas} role="img" aria-label={label} style={{width: `${width}px`, height: `${height}px`}} />
      {rows.length > MOST_ROWS && (
        <p class="muted">
          The {MOST_ROWS} slowest of {rows.length} ranks.
        </p>
      )}
    </div>
  );
}
