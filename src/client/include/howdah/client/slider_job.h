// Reads an application of Apache Slider from its files, and translates it into a job file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "howdah/client/connection.h"
#include "howdah/client/translated_job.h"

namespace howdah::client {

struct SliderRequest {
  std::string name;
  std::string package;     // --appdef: a directory or a zip file; empty: there is none
  std::string app_config;  // --template
  std::string resources;   // --resources
  std::string metainfo;    // --metainfo; empty: that of the package, if it has one
  std::string queue;
  std::vector<std::pair<std::string, int>> maxima;  // --max
  bool docker = false;
};

// Reads the files. The job's problems include theirs.
Result<TranslatedJob> ReadSliderJob(Connection& connection, const SliderRequest& request);

struct TensorflowRequest {
  std::string configuration;       // -start: the path of the configuration
  std::vector<std::string> files;  // -files: files and directories for the working directories
  bool on_cluster = false;         // checkpoints are in HDFS, unless the configuration says otherwise
};

// Reads the configuration of ytensorflow. The job has the name of the application.
Result<TranslatedJob> ReadYtensorflowJob(Connection& connection, const TensorflowRequest& request);

}  // namespace howdah::client
