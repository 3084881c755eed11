// For the tests of this library: the files of applications, and their translation.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "howdah/compat/slider/translate.h"
#include "howdah/jobspec/job_file.h"

namespace howdah::compat::slider::testing {

struct Files {
  std::string resources, app_config = R"({"global": {}})";
  std::string metainfo = {};  // empty: there is none
};

// The application `app` of the user ann in /pkg, whose directory has package/files and package/app.tgz.
inline Application Read(const Files& files) {
  Application app;
  app.name = "app";
  app.user = "ann";
  ReadTree resources = ReadConfTree({"resources.json", files.resources});
  ReadTree app_config = ReadConfTree({"appConfig.json", files.app_config});
  app.resources = std::move(resources.tree);
  app.app_config = std::move(app_config.tree);
  std::vector<std::string>& problems = app.problems;
  problems = resources.problems;
  problems.insert(problems.end(), app_config.problems.begin(), app_config.problems.end());
  if (!files.metainfo.empty()) {
    ReadMeta metainfo = ReadMetainfo({"metainfo.json", files.metainfo});
    app.metainfo = std::move(metainfo.metainfo);
    problems.insert(problems.end(), metainfo.problems.begin(), metainfo.problems.end());
  }
  app.package.path = "/pkg";
  app.package.path_kind = [](const std::string& inside) {
    if (inside == "package/files") return keyfile::PathKind::kDirectory;
    return inside == "package/app.tgz" ? keyfile::PathKind::kFile : keyfile::PathKind::kMissing;
  };
  return app;
}

inline common::Translation Translated(const Application& app) {
  return Translate(app, [] { return std::optional<Largest>({int64_t{12} << 30, 8}); });
}

inline common::Translation Translated(const Files& files) { return Translated(Read(files)); }

// The job of a job file.
inline jobspec::JobSpec Job(const std::string& text) {
  jobspec::SubmitHost host;
  host.file_name = "expected.yaml";
  host.directory = "/";
  const jobspec::ParsedJob parsed = jobspec::ParseJobFile(text, host);
  for (const keyfile::Problem& problem : parsed.problems) ADD_FAILURE() << problem.ToText();
  return parsed.spec;
}

inline std::vector<std::string> NotesOf(const common::Translation& translation) {
  std::vector<std::string> notes;
  for (const common::Note& note : translation.notes) notes.push_back(note.ToText());
  return notes;
}

}  // namespace howdah::compat::slider::testing
