// Which source of certificate authorities is used.
#include "howdah/hadoop/web/authorities.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace howdah::hadoop::web {
namespace {

using ::testing::HasSubstr;

class Authorities : public ::testing::Test {
 protected:
  Authorities() {
    std::string pattern = (std::filesystem::temp_directory_path() / "howdah-web-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    variables_["HADOOP_CONF_DIR"] = folder_;
  }
  ~Authorities() override { std::filesystem::remove_all(folder_); }

  void WriteSslClient(const std::string& location, const std::string& password) const {
    std::ofstream(folder_ + "/ssl-client.xml")
        << "<configuration><property><name>ssl.client.truststore.location</name><value>" << location
        << "</value></property><property><name>ssl.client.truststore.password</name><value>" << password
        << "</value></property></configuration>";
  }
  conf::Configuration Client() const {
    return conf::Configuration({[this](const std::string& name) -> std::optional<std::string> {
                                  const auto found = variables_.find(name);
                                  return found == variables_.end() ? std::nullopt : std::optional(found->second);
                                },
                                "ann", "/home/ann"});
  }
  Result<std::shared_ptr<const os::http::Trust>> Find() const { return AuthoritiesOf(Client()); }

  const std::string stores_ = HOWDAH_SOURCE_DIR "/src/hadoop/web/testdata/";
  std::string folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(Authorities, TrustStoreOfSslClientIsUsed) {
  WriteSslClient(stores_ + "two.jks", "changeit");
  const auto found = Find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT((*found)->source(), HasSubstr(stores_ + "two.jks"));
  EXPECT_THAT((*found)->source(), HasSubstr("ssl.client.truststore.location in " + folder_ + "/ssl-client.xml"));
}

TEST_F(Authorities, ConfiguredAuthoritiesArePassedOnAsPem) {
  EXPECT_EQ(*ConfiguredAuthorities(Client()), "");
  WriteSslClient(stores_ + "two.jks", "changeit");
  const auto pem = ConfiguredAuthorities(Client());
  ASSERT_TRUE(pem.ok()) << pem.error().message;
  size_t certificates = 0;
  for (size_t at = 0; (at = pem->find("BEGIN CERTIFICATE", at)) != pem->npos; ++at) ++certificates;
  EXPECT_EQ(certificates, 2u);
  variables_["HOWDAH_CA"] = folder_ + "/ca.pem";
  std::ofstream(variables_["HOWDAH_CA"]) << *pem;
  const auto found = Find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(*ConfiguredAuthorities(Client()), *pem);
}

TEST_F(Authorities, UnusableTrustStoreIsNotReplacedByAnother) {
  WriteSslClient(stores_ + "two.pkcs12", "wrong");
  EXPECT_THAT(Find().error().message, HasSubstr("ssl.client.truststore.password"));
  EXPECT_EQ(Find().error().code, ErrorCode::kUsage);
  WriteSslClient("/nonexistent/trust.jks", "");
  EXPECT_THAT(Find().error().message, HasSubstr("/nonexistent/trust.jks"));
  variables_["HOWDAH_CA"] = "/nonexistent/ca.pem";
  EXPECT_THAT(Find().error().message, HasSubstr("$HOWDAH_CA: "));
}

}  // namespace
}  // namespace howdah::hadoop::web
