// Slider's metainfo.json, the description of a package (classes Metainfo, Application, Component and DockerContainer).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/compat/slider/conf_tree.h"

namespace howdah::compat::slider {

struct MetaCommand {
  std::string exec;
  std::string name = "START";
};

struct DockerPart {
  std::string name, image, network, start_command;
  bool privileged = false;
  struct Mount {
    std::string host, container;
  };
  std::vector<Mount> mounts;
};

// A component of a package.
struct MetaComponent {
  std::string name;
  std::string category = "MASTER", type = "STANDARD";
  std::optional<int> min_instances, max_instances;
  bool has_script = false;  // runs a script of Slider's agent
  std::vector<MetaCommand> commands;
  std::vector<DockerPart> docker;
  Place place;
};

// "A-START" waits for "B-STARTED,C-STARTED".
struct CommandOrder {
  std::string command, required;
  Place place;
};

struct MetaPackage {
  std::string name, type;
};

struct Metainfo {
  std::string application, version;
  std::vector<MetaComponent> components;
  std::vector<CommandOrder> orders;
  std::vector<MetaPackage> packages;
  std::vector<std::string> export_groups;
  // Keys of the table (keys.h) that are set and have no effect, in the order of the file.
  std::vector<std::string> without_effect;
  Place place;
};

struct ReadMeta {
  Metainfo metainfo;
  std::vector<std::string> problems;
};

// Reads a file of at most 1 MiB strictly.
ReadMeta ReadMetainfo(const TextFile& file);

}  // namespace howdah::compat::slider
