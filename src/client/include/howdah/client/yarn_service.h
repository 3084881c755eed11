// Reads a Yarnfile (Hadoop's YARN services), and translates it into a job file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/client/translated_job.h"
#include "howdah/compat/yarnfile/flags.h"

namespace howdah::client {

struct YarnService {
  TranslatedJob job;
  std::vector<std::pair<std::string, std::string>> quicklinks;  // as in compat::yarnfile::TranslatedService
};

// Reads flags.file. `on` is the backend's name. The job's problems include those of the Yarnfile.
Result<YarnService> ReadYarnService(const compat::yarnfile::Flags& flags, const std::string& on);

// The text in which quick links are kept: one line per link, with a tab between name and address.
std::string WriteQuicklinks(const std::vector<std::pair<std::string, std::string>>& links);
std::vector<std::pair<std::string, std::string>> ReadQuicklinks(const std::string& text);

}  // namespace howdah::client
