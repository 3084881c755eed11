#include "java_object.h"

#include <algorithm>
#include <utility>

#include "decoder.h"

namespace howdah::hadoop::yarnlogs {
namespace {

constexpr uint16_t kMagic = 0xACED, kVersion = 5;
constexpr int32_t kFirstHandle = 0x7E0000;
constexpr int kDepthMax = 64;
constexpr uint8_t kWriteMethod = 1, kSerializable = 2, kExternalizable = 4, kBlockData = 8;

enum Tag : uint8_t {
  kNull = 0x70,
  kReference,
  kClassDescription,
  kObject,
  kString,
  kArray,
  kClass,
  kBlock,
  kEndOfBlocks,
  kReset,
  kLongBlock,
  kException,
  kLongString,
  kProxyClass,
  kEnum,
};

class ObjectReader {
 public:
  explicit ObjectReader(std::string_view bytes) : in_(bytes) {}

  Result<JavaTree> Read() {
    if (in_.U16() != kMagic || in_.U16() != kVersion) return Failed("not a stream of Java objects");
    tree_.root = Content(in_.U8(), 0);
    if (!fault_.empty()) return Failed(fault_);
    if (!in_.ok()) return Failed("its Java objects end early");
    return std::move(tree_);
  }

 private:
  bool good() const { return fault_.empty() && in_.ok(); }
  JavaValue Fail(const std::string& text) {
    if (fault_.empty()) fault_ = text;
    return {};
  }
  // Adds a node. Its number is its position in the stream, by which references in the stream identify it.
  size_t Add(JavaNode::Kind kind) {
    tree_.nodes.emplace_back().kind = kind;
    return tree_.nodes.size() - 1;
  }
  static JavaValue ValueOf(size_t node) { return {JavaValue::Kind::kNode, static_cast<int64_t>(node)}; }

  JavaValue Content(uint8_t tag, int depth);
  JavaValue Reference();
  JavaValue Text(int64_t size);
  JavaValue ClassDescription(int depth);
  JavaValue Object(int depth);
  JavaValue Enum(int depth);
  JavaValue Array(int depth);
  void Fields(size_t node, size_t type, int depth);
  void Items(size_t node, int depth);
  JavaValue Primitive(char type, int depth);
  // Reads a class description and returns the number of its node. Returns -1 if the stream has none here.
  int64_t Class(int depth);

  Decoder in_;
  JavaTree tree_;
  std::string fault_;
};

JavaValue ObjectReader::Content(uint8_t tag, int depth) {
  if (!good()) return {};
  if (depth > kDepthMax) return Fail("its Java objects are nested too deep");
  switch (tag) {
    case kNull:
      return {};
    case kReference:
      return Reference();
    case kClassDescription:
      return ClassDescription(depth);
    case kObject:
      return Object(depth);
    case kString:
      return Text(in_.U16());
    case kLongString:
      return Text(in_.I64());
    case kArray:
      return Array(depth);
    case kEnum:
      return Enum(depth);
    default:
      return Fail("unsupported kind of Java object (" + std::to_string(tag) + ")");
  }
}

JavaValue ObjectReader::Reference() {
  const int64_t handle = int64_t{in_.I32()} - kFirstHandle;
  if (handle < 0 || static_cast<uint64_t>(handle) >= tree_.nodes.size()) return Fail("a Java object is missing");
  return ValueOf(static_cast<size_t>(handle));
}

JavaValue ObjectReader::Text(int64_t size) {
  const size_t node = Add(JavaNode::Kind::kString);
  tree_.nodes[node].text = std::string(in_.Bytes(size));
  return ValueOf(node);
}

JavaValue ObjectReader::ClassDescription(int depth) {
  std::string name = in_.Utf();
  in_.I64();  // serialVersionUID
  const size_t node = Add(JavaNode::Kind::kClass);
  tree_.nodes[node].text = std::move(name);
  const uint8_t flags = in_.U8();
  tree_.nodes[node].flags = flags;
  for (int count = in_.U16(); count > 0 && good(); --count) {
    JavaField field;
    field.type = static_cast<char>(in_.U8());
    field.name = in_.Utf();
    if (field.type == 'L' || field.type == '[') Content(in_.U8(), depth + 1);  // skip the name of the field's class
    tree_.nodes[node].fields.push_back(std::move(field));
  }
  Items(node, depth);
  const int64_t above = Class(depth);
  // Reject a class that is its own ancestor: following its ancestors would never end.
  int ancestors = 0;
  for (int64_t at = above; at >= 0; at = tree_.nodes[static_cast<size_t>(at)].type) {
    if (at == static_cast<int64_t>(node) || ++ancestors > kDepthMax) return Fail("a Java class is its own ancestor");
  }
  tree_.nodes[node].type = above;
  return ValueOf(node);
}

int64_t ObjectReader::Class(int depth) {
  const JavaValue value = Content(in_.U8(), depth + 1);
  if (!good() || value.kind != JavaValue::Kind::kNode) return -1;
  if (tree_.nodes[static_cast<size_t>(value.number)].kind == JavaNode::Kind::kClass) return value.number;
  Fail("a Java object was found instead of its class");
  return -1;
}

JavaValue ObjectReader::Object(int depth) {
  const int64_t type = Class(depth);
  const size_t node = Add(JavaNode::Kind::kObject);
  if (type < 0) return Fail("a Java object has no class");
  tree_.nodes[node].type = type;
  Fields(node, static_cast<size_t>(type), depth);
  return ValueOf(node);
}

void ObjectReader::Fields(size_t node, size_t type, int depth) {
  std::vector<size_t> classes;
  for (int64_t at = static_cast<int64_t>(type); at >= 0 && good(); at = tree_.nodes[static_cast<size_t>(at)].type) {
    classes.push_back(static_cast<size_t>(at));
  }
  std::reverse(classes.begin(), classes.end());
  for (const size_t one : classes) {
    const uint8_t flags = tree_.nodes[one].flags;
    if ((flags & kSerializable) != 0) {
      for (size_t i = 0; i < tree_.nodes[one].fields.size() && good(); ++i) {
        const JavaValue value = Primitive(tree_.nodes[one].fields[i].type, depth);
        tree_.nodes[node].values.push_back(value);
      }
      if ((flags & kWriteMethod) != 0) Items(node, depth);
    } else if ((flags & kExternalizable) != 0) {
      if ((flags & kBlockData) == 0) return static_cast<void>(Fail("a Java object uses an unsupported custom format"));
      Items(node, depth);
    }
  }
}

// Reads the objects up to the end marker. Skips the raw bytes between them.
void ObjectReader::Items(size_t node, int depth) {
  while (good()) {
    const uint8_t tag = in_.U8();
    if (tag == kEndOfBlocks) return;
    if (tag == kBlock) {
      in_.Bytes(in_.U8());
    } else if (tag == kLongBlock) {
      in_.Bytes(in_.I32());
    } else {
      const JavaValue item = Content(tag, depth + 1);
      tree_.nodes[node].items.push_back(item);
    }
  }
}

JavaValue ObjectReader::Primitive(char type, int depth) {
  const auto number = [](int64_t value) { return JavaValue{JavaValue::Kind::kNumber, value}; };
  switch (type) {
    case 'B':
    case 'Z':
      return number(static_cast<int8_t>(in_.U8()));
    case 'C':
      return number(in_.U16());
    case 'S':
      return number(static_cast<int16_t>(in_.U16()));
    case 'I':
    case 'F':
      return number(in_.I32());
    case 'J':
    case 'D':
      return number(in_.I64());
    case 'L':
    case '[':
      return Content(in_.U8(), depth + 1);
    default:
      return Fail("a field of a Java object has no type");
  }
}

JavaValue ObjectReader::Enum(int depth) {
  const int64_t type = Class(depth);
  const size_t node = Add(JavaNode::Kind::kEnum);
  const JavaValue name = Content(in_.U8(), depth + 1);
  tree_.nodes[node].type = type;
  tree_.nodes[node].text = tree_.Text(name);
  return ValueOf(node);
}

JavaValue ObjectReader::Array(int depth) {
  const int64_t type = Class(depth);
  const size_t node = Add(JavaNode::Kind::kArray);
  const int32_t size = in_.I32();
  if (!good() || type < 0 || tree_.nodes[static_cast<size_t>(type)].text.size() < 2 || size < 0) {
    return Fail("a Java array has no type");
  }
  const char element = tree_.nodes[static_cast<size_t>(type)].text[1];
  tree_.nodes[node].type = type;
  for (int32_t i = 0; i < size && good(); ++i) {
    const JavaValue value = Primitive(element, depth);
    tree_.nodes[node].values.push_back(value);
  }
  return ValueOf(node);
}

}  // namespace

const JavaNode* JavaTree::Node(const JavaValue& value) const {
  return value.kind == JavaValue::Kind::kNode ? &nodes[static_cast<size_t>(value.number)] : nullptr;
}

JavaValue JavaTree::Field(const JavaNode& object, std::string_view name) const {
  // The fields of a class follow those of its base classes, so search from the end.
  size_t end = object.values.size();
  for (int64_t at = object.type; at >= 0; at = nodes[static_cast<size_t>(at)].type) {
    const JavaNode& type = nodes[static_cast<size_t>(at)];
    if ((type.flags & kSerializable) == 0) continue;
    if (type.fields.size() > end) return {};
    const size_t begin = end - type.fields.size();
    for (size_t i = 0; i < type.fields.size(); ++i) {
      if (type.fields[i].name == name) return object.values[begin + i];
    }
    end = begin;
  }
  return {};
}

std::string JavaTree::Text(const JavaValue& value) const {
  const JavaNode* node = Node(value);
  return node != nullptr && node->kind == JavaNode::Kind::kString ? node->text : "";
}

Result<JavaTree> ReadJavaObject(std::string_view bytes) { return ObjectReader(bytes).Read(); }

}  // namespace howdah::hadoop::yarnlogs
