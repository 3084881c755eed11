// A labelled list of which one value is chosen. Each value is its own text.
export function ChoiceBox({
  label,
  value,
  choices,
  change,
}: {
  label: string;
  value: string;
  choices: readonly string[];
  change: (value: string) => void;
}) {
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={event => change(event.currentTarget.value)}>
        {choices.map(choice => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}
