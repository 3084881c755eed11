#include "paths.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <vector>

#include "howdah/keyfile/variables.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr std::string_view kArchives = "zip tar tar.gz tgz tar.bz2 tar.xz tar.zst jar";  // file name endings

bool IsUri(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == text.npos || colon == 0) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '.' ||
           c == '-';
  });
}

// Splits a path into components, without "." and empty components. ".." stays, because its meaning depends on symbolic
// links.
std::vector<std::string_view> Components(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
  }
  return parts;
}

std::string MakeAbsolute(std::string_view path, std::string_view directory) {
  std::string absolute;
  if (path.front() != '/') {
    for (const std::string_view part : Components(directory)) absolute += "/" + std::string(part);
  }
  for (const std::string_view part : Components(path)) absolute += "/" + std::string(part);
  return absolute.empty() ? "/" : absolute;
}

bool CheckExists(Reader& r, const Node& n, PathUse use, const std::string& written, const std::string& path) {
  if (use == PathUse::kDestination || !r.host().path_kind) return true;
  if (use == PathUse::kRows && IsPattern(path)) return true;
  const PathKind kind = r.host().path_kind(path);
  if (kind == PathKind::kMissing) {
    const bool relative = written.front() != '/';
    return r.Fail(n, "no such file or directory: " + Quoted(path, PATH_MAX) +
                         (relative ? "; relative paths start at the job file's directory" : ""));
  }
  const bool is_archive = kind == PathKind::kFile && IsArchiveName(path);
  const std::string endings = "; archives are recognised by their endings: " + std::string(kArchives);
  if (use == PathUse::kSource && kind == PathKind::kFile && !is_archive) {
    return r.Fail(n, Quoted(path, PATH_MAX) + " is neither a directory nor an archive" + endings);
  }
  if (use == PathUse::kArchive && !is_archive) {
    return r.Fail(
        n, Quoted(path, PATH_MAX) + " is not an archive" + (kind == PathKind::kDirectory ? "; pack it" : endings));
  }
  if (use == PathUse::kLocalFile && kind == PathKind::kDirectory) {
    return r.Fail(n, Quoted(path, PATH_MAX) + " is a directory; write the path of a file");
  }
  return true;
}

bool ReadPath(Reader& r, const Node& n, PathUse use, std::string& out) {
  auto text = r.Text(n, "a path or a URI");
  if (!text) return false;
  const std::string_view kFileUri = "file://";
  if (use == PathUse::kRows && text->starts_with("file:/")) {
    const size_t path = text->find_first_not_of('/', std::string_view("file:").size());
    if (path == text->npos) return r.Fail(n, Quoted(*text, PATH_MAX) + " names no file");
    if (path == kFileUri.size()) return r.Fail(n, "a file URI must not name a host; write file:///path");
    out = std::string(kFileUri) + "/" + text->substr(path);
    return true;
  }
  if (text->compare(0, kFileUri.size(), kFileUri) == 0) {
    text->erase(0, kFileUri.size());
    if (text->empty() || text->front() != '/') return r.Fail(n, "a file URI must not name a host; write file:///path");
  }
  if (use == PathUse::kLocalFile && IsUri(*text)) {
    return r.Fail(n, Quoted(*text, PATH_MAX) + " is a URI; write the path of a file on this machine");
  }
  if (text->empty() || IsUri(*text)) {
    out = *text;
    return true;
  }
  if (use == PathUse::kLocalFile && text->starts_with("~/") && r.host().variable) {
    text->replace(0, 1, r.host().variable("HOME").value_or(""));
  }
  if (*text == "~" || text->compare(0, 2, "~/") == 0) {
    return r.Fail(n, "'~' is not expanded in job files; write ${HOME}" + Printable(text->substr(1)));
  }
  std::string path = MakeAbsolute(*text, r.host().directory);
  if (!CheckExists(r, n, use, *text, path)) return false;
  if (use == PathUse::kDestination && text->front() != '/') r.NoteRelativeDirectory();
  out = std::move(path);
  return true;
}

// Reads a path inside the working directory.
bool ReadTarget(Reader& r, const Node& n, std::string& out) {
  const auto text = r.Text(n, "a path within the working directory");
  if (!text) return false;
  if (!text->empty() && text->front() == '/') {
    return r.Fail(n, Quoted(*text) + " is absolute; write a path within the working directory");
  }
  std::string target;
  for (const std::string_view part : Components(*text)) {
    if (part == "..") return r.Fail(n, Quoted(*text) + " may lead outside the working directory; remove the '..'");
    target += (target.empty() ? "" : "/") + std::string(part);
  }
  if (target.empty()) return r.Fail(n, Quoted(*text) + " is not a file name; write the name for the file");
  out = std::move(target);
  return true;
}

const Section<File>& FileKeys() {
  static const Section<File> section = [] {
    Section<File> s;
    const ValueType<std::string> target = {
        &ReadTarget, [](const std::string& to) { return Json(EscapeDollars(to)); },
        [] {
          return Json{{"title", "path within the working directory"}, {"type", "string"}};
        }};
    s.keys = {Row("from", &File::from, PathOrUri(PathUse::kFile), "The file, directory or URI", "labels.csv"),
              Row("to", &File::to, target, "Its path within the working directory"),
              Row("unpack", &File::unpack, TrueOrFalse(), "Unpack the archive into the directory `to`")};
    s.keys[1].default_words = "the last part of `from`";
    return s;
  }();
  return section;
}

}  // namespace

bool IsPattern(std::string_view path) { return path.find_first_of("*?[{") != path.npos; }

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool IsArchiveName(std::string_view path) {
  std::string_view endings = kArchives;
  while (!endings.empty()) {
    const std::string ending = "." + std::string(endings.substr(0, endings.find(' ')));
    endings.remove_prefix(std::min(endings.size(), ending.size()));
    if (path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending) return true;
  }
  return false;
}

ValueType<std::string> PathOrUri(PathUse use) {
  return {[use](Reader& r, const Node& n, std::string& out) { return ReadPath(r, n, use, out); },
          [](const std::string& path) { return path.empty() ? Json() : Json(EscapeDollars(path)); },
          [] {
            return Json{{"title", "path or URI"}, {"type", "string"}};
          }};
}

ValueType<File> StagedFile() {
  ValueType<File> type = OrShort<File, std::string>(
      SectionType(&FileKeys), PathOrUri(PathUse::kFile),
      [](std::string from) {
        return File{std::move(from), "", false};
      },
      [](const File&) { return std::nullopt; });
  type.read = [read = type.read](Reader& r, const Node& n, File& out) {
    if (!read(r, n, out)) return false;
    if (out.from.empty()) return r.Fail(n, "is empty; write for example labels.csv");
    if (out.to.empty()) out.to = std::string(BaseName(out.from));
    if (out.to.empty() || out.to == "..") return r.Fail(n, "has no file name; set one: {from: ..., to: ...}");
    if (!out.unpack) return true;
    if (!IsArchiveName(out.from)) {
      return r.Fail(n, "cannot unpack " + Quoted(out.from) +
                           "; archives are recognised by their endings: " + std::string(kArchives));
    }
    const auto& kind = r.host().path_kind;
    if (!IsUri(out.from) && kind && kind(out.from) == PathKind::kDirectory) {
      return r.Fail(n, "cannot unpack " + Quoted(out.from) + ", a directory; remove 'unpack'");
    }
    return true;
  };
  return type;
}

}  // namespace howdah::jobspec
