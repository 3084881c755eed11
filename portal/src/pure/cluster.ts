// The state of clusters, prepared for the pages.
import {bytes, count, percent, plural, UNKNOWN, type Maybe} from "./format";
import type {Curve, Table} from "./series";

export interface UsedTotal {
  used: number | null;
  total: number | null;
}

export interface ClusterNode {
  node: string;
  port: number | null;
  rack: string | null;
  label: string | null;
  state: string;
  usable: boolean;
  health: string | null;
  containers: number | null;
  memory_bytes: UsedTotal;
  vcores: UsedTotal;
  gpus: UsedTotal;
}

export interface ClusterHistory {
  start: string;
  width: number;
  series: Readonly<Record<string, (number | null)[]>>;
  problem: string | null;
}

export const GROUPINGS = ["no group", "label", "rack"] as const;
export type Grouping = (typeof GROUPINGS)[number];

export function shareOf({used, total}: UsedTotal): number | null {
  return used === null || total === null || total <= 0 ? null : used / total;
}

// A level from 0 to 4, or null for an unknown share.
export function levelOf(share: number | null): number | null {
  return share === null ? null : Math.min(4, Math.max(0, Math.floor(share * 5)));
}

// "81% (12 GiB of 16 GiB)"
export function usageText(amount: UsedTotal, text: (value: Maybe<number>) => string): string {
  const share = shareOf(amount);
  const parts = `${text(amount.used)} of ${text(amount.total)}`;
  return share === null ? parts : `${percent(share)} (${parts})`;
}

export function freeGpus({gpus}: ClusterNode): number | null {
  return gpus.used === null || gpus.total === null ? null : Math.max(0, gpus.total - gpus.used);
}

// The content of a square: each of its marks has a text, too.
export interface Square {
  level: number | null; // of the used memory
  memory: string;
  gpus: string; // empty: the node has none
  mark: string; // empty: healthy
  label: string; // the whole content as a sentence
}

export function squareOf(node: ClusterNode): Square {
  const share = shareOf(node.memory_bytes);
  const free = freeGpus(node);
  const hasGpus = node.gpus.total !== 0;
  const mark = node.usable ? "" : node.state === "DECOMMISSIONING" ? "↓" : "✕";
  const parts = [
    node.state,
    `memory ${usageText(node.memory_bytes, bytes)} used`,
    hasGpus ? `${count(free)} of ${count(node.gpus.total)} GPUs free` : "no GPUs",
    `${count(node.containers)} containers`,
    ...(node.health ? [node.health] : []),
  ];
  return {
    level: levelOf(share),
    memory: percent(share),
    gpus: hasGpus ? `${count(free)} GPU` : "",
    mark,
    label: `${node.node}: ${parts.join(", ")}`,
  };
}

// The nodes by label or rack; nodes without one come last.
export function groupsOf(
  nodes: readonly ClusterNode[],
  by: Grouping,
): {title: string; key: string; nodes: ClusterNode[]}[] {
  const groups = new Map<string, ClusterNode[]>();
  for (const node of nodes) {
    const key = by === "no group" ? "" : (node[by] ?? "");
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups]
    .sort(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a.localeCompare(b)))
    .map(([key, members]) => ({
      key,
      title: by === "no group" ? "" : `${key === "" ? `no ${by}` : `${by} ${key}`}: ${plural(members.length, "node")}`,
      nodes: members.sort((a, b) => a.node.localeCompare(b.node, "en", {numeric: true})),
    }));
}

// "42 RUNNING · 1 UNHEALTHY"
export function statesText(states: readonly {state: string; count: number}[]): string {
  return states.map(one => `${count(one.count)} ${one.state}`).join(" · ") || UNKNOWN;
}

// "110% of 40%, at most 100%": the use of a queue, its capacity and its maximum.
export function queueShareText(queue: {
  used_share: number | null;
  capacity_share: number | null;
  maximum_share: number | null;
}): string {
  return `${percent(queue.used_share)} of ${percent(queue.capacity_share)}, at most ${percent(queue.maximum_share)}`;
}

// "ann 48%, bob 31%"
export function heldByText(users: readonly {user: string | null; share: number | null}[]): string {
  const most = 3;
  const named = users.slice(0, most).map(one => `${one.user ?? UNKNOWN} ${percent(one.share)}`);
  if (users.length > most) named.push(`${users.length - most} more`);
  return named.join(", ") || UNKNOWN;
}

const FIGURES: Readonly<Record<string, string>> = {
  nodes: "all",
  usable_nodes: "offered to jobs",
  memory_used: "used",
  memory_total: "total",
  pending_containers: "containers",
};

// Some figures of the history as the columns of a chart over time.
export function historyTable(history: ClusterHistory, figures: readonly string[]): Table {
  const start = Date.parse(history.start) / 1000;
  const curves: Curve[] = figures.map(figure => ({
    label: FIGURES[figure] ?? figure,
    values: history.series[figure] ?? [],
  }));
  const length = Math.max(0, ...curves.map(curve => curve.values.length));
  return {x: Array.from({length}, (_, i) => start + i * history.width), curves};
}
