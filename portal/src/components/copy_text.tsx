import {useState} from "preact/hooks";

// Text to copy, such as a command. Without access to the clipboard the text can be selected as any other.
export function CopyText({text, label}: {text: string; label: string}) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      {navigator.clipboard && (
        <button type="button" onClick={copy}>
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </div>
  );
}
