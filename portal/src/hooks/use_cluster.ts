// Resources about clusters, which are read again whenever the portal has news of one.
import type {LiveState} from "../api/live_stream";
import {useLive, useThrottled} from "./use_live";

const RELOAD_MS = 2000;

export function useClusterLive(resources: readonly {reload: () => void}[]): LiveState {
  const reload = () => resources.forEach(resource => resource.reload());
  const soon = useThrottled(reload, RELOAD_MS);
  return useLive("cluster", () => ["cluster"], {reload, event: soon});
}
