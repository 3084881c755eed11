// Builds the pages. The script `build` beside this file calls it after it has installed the packages.
//
//   node build.mjs pages FOLDER [FILE.cc]   type check, lint, bundle into FOLDER; FILE.cc: the same files as C++ source
//   node build.mjs test FOLDER              type check, lint, and the unit tests of test/, bundled into FOLDER
import {spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {basename, dirname, join, relative} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";
import {lint} from "./lint.mjs";

const ROOT = dirname(fileURLToPath(import.meta.url));
const MAIN = "src/main.tsx";
// The documents, each for the pages of one part: src/portal/page_routes.cc chooses among them.
const DOCUMENTS = {"index.html": MAIN, "job.html": "src/pages/job/job_page.tsx"};
const CODE_LIMIT = 80_000; // compressed bytes of code that a browser loads for one page

const CONTENT_TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

function fail(text) {
  console.error(`portal: ${text}`);
  process.exit(1);
}

function checkTypes(project) {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const done = spawnSync(process.execPath, [tsc, "--project", join(ROOT, project)], {stdio: "inherit", cwd: ROOT});
  if (done.status !== 0) fail(`the type check of ${project} failed`);
}

function checkMarkup() {
  const found = lint(join(ROOT, "src"));
  if (found.length > 0) fail(`code that could turn text into markup:\n${found.join("\n")}`);
}

// The packages whose code is in a bundle, as {name, version, licence, text}.
function packagesOf(metafile) {
  const folders = new Set(
    Object.keys(metafile.inputs)
      .map(path => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
      .filter(name => name),
  );
  return [...folders].sort().map(name => {
    const folder = join(ROOT, "node_modules", name);
    const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
    if (!file) fail(`the package ${name} has no licence file`);
    return {
      name,
      version: about.version,
      licence: about.license,
      text: readFileSync(join(folder, file), "utf8").trim(),
    };
  });
}

function licencesText(packages) {
  return packages
    .map(({name, version, licence, text}) => `${name} ${version} (${licence})\n\n${text}\n`)
    .join("\n----------------------------------------------------------------\n\n");
}

// The scripts that a browser loads for an entry point: its output, and all that this imports statically.
function scriptsOf(metafile, entry) {
  const found = new Set([Object.keys(metafile.outputs).find(path => metafile.outputs[path].entryPoint === entry)]);
  for (const path of found) {
    for (const {path: imported, kind} of metafile.outputs[path].imports) {
      if (kind === "import-statement") found.add(imported);
    }
  }
  return [...found];
}

// The scripts of each part of the pages, which are loaded together: entry point -> [script]. The first part, that of
// the list, is also the beginning of all others.
function partsOf(metafile) {
  const first = scriptsOf(metafile, MAIN);
  const entries = Object.values(metafile.outputs).flatMap(({entryPoint}) => entryPoint ?? []);
  return new Map(
    [MAIN, ...entries.filter(entry => entry !== MAIN)].map(entry => [
      entry,
      [...new Set([...first, ...scriptsOf(metafile, entry)])],
    ]),
  );
}

// The document that starts the pages. It names all scripts that the first page needs, so that a browser requests them
// together, and not one level of imports after the other.
function documentOf(scripts, style) {
  const preloaded = scripts.slice(1).map(path => `<link rel="modulepreload" href="/${path}" />`);
  return readFileSync(join(ROOT, "src/index.html"), "utf8")
    .replace("APP_JS", `/${scripts[0]}`)
    .replace("APP_CSS", `/${style}`)
    .replace("<!-- PRELOADED -->", preloaded.join(""));
}

// The files of the pages, [{path, bytes, immutable}], and the paths of the scripts of each part.
async function bundled() {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: {app: MAIN},
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    splitting: true,
    target: "es2022",
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    charset: "utf8",
    logLevel: "warning",
  });
  const parts = partsOf(result.metafile);
  const files = result.outputFiles.map(({path, contents}) => ({
    path: `assets/${basename(path)}`,
    bytes: Buffer.from(contents),
    immutable: true,
  }));
  const packages = packagesOf(result.metafile);
  const style = files.find(file => file.path.endsWith(".css")).path;
  for (const [name, entry] of Object.entries(DOCUMENTS)) {
    files.push({path: name, bytes: Buffer.from(documentOf(parts.get(entry), style)), immutable: false});
  }
  files.push({path: "assets/icon.svg", bytes: readFileSync(join(ROOT, "src/icon.svg")), immutable: false});
  files.push({path: "assets/licences.txt", bytes: Buffer.from(licencesText(packages)), immutable: false});
  return {files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), parts, packages};
}

function compressed(files) {
  return files.map(file => ({
    ...file,
    gzip: gzipSync(file.bytes, {level: 9}),
    hash: createHash("sha256").update(file.bytes).digest("hex"),
    type: CONTENT_TYPES[file.path.split(".").pop()],
  }));
}

function cppSource(files) {
  const arrays = files.map(
    ({gzip}, i) => `constexpr unsigned char kFile${i}[] = {${[...gzip].join(",").replace(/(.{1,118}),/g, "$1,\n")}};\n`,
  );
  const rows = files.map(
    ({path, type, hash, immutable, gzip}, i) =>
      `    {"${path}", "${type}", "${hash}", ${immutable},\n` +
      `     {reinterpret_cast<const char*>(kFile${i}), ${gzip.length}}},\n`,
  );
  return `// Generated by portal/build.mjs.
#include "howdah/portal/pages/pages.h"

namespace howdah::portal::pages {
namespace {
${arrays.join("")}}  // namespace

std::span<const PageFile> PageFiles() {
  static const PageFile kFiles[] = {
${rows.join("")}  };
  return kFiles;
}

}  // namespace howdah::portal::pages
`;
}

async function buildPages(folder, source) {
  checkTypes("tsconfig.json");
  checkMarkup();
  const {files, parts, packages} = await bundled();
  const ready = compressed(files);
  const codes = [...parts.values()].map(scripts =>
    ready
      .filter(({path}) => scripts.includes(path) || path === "index.html" || path.endsWith(".css"))
      .reduce((sum, file) => sum + file.gzip.length, 0),
  );
  const most = Math.max(...codes);
  if (most > CODE_LIMIT) fail(`the code of a page has ${most} compressed bytes; the limit is ${CODE_LIMIT}`);
  rmSync(folder, {recursive: true, force: true});
  for (const {path, bytes} of ready) {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), bytes);
  }
  // For tools/sbom.py. It is not one of the files that the portal serves.
  const listed = packages.map(({name, version, licence}) => ({name, version, licence}));
  writeFileSync(join(folder, "packages.json"), `${JSON.stringify(listed, null, 1)}\n`);
  if (source) writeFileSync(source, cppSource(ready));
  const where = relative(process.cwd(), folder);
  console.log(`portal: ${files.length} files, ${codes[0]} to ${most} compressed bytes of code for a page, in ${where}`);
}

async function runTests(folder) {
  checkTypes("tsconfig.test.json");
  checkMarkup();
  rmSync(folder, {recursive: true, force: true});
  const names = readdirSync(join(ROOT, "test")).filter(name => name.endsWith(".test.ts"));
  await build({
    absWorkingDir: ROOT,
    entryPoints: names.map(name => `test/${name}`),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    outdir: folder,
    outExtension: {".js": ".mjs"},
    sourcemap: "inline",
    logLevel: "warning",
  });
  const programs = names.map(name => join(folder, name.replace(/\.ts$/, ".mjs")));
  const done = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...programs], {stdio: "inherit"});
  process.exit(done.status ?? 1);
}

const [command, folder, source] = process.argv.slice(2);
if (command === "pages" && folder) await buildPages(folder, source);
else if (command === "test" && folder) await runTests(folder);
else fail("usage: build.mjs pages FOLDER [FILE.cc] | build.mjs test FOLDER");
