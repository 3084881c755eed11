// The answers of the portal's API, version 1. Unknown values are null.
import type {ClusterHistory, ClusterNode, UsedTotal} from "../pure/cluster";
import type {RoleSize} from "../pure/job_edits";

export interface Progress {
  step: number | null;
  steps?: number | null;
  steps_per_second?: number | null;
  checkpoint?: number | null;
  checkpoint_at?: string | null;
  at?: string | null;
}

export type Severity = "low" | "moderate" | "severe" | "critical";

export interface JobRow {
  id: string;
  name: string;
  state: string;
  exit_code: number | null;
  on: string;
  framework: string | null;
  generation: number | null;
  reason: string | null;
  advice: string | null;
  submitted: string | null;
  started: string | null;
  finished: string | null;
  urls: {tracking: string | null; tensorboard: string | null} | null;
  user: string | null;
  queue: string | null;
  tags: string[] | null;
  tasks: {running: number | null; total: number | null} | null;
  gpus: number | null;
  took_seconds: number | null;
  progress: Progress | null;
  goodput: number | null;
  severity: Severity | null;
  findings: number | null;
  cost: number | null;
  currency: string | null;
}

export interface Facet {
  value: string;
  count: number;
}

export interface JobsAnswer {
  total: number;
  complete: boolean;
  next: string | null;
  jobs: JobRow[];
  facets?: Record<string, Facet[]>;
  notes?: string[];
}

export interface Hardware {
  gpu_seconds: number;
  memory_gib_seconds: number;
  vcore_seconds: number;
  other: Record<string, number>;
}

export const BUCKETS = [
  "waiting",
  "localization",
  "start",
  "rendezvous",
  "useful",
  "lost",
  "recovering",
  "tail",
] as const;
export type Bucket = (typeof BUCKETS)[number];

export type Resources = {[bucket in Bucket | "held"]?: Hardware | null} & {
  busy_gpu_seconds?: number | null;
  goodput?: number | null;
  busy?: number | null;
};

export interface Account {
  queue_seconds: number | null;
  localization_seconds: number | null;
  start_seconds: number | null;
  rendezvous_seconds: number | null;
  running_seconds: number | null;
  lost_seconds: number | null;
  recovering_seconds: number | null;
  phase: string | null;
  until: string | null;
  restarts: number | null;
  task_restarts: number | null;
  generations: {
    generation: number;
    at: string;
    cause: unknown;
    lost_seconds: number | null;
    recovering_seconds: number | null;
  }[];
  resources: Resources | null;
}

export interface Usage {
  memory_bytes?: number | null;
  memory_peak_bytes?: number | null;
  memory_average_bytes?: number | null;
  cpu_seconds?: number | null;
  gpu?: {utilisation_average: number; utilisation_peak: number; memory_average: number; memory_peak: number} | null;
}

export interface Granted {
  memory_bytes: number | null;
  vcores: number | null;
  gpus: number | null;
  other?: Record<string, number>;
  label?: string;
}

export interface Attempt {
  task?: string;
  role: string;
  index: number;
  attempt: number;
  generation?: number | null;
  state: string;
  node: string | null;
  container: string | null;
  ranks: number[] | null;
  started: string | null;
  finished: string | null;
  exit_code: number | null;
  signal: string | null;
  reason: string | null;
  usage: Usage | null;
  progress: Progress | null;
}

export interface Task extends Attempt {
  granted?: Granted | null;
  pids?: number[] | null;
}

export interface JobDetail extends Omit<JobRow, "tasks"> {
  tasks: Task[];
  cause: {kind: string; role?: string; index?: number; attempt?: number} | null;
  account: Account | null;
  host?: string | null;
  logs?: string | null;
  age_seconds?: number | null;
  note?: string | null;
}

export interface JobEvent {
  seq: number;
  text: string;
  entry: {time: string; type: string};
}

export interface TimelineAnswer {
  from: string;
  to: string | null;
  stretches: {what: string; from: string; to: string | null}[];
  generations: {generation: number; at: string; cause: string | null}[];
  attempts: {
    task: string;
    role: string;
    index: number;
    attempt: number;
    generation: number;
    node: string | null;
    state: string;
    reason: string | null;
    spans: {state: string; from: string; to: string | null}[];
  }[];
  marks: {at: string; kind: string; task: string | null; text: string}[];
}

export interface ConfigAnswer {
  job: unknown;
  hidden: string[];
  previous: {id: string; differences: {name: string; before: string | null; after: string | null}[]} | null;
}

export interface Saving {
  gpu_hours: number;
  memory_gib_hours: number;
  vcore_hours: number;
  hours: number;
  per_week?: Omit<Saving, "per_week"> | null;
}

export interface Finding {
  check: string;
  severity: Severity;
  role: string | null;
  task: string | null;
  text: string;
  evidence: string[] | null;
  change: {yaml: string | null; set: string[]; other: string | null} | null;
  saving: Saving | null;
  confidence: string;
  runs: number;
  job?: JobRow;
}

export interface Check {
  check: string;
  examines: string;
  why: string;
  fix: string;
}

export interface LogSource {
  task: string;
  role: string;
  index: number;
  attempt: number;
  rank: number;
  stream: string;
  size: number | null;
}

export interface LogHit {
  task: string;
  attempt: number;
  rank: number;
  stream: string;
  offset: number;
  line: number | null;
  text: string;
}

export interface LogCounts {
  counts: {task: string; stream: string; hits: number}[];
  total: number;
  complete: boolean;
  note?: string | null;
}

export type GoodputGroup = {[bucket in Bucket | "held"]?: Hardware | null} & {
  group: string | null;
  jobs: number;
  succeeded: number;
  failed: number;
  killed: number;
  queue_seconds: number | null;
  busy_gpu_seconds: number | null;
  goodput: number | null;
  busy: number | null;
  cost: number | null;
  currency: string | null;
};

export interface GoodputAnswer {
  groups: GoodputGroup[];
  total: GoodputGroup | null;
  notes?: string[];
}

// The usage of one role.
export interface RoleUsage {
  role: string;
  tasks: number;
  failed: number;
  restarts: number;
  memory_peak_bytes: number | null;
  memory_bytes: number | null;
  vcores: number | null;
  gpus: number | null;
  cpu_seconds: number | null;
  gpu_utilisation: number | null;
  gpu_memory_average: number | null;
  step: number | null;
}

// One setting of several runs. A value is null if its run does not have the setting.
export interface Compared {
  name: string;
  kind?: string;
  same: boolean;
  values: (string | null)[];
}

// A run that could not be read has only `id` and `problem`.
export interface ComparedRun extends Partial<Omit<JobRow, "id" | "tasks">> {
  id: string;
  problem: string | null;
  account?: Account | null;
  roles?: RoleUsage[];
}

export interface Comparison {
  runs: ComparedRun[];
  settings: Compared[];
  outcome: Compared[];
}

// A figure outside the band of the runs before: "took_seconds", "cost", "memory_peak_bytes.ROLE", "metric.NAME", …
export interface BandMark {
  figure: string;
  value: number;
  median: number;
  low: number;
  high: number;
  side: "above" | "below";
}

export interface SeriesRun extends JobRow {
  gpu_use: number | null;
  memory_peak_bytes: Record<string, number>;
  metrics: Record<string, number | string>;
  marks: BandMark[];
  differences: ConfigAnswer["previous"];
  problem: string | null;
}

export interface SeriesAnswer {
  name: string;
  total: number;
  next: string | null;
  runs: SeriesRun[];
  notes: string[];
}

// A mistake in a job file. `line` 0: in a change of the form, or in the file as a whole.
export interface JobProblem {
  file: string;
  line: number;
  key: string;
  text: string;
}

export interface PlanAnswer {
  accepted: boolean;
  problems: JobProblem[];
  hints: JobProblem[];
  refusals: string[];
  ignored: string[];
  notes: string[];
  name: string | null;
  roles: RoleSize[];
}

export interface RerunAnswer {
  job: string; // YAML
  roles: RoleSize[];
  host: string | null;
  missing: string[];
  problem: string | null;
}

export interface Health {
  version: string;
  started: string;
  now: string;
  user: string;
  host: string;
  read_only: boolean;
  backends: {
    name: string;
    runs_jobs: boolean;
    state: string;
    detail: string | null;
    since: string | null;
    jobs: number | null;
    live: number | null;
    complete: boolean;
  }[];
}

// How complete and how old the state of a backend is. The other fields are null before the first answer.
export interface ClusterBackend {
  name: string;
  state: "loading" | "ok" | "failing";
  detail: string | null;
  since: string | null;
  at: string | null;
  age_seconds: number | null;
}

export interface WaitingJob {
  id: string;
  name: string;
  user: string | null;
  queue: string | null;
  state: string;
  submitted: string | null;
  tasks: number;
  gpus: number | null;
  reason: string | null;
}

export interface Pending {
  containers: number | null;
  memory_bytes: number | null;
  vcores: number | null;
  gpus: number | null;
}

export interface ClusterSummary extends ClusterBackend {
  nodes: {total: number; usable: number; states: {state: string; count: number}[]} | null;
  memory_bytes: UsedTotal | null;
  vcores: UsedTotal | null;
  gpus: UsedTotal | null;
  pending: Pending | null;
  applications: {running: number; waiting: number} | null;
  waiting_jobs: WaitingJob[] | null;
  history?: ClusterHistory;
}

export interface QueueLimits {
  used: number | null;
  capacity: number | null;
  maximum: number | null;
}

export interface QueueHolder extends Pending {
  user: string | null;
  share: number | null;
  applications: number;
}

export interface ClusterQueue {
  queue: string;
  parent: string | null;
  leaf: boolean;
  state: string;
  used_share: number | null;
  capacity_share: number | null;
  maximum_share: number | null;
  am_share: {used: number | null; maximum: number | null};
  running: number | null;
  waiting: number | null;
  memory_bytes: QueueLimits;
  vcores: QueueLimits;
  gpus: QueueLimits;
  pending: Pending;
  held_by: QueueHolder[];
  waiting_jobs: WaitingJob[];
}

export interface NodeDetail extends ClusterNode {
  tasks?: {job: string; name: string; task: string; attempt: number; state: string; started: string | null}[];
  masters?: string[];
  others?: number | null;
  failures?: {
    job: string;
    name: string;
    task: string;
    attempt: number;
    at: string;
    lost: boolean;
    reason: string | null;
  }[];
  avoided?: {job: string; name: string; until: string | null; reason: string}[];
  complete?: boolean;
  notes?: string[];
}

export interface ApplicationGroup extends Pending {
  type?: string | null;
  user?: string | null;
  running: number;
  waiting: number;
}

export interface ClusterApplication extends Pending {
  id: string;
  name: string | null;
  type: string;
  user: string | null;
  queue: string | null;
  state: string;
  submitted: string | null;
  job: boolean;
  reason: string | null;
}

export interface ClusterAnswer<Backend> {
  now: string;
  backends: Backend[];
}

export type QueuesBackend = ClusterBackend & {queues: ClusterQueue[] | null};
export type NodesBackend = ClusterBackend & {nodes: NodeDetail[] | null};
export type ApplicationsBackend = ClusterBackend & {
  applications: ClusterApplication[] | null;
  by_type: ApplicationGroup[] | null;
  by_user: ApplicationGroup[] | null;
};

export interface ProcessStacks {
  pid: number;
  local_rank: number | null;
  state: string;
  tool: string | null;
  stacks: string | null;
  problem: string | null;
}

export interface StacksAnswer {
  text: string;
  task: string;
  attempt: number;
  processes: ProcessStacks[];
  omitted: number;
}

export interface NamedJob {
  id: string;
  name: string | null;
}

export interface TensorBoard {
  id: string;
  jobs: NamedJob[];
  state: "reading" | "starting" | "serving" | "failed";
  problem: string | null;
  started: string;
  used: string;
  ends: string;
}

export interface TensorBoardsAnswer {
  tensorboards: TensorBoard[];
  live: NamedJob[];
}

export type NotebookRow = JobRow & {
  idle_seconds: number | null;
  ends_at: string | null;
};

export interface NotebooksAnswer {
  notebooks: NotebookRow[];
}
