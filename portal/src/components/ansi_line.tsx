import {spansOf} from "../pure/ansi";
import {bytes} from "../pure/format";
import type {LogLine} from "../pure/log_lines";

// The text of one line of a log, with its colours.
export function AnsiLine({line}: {line: LogLine}) {
  return (
    <span class="ansi-line">
      {spansOf(line.text).map((span, i) => (
        <span key={i} class={span.style || undefined}>
          {span.text}
        </span>
      ))}
      {line.cut > 0 && <span class="cut"> … {bytes(line.cut)} of this line are not shown</span>}
      {"\n"}
    </span>
  );
}
