// Server-sent events: the shapes that the page reacts to, and how a topic is written in the URL.

export function streamUrl(topics: readonly string[]): string {
  return `/api/v1/stream?topics=${topics.map(topic => encodeURIComponent(topic)).join(",")}`;
}

export function logTopic(id: string, task: string, attempt: number, rank: number, stream: string): string {
  return `log:${id}/${task}/${attempt}/${rank}/${stream}`;
}

// The data of an event, or null if it is not a JSON object with a topic.
export function parsedEvent(data: unknown): ({topic: string} & Record<string, unknown>) | null {
  if (typeof data !== "string") return null;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== "object" || value === null || typeof (value as {topic?: unknown}).topic !== "string")
      return null;
    return value as {topic: string} & Record<string, unknown>;
  } catch {
    return null;
  }
}
