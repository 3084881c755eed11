import type {Severity} from "../api/types";

const DOTS: Readonly<Record<Severity, string>> = {low: "●", moderate: "●●", severe: "●●●", critical: "●●●●"};

export function SeverityBadge({severity}: {severity: Severity}) {
  const dots = DOTS[severity] ?? "●";
  return (
    <span class={`severity severity-${severity}`}>
      <span aria-hidden="true">{dots}</span> {severity}
    </span>
  );
}
