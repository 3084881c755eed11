import {keyOf, ROLE_FIELDS, valueOfField, type Edits, type RoleSize} from "../../pure/job_edits";

// The sizes of each role, as fields. An edited field becomes a change of the job file.
export function RoleFields({
  roles,
  edits,
  change,
}: {
  roles: readonly RoleSize[];
  edits: Edits;
  change: (edits: Edits) => void;
}) {
  return (
    <>
      {roles.map(size => (
        <fieldset key={size.role} class="role-fields">
          <legend>{size.role}</legend>
          {ROLE_FIELDS.map(field => {
            const key = keyOf(size.role, field);
            return (
              <label key={field}>
                {field}{" "}
                <input
                  value={edits[key] ?? valueOfField(size, field)}
                  size={12}
                  autocomplete="off"
                  spellcheck={false}
                  onInput={event => change({...edits, [key]: event.currentTarget.value})}
                />
              </label>
            );
          })}
        </fieldset>
      ))}
    </>
  );
}
