import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, getJson, jobUrl} from "../../api/client";
import type {JobDetail, JobEvent} from "../../api/types";
import {Failure} from "../../components/failure";
import {setQuery, useLocation} from "../../hooks/use_location";
import {useVisibleRows, ALL_ROWS} from "../../hooks/use_visible_rows";
import {count} from "../../pure/format";

const ROW_HEIGHT = 24; // pixels, as in the style sheet
const LIMIT = 1000; // events per request

interface EventsAnswer {
  events: JobEvent[];
  next: number;
  more: boolean;
}

// All events that the journal has so far. After a change only the new ones are read.
function useEvents(id: string, version: number): {events: JobEvent[]; error: ApiError | null; complete: boolean} {
  const [events, setEvents] = useState<JobEvent[]>([]);
  const [error, setError] = useState<ApiError | null>(null);
  const [complete, setComplete] = useState(false);
  const next = useRef(0);
  useEffect(() => {
    const controller = new AbortController();
    const readOn = async () => {
      for (let more = true; more;) {
        const url = jobUrl(id, "events", {after: String(next.current), limit: String(LIMIT)});
        const answer = await getJson<EventsAnswer>(url, controller.signal);
        if (controller.signal.aborted) return;
        next.current = answer.next;
        more = answer.more;
        setEvents(old => old.concat(answer.events));
      }
      setError(null);
      setComplete(true);
    };
    readOn().catch((reason: unknown) => {
      if (reason instanceof ApiError) setError(reason);
    });
    return () => controller.abort();
  }, [id, version]);
  return {events, error, complete};
}

export function EventsTab({job, version}: {job: JobDetail; version: number}) {
  const {query} = useLocation();
  const {events, error, complete} = useEvents(job.id, version);
  const wanted = (query["find"] ?? "").toLowerCase();
  const rows = wanted ? events.filter(event => event.text.toLowerCase().includes(wanted)) : events;
  const view = useVisibleRows(rows.length, ROW_HEIGHT);
  return (
    <>
      <div class="toolbar">
        <label>
          Find{" "}
          <input
            data-filter
            value={query["find"] ?? ""}
            spellcheck={false}
            onInput={event => setQuery({find: event.currentTarget.value}, true)}
          />
        </label>
        <span class="total" role="status">
          {count(rows.length)} of {count(events.length)} events{!complete && !error && ", reading…"}
        </span>
      </div>
      {error && <Failure what="The events" error={error} />}
      <div
        class={rows.length > ALL_ROWS ? "scroll tall" : "scroll"}
        ref={view.box}
        onScroll={view.scrolled}
        tabIndex={0}
        role="region"
        aria-label="Events">
        <ol class="events">
          {view.above > 0 && <li aria-hidden="true" style={{height: `${view.above}px`}} />}
          {rows.slice(view.first, view.last).map(event => (
            <li key={event.seq} title={event.entry.time}>
              <code>{event.text}</code>
            </li>
          ))}
          {view.below > 0 && <li aria-hidden="true" style={{height: `${view.below}px`}} />}
        </ol>
        {complete && events.length === 0 && <p class="empty">The journal is empty.</p>}
      </div>
    </>
  );
}
