// Sentences of the server about what is missing in an answer.
export function Notes({notes}: {notes: readonly string[] | undefined | null}) {
  if (!notes || notes.length === 0) return null;
  return (
    <div class="notes" role="status">
      <ul>
        {notes.map(note => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}
