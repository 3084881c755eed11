// Fails if the code of the pages could turn text into markup or code. Users' text is only ever text: names, reasons and
// logs may contain anything. `node lint.mjs [FOLDER]` prints FILE:LINE: TEXT for each finding.
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";

const BANNED = [
  [/\b(inner|outer)HTML\b/, "write text with JSX or textContent"],
  [/\bdangerouslySetInnerHTML\b/, "write text with JSX"],
  [/\binsertAdjacentHTML\b/, "write text with JSX or insertAdjacentText"],
  [/\b(setHTMLUnsafe|setHTML|parseFromString|createContextualFragment|srcdoc)\b/, "the pages parse no markup"],
  [/\bdocument\.write(ln)?\b/, "write text with JSX"],
  [/\beval\s*\(|\bnew\s+Function\b/, "the content security policy forbids code from text"],
  [/\b(setTimeout|setInterval)\s*\(\s*["'`]/, "the content security policy forbids code from text"],
  [/javascript:/i, "a link must not run code"],
  [/\bhref=\{/, "an address from data could run code; use the component Link or ExternalLink"],
];
const LINKS = "components/link.tsx";  // checks the addresses

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|tsx|html)$/.test(entry.name)) yield path;
  }
}

export function findings(path, text) {
  return text.split("\n").flatMap((line, i) =>
    BANNED.filter(([pattern]) => pattern.test(line) && !(path.endsWith(LINKS) && pattern.source.includes("href")))
      .map(([pattern, advice]) => `${path}:${i + 1}: ${line.match(pattern)[0]}: ${advice}`));
}

export function lint(folder) {
  return [...filesBelow(folder)].sort().flatMap(path => findings(path, readFileSync(path, "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = lint(process.argv[2] ?? fileURLToPath(new URL("src", import.meta.url)));
  for (const line of found) console.error(line);
  process.exitCode = found.length > 0 ? 1 : 0;
}
