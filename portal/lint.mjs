// Finds code of the pages that could turn text into markup or code. Names, reasons and logs of users may contain
// anything, and are only ever shown as text. build.mjs fails if there is a finding.
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";

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
const LINKS = "components/link.tsx"; // checks the addresses

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|tsx|html)$/.test(entry.name)) yield path;
  }
}

// Findings in one file, as FILE:LINE: TEXT.
export function findings(path, text) {
  return text
    .split("\n")
    .flatMap((line, i) =>
      BANNED.filter(
        ([pattern]) => pattern.test(line) && !(path.endsWith(LINKS) && pattern.source.includes("href")),
      ).map(([pattern, advice]) => `${path}:${i + 1}: ${line.match(pattern)[0]}: ${advice}`),
    );
}

// Findings in all files below a folder.
export function lint(folder) {
  return [...filesBelow(folder)].sort().flatMap(path => findings(path, readFileSync(path, "utf8")));
}
