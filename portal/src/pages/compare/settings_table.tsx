import type {ComponentChildren} from "preact";
import type {Compared, ComparedRun} from "../../api/types";
import {byKind} from "../../pure/comparison";
import {UNKNOWN} from "../../pure/format";
import {RunTitles} from "./run_titles";

function Rows({settings}: {settings: readonly Compared[]}) {
  return (
    <>
      {settings.map(setting => (
        <tr key={setting.name}>
          <th scope="row">
            <code>{setting.name}</code>
          </th>
          {setting.values.map((value, i) => (
            <td key={i}>{value ?? UNKNOWN}</td>
          ))}
        </tr>
      ))}
    </>
  );
}

// Settings of the runs side by side, by kind.
export function SettingsTable({
  label,
  runs,
  settings,
}: {
  label: string;
  runs: readonly ComparedRun[];
  settings: readonly Compared[];
}) {
  const groups = byKind(settings);
  const named = settings.some(setting => setting.kind !== undefined);
  return (
    <ScrollTable label={label}>
      <RunTitles first="key" runs={runs} />
      {groups.map(group => (
        <tbody key={group.kind}>
          {named && (
            <tr>
              <th scope="rowgroup" colSpan={runs.length + 1} class="group">
                {group.kind}
              </th>
            </tr>
          )}
          <Rows settings={group.settings} />
        </tbody>
      ))}
    </ScrollTable>
  );
}

export function ScrollTable({label, children}: {label: string; children: ComponentChildren}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain compare">{children}</table>
    </div>
  );
}
