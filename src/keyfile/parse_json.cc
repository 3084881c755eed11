#include <nlohmann/json.hpp>
#include <string>

#include "howdah/keyfile/parse.h"

namespace howdah::keyfile {
namespace {

// Builds the tree from the events of nlohmann's sax_parse.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(TreeBuilder& builder) : builder_(builder) {}
  bool null() override { return builder_.Null(0, ""); }
  bool boolean(bool value) override { return builder_.Scalar(0, "", value ? "true" : "false"); }
  bool number_integer(int64_t value) override { return builder_.Scalar(0, "", std::to_string(value)); }
  bool number_unsigned(uint64_t value) override { return builder_.Scalar(0, "", std::to_string(value)); }
  bool number_float(double, const std::string& text) override { return builder_.Scalar(0, "", text); }
  bool string(std::string& value) override { return builder_.Scalar(0, "", value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return builder_.Start(Node::Kind::kMap, 0, ""); }
  bool key(std::string& name) override { return builder_.Scalar(0, "", name); }
  bool end_object() override { return builder_.End(); }
  bool start_array(size_t) override { return builder_.Start(Node::Kind::kList, 0, ""); }
  bool end_array() override { return builder_.End(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) override {
    return builder_.Fail(0, "not valid JSON at byte " + std::to_string(at));
  }

 private:
  TreeBuilder& builder_;
};

}  // namespace

ParsedTree ParseJson(std::string_view text, Tree& tree) {
  TreeBuilder builder(tree, false);
  Handler handler(builder);
  const bool complete = nlohmann::json::sax_parse(text, &handler);
  if (!complete && !builder.error()) builder.Fail(0, "not valid JSON");
  return {builder.root(), builder.error()};
}

}  // namespace howdah::keyfile
