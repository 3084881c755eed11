// Reads a Yarnfile (Hadoop's YARN services), and translates it into a job file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/client/connection.h"
#include "howdah/client/translated_job.h"
#include "howdah/compat/yarnfile/flags.h"

namespace howdah::client {

struct YarnService {
  TranslatedJob job;
  std::vector<std::pair<std::string, std::string>> quicklinks;  // as in compat::yarnfile::TranslatedService
};

// Reads flags.file, for the backend of the connection. The job's problems include those of the Yarnfile.
Result<YarnService> ReadYarnService(Connection& connection, const compat::yarnfile::Flags& flags);

// The text in which quick links are kept: one line per link, with a tab between name and address.
std::string WriteQuicklinks(const std::vector<std::pair<std::string, std::string>>& links);
std::vector<std::pair<std::string, std::string>> ReadQuicklinks(const std::string& text);

}  // namespace howdah::client
