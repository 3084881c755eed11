// Parses YAML through libyaml's events. libyaml rejects invalid YAML that yaml-cpp accepts, such as an unterminated
// quote at the end of the text, and its error messages name the missing part.
#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "howdah/keyfile/parse.h"
#include "howdah/keyfile/words.h"

namespace howdah::keyfile {
namespace {

constexpr size_t kTextMax = 1 << 20;

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

int LineAt(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

// Returns the number of bytes of the first character. The text is UTF-8 and not empty.
size_t LengthOfFirst(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return length;
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); text.remove_prefix(LengthOfFirst(text))) ++count;
  return count;
}

// Returns the line, and below it a caret under the character with this number, counted from 0. Shows only a part of a
// long line.
std::string Excerpt(std::string_view text, int line, size_t column) {
  constexpr size_t kBefore = 60, kAfter = 40;
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find_first_of("\r\n"));
  size_t begin = 0, at = 0, end = 0;
  for (size_t i = 0; end < text.size() && i < column + kAfter; ++i) {
    end += LengthOfFirst(text.substr(end));
    if (i < column) at = end;
    if (i >= kBefore && i < column) begin += LengthOfFirst(text.substr(begin));
  }
  const auto shown = [](std::string_view part) { return Printable(part, 4 * part.size() + 1); };
  const std::string before = (begin > 0 ? "…" : "") + shown(text.substr(begin, at - begin));
  const std::string after = shown(text.substr(at, end - at)) + (end < text.size() ? "…" : "");
  return "  " + before + after + "\n  " + std::string(CountCharacters(before), ' ') + "^";
}

// Feeds libyaml in small pieces. Before each piece, checks the nesting depth and the number of %TAG directives, because
// libyaml needs quadratic time in both, and only libyaml itself counts them.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&parser_, &Parser::Read, this);
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  bool Next(yaml_event_t* event) { return yaml_parser_parse(&parser_, event) != 0; }

  SyntaxError Error() const {
    if (too_deep_) return {LineOf(parser_.mark), "nested too deeply"};
    if (too_many_tags_) return {LineOf(parser_.mark), "%TAG directives are not supported; remove them"};
    const std::string_view problem = parser_.problem == nullptr ? "out of memory" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      return {LineAt(text_, std::min(parser_.problem_offset, text_.size())), "not valid YAML: " + std::string(problem)};
    }
    const bool after_end = LineOf(parser_.problem_mark) > LastLine();
    const int line = after_end ? LastLine() : LineOf(parser_.problem_mark);
    const std::string excerpt = Excerpt(text_, line, after_end ? text_.size() : parser_.problem_mark.column);
    if (problem == "did not find expected <document start>") {
      return {line, "unexpected text after the end of the document", excerpt};
    }
    const std::string_view context = parser_.context == nullptr ? "" : parser_.context;
    const std::string text = std::string(problem) + std::string(Hint(problem, context));
    if (context.empty()) return {line, "not valid YAML: " + text, excerpt};
    const int begun = std::min(LineOf(parser_.context_mark), line);
    const std::string whole = "not valid YAML: " + std::string(context) + ", " + text;
    // Report an unterminated value at the line where it begins.
    if (after_end || context == "while scanning a simple key")
      return {begun, whole, Excerpt(text_, begun, parser_.context_mark.column)};
    if (begun == line) return {line, whole, excerpt};
    return {line, whole + " (which begins in line " + std::to_string(begun) + ")", excerpt};
  }

  static int LineOf(const yaml_mark_t& mark) { return static_cast<int>(mark.line) + 1; }

 private:
  static int Read(void* self, unsigned char* buffer, size_t size, size_t* size_read) {
    return static_cast<Parser*>(self)->Feed(buffer, size, size_read);
  }

  int Feed(unsigned char* buffer, size_t size, size_t* size_read) {
    constexpr size_t kPiece = 1024;
    constexpr int kTagsMax = 8;
    too_deep_ = parser_.flow_level > static_cast<int>(TreeBuilder::kDepthMax) ||
                parser_.indents.top - parser_.indents.start > static_cast<ptrdiff_t>(TreeBuilder::kDepthMax) * 2;
    too_many_tags_ = parser_.tag_directives.top - parser_.tag_directives.start > kTagsMax;
    if (too_deep_ || too_many_tags_) return 0;
    *size_read = std::min({size, kPiece, text_.size() - at_});
    std::memcpy(buffer, text_.data() + at_, *size_read);
    at_ += *size_read;
    return 1;
  }

  int LastLine() const {
    const size_t last = text_.find_last_not_of("\r\n");
    return last == text_.npos ? 1 : LineAt(text_, last);
  }

  static std::string_view Hint(std::string_view p, std::string_view context) {
    if (p == "mapping values are not allowed in this context") {
      return "; put quotes around a value that contains ': ', and check the indentation";
    }
    if (p.find("cannot start any token") != p.npos)
      return "; indent with spaces, and quote a value that begins with this character";
    if (p.find("tab character") != p.npos) return "; indent with spaces";
    if (p == "did not find expected key") {
      return "; check the indentation and the quotes: within '…' write '' for a quote, within \"…\" write \\\"";
    }
    if (context == "while scanning an alias" || context == "while scanning an anchor")
      return "; put quotes around a value that begins with * or &";
    return "";
  }

  std::string_view text_;
  size_t at_ = 0;
  bool too_deep_ = false;
  bool too_many_tags_ = false;
  yaml_parser_t parser_;
};

bool IsNull(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool IsKnownTag(std::string_view tag) {
  static constexpr std::string_view kCommon = "tag:yaml.org,2002:";
  if (tag.empty() || tag == "!") return true;
  if (tag.substr(0, kCommon.size()) != kCommon) return false;
  tag.remove_prefix(kCommon.size());
  return tag == "str" || tag == "int" || tag == "bool" || tag == "float" || tag == "map" || tag == "seq" ||
         tag == "null";
}

bool OnScalar(const yaml_event_t& event, int line, TreeBuilder& builder) {
  const auto& scalar = event.data.scalar;
  const std::string_view tag = View(scalar.tag);
  if (!IsKnownTag(tag)) return builder.Fail(line, "unsupported tag " + Quoted(tag) + "; remove it");
  const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const bool is_null = scalar.style == YAML_PLAIN_SCALAR_STYLE && tag.empty() && IsNull(text);
  return is_null ? builder.Null(line, View(scalar.anchor)) : builder.Scalar(line, View(scalar.anchor), text);
}

bool OnEvent(const yaml_event_t& event, int* documents, TreeBuilder& builder) {
  const int line = Parser::LineOf(event.start_mark);
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      if (++*documents == 1) return true;
      return builder.Fail(line, "a job file has only one YAML document; remove this '---'");
    case YAML_ALIAS_EVENT:
      return builder.Alias(line, View(event.data.alias.anchor));
    case YAML_SCALAR_EVENT:
      return OnScalar(event, line, builder);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: {
      const bool map = event.type == YAML_MAPPING_START_EVENT;
      const std::string_view tag = View(map ? event.data.mapping_start.tag : event.data.sequence_start.tag);
      if (!IsKnownTag(tag)) return builder.Fail(line, "unsupported tag " + Quoted(tag) + "; remove it");
      return builder.Start(map ? Node::Kind::kMap : Node::Kind::kList, line,
                           View(map ? event.data.mapping_start.anchor : event.data.sequence_start.anchor));
    }
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return builder.End();
    default:
      return true;
  }
}

// Checks that apply to the text as a whole.
std::optional<SyntaxError> CheckBytes(std::string_view text) {
  if (text.size() > kTextMax) return SyntaxError{0, "the file is larger than 1 MiB, the limit for job files"};
  if (const size_t at = text.find('\0'); at != text.npos) {
    return SyntaxError{LineAt(text, at), "the file contains a NUL byte; is it a text file?"};
  }
  if (const size_t at = FindInvalidUtf8(text); at != text.npos) {
    return SyntaxError{LineAt(text, at), "the file is not valid UTF-8; save it as UTF-8"};
  }
  return std::nullopt;
}

}  // namespace

ParsedTree ParseYaml(std::string_view text, Tree& tree, bool from_set) {
  if (constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (auto error = CheckBytes(text)) return {nullptr, std::move(error)};
  Parser parser(text);
  TreeBuilder builder(tree, from_set);
  int documents = 0;
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!parser.Next(&event)) return {nullptr, parser.Error()};
    more = OnEvent(event, &documents, builder) && event.type != YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  return {builder.root(), builder.error()};
}

}  // namespace howdah::keyfile
