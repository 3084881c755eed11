#include "constants.h"

#include <gtest/gtest.h>

#include <set>

namespace howdah::compat::yarnfile {
namespace {

// The text with variables as ${NAME}, which is also what bash gets.
std::string FilledText(const std::string& text, std::set<std::string>* unknown = nullptr) {
  const Constants constants("hbase", "Bob_dev", {{"hbasemaster", 1}, {"region-server", 3}});
  std::set<std::string> ignored;
  return constants.Fill(text, "region-server", {"MY_VAR"}, unknown == nullptr ? ignored : *unknown).ToText();
}

// The names are those of ServiceApiConstants and of the page "YARN Service Configurations".
TEST(Constants, FixedOnesAreReplacedAndThoseOfATaskBecomeVariables) {
  const std::pair<const char*, const char*> kRows[] = {
      {"${SERVICE_NAME} ${SERVICE_NAME.lc} ${USER}", "hbase hbase bob-dev"},
      {"${COMPONENT_NAME}/${COMPONENT_NAME.lc}", "region-server/region-server"},
      {"${COMPONENT_ID} ${COMPONENT_INSTANCE_NAME} ${CONTAINER_ID}",
       "${COMPONENT_ID} ${COMPONENT_INSTANCE_NAME} ${CONTAINER_ID}"},
      {"${REGION-SERVER-2_HOST}:${HBASEMASTER-0_IP}", "${HOST_OF_REGION_SERVER_2}:${HOST_OF_HBASEMASTER_0}"},
      {"${REGION-SERVER-3_HOST} ${OTHER-0_HOST}", "${REGION-SERVER-3_HOST} ${OTHER-0_HOST}"},
      {"${MY_VAR} ${NOT_MINE} $X ${", "${MY_VAR} ${NOT_MINE} $X ${"},
      {"(hbasemaster-0.${SERVICE_NAME}.${USER}.${DOMAIN}:80)", "(${HOST_OF_HBASEMASTER_0}:80)"},
      {"region-server-1.${SERVICE_NAME}.${USER}.${DOMAIN}", "${HOST_OF_REGION_SERVER_1}"},
      {"${COMPONENT_INSTANCE_NAME}.${SERVICE_NAME}.${USER}.${DOMAIN}", "${HOST_OF_SELF_}"},
      {"hbasemaster-1.${SERVICE_NAME}.${USER}.${DOMAIN}", "hbasemaster-1.hbase.bob-dev."},
  };
  for (const auto& [text, filled] : kRows) EXPECT_EQ(FilledText(text), filled) << text;
}

TEST(Constants, ConstantsWithoutValueAreReported) {
  std::set<std::string> unknown;
  FilledText("${CLUSTER_ZK_QUORUM} ${SERVICE_HDFS_DIR} ${DOMAIN} ${USER}", &unknown);
  EXPECT_EQ(unknown, (std::set<std::string>{"CLUSTER_ZK_QUORUM", "DOMAIN", "SERVICE_HDFS_DIR"}));
}

TEST(Constants, TextsAreQuotedForBash) {
  const Filled filled{{{"a\"$b`c\\ ", false}, {"COMPONENT_ID", true}}};
  EXPECT_EQ(ShellText(filled), "\"a\\\"\\$b\\`c\\\\ ${COMPONENT_ID}\"");
  EXPECT_EQ(ShellWord("conf/a-b.txt"), "conf/a-b.txt");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
  const Filled script{{{"echo '", false},
                       {"COMPONENT_ID", true},
                       {"' \"it's ", false},
                       {"COMPONENT_ID", true},
                       {"\" \\' ", false},
                       {"COMPONENT_ID", true}}};
  EXPECT_EQ(ShellScript(script), "echo ''\"${COMPONENT_ID}\"'' \"it's ${COMPONENT_ID}\" \\' ${COMPONENT_ID}");
}

TEST(Constants, LinksGetTheHostsOfTasks) {
  const auto host = [](const std::string& role, int index) { return role + "@" + std::to_string(index); };
  EXPECT_EQ(Constants::Link("//${HOST_OF_REGION_SERVER_2}:1/ ${OTHER} ${HOST_OF_", host),
            "//region-server@2:1/ ${OTHER} ${HOST_OF_");
  EXPECT_EQ(Constants::Link(Constants::HostReference("web", 0), host), "web@0");
}

}  // namespace
}  // namespace howdah::compat::yarnfile
