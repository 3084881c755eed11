import type {JobDetail} from "../../api/types";
import {setQuery} from "../../hooks/use_location";
import {taskOf} from "./task_columns";

// Which tasks the charts show: the quantiles of each role, or one task or role.
export function TaskChoice({job, chosen}: {job: JobDetail; chosen: string}) {
  const roles = [...new Set(job.tasks.map(task => task.role))];
  return (
    <label>
      Tasks{" "}
      <input
        list="tasks-to-chart"
        value={chosen}
        placeholder="all"
        autocomplete="off"
        spellcheck={false}
        size={16}
        onChange={event => setQuery({tasks: event.currentTarget.value.trim() || null}, true)}
      />
      <datalist id="tasks-to-chart">
        {roles.map(role => (
          <option key={role} value={role} />
        ))}
        {job.tasks.slice(0, 200).map(task => (
          <option key={taskOf(task)} value={taskOf(task)} />
        ))}
      </datalist>
    </label>
  );
}
