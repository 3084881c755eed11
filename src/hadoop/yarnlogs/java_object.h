// Parses the output of Java's ObjectOutputStream into a tree. Supports the parts of the protocol (Java Object
// Serialization Specification, chapter 6) that plain data, collections and enums need. Reads only names and values; it
// does not load or run any class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarnlogs {

struct JavaValue {
  enum class Kind { kNull, kNumber, kNode };
  Kind kind = Kind::kNull;
  int64_t number = 0;  // the value of a primitive type, or the index of a node
};

struct JavaField {
  char type = 0;  // type code of the field: 'I', 'J', 'L', '[', ...
  std::string name;
};

struct JavaNode {
  enum class Kind { kClass, kString, kObject, kEnum, kArray };
  Kind kind = Kind::kObject;
  std::string text;               // the name of a class, the content of a string, the constant of an enum
  int64_t type = -1;              // node of an object's class or of a class's base class; -1 if there is none
  uint8_t flags = 0;              // flags of a class description
  std::vector<JavaField> fields;  // fields that a class declares
  std::vector<JavaValue> values;  // the fields of an object, base class first, or the elements of an array
  std::vector<JavaValue> items;   // objects that the class's own writeObject method wrote: the elements of a collection
};

struct JavaTree {
  std::vector<JavaNode> nodes;
  JavaValue root;

  // Returns the node to which the value refers, or null if it does not refer to a node.
  const JavaNode* Node(const JavaValue& value) const;
  // The value of the field of this name. Its kind is kNull if the object has no such field.
  JavaValue Field(const JavaNode& object, std::string_view name) const;
  // The content of a string; empty if the value is not a string.
  std::string Text(const JavaValue& value) const;
};

// Parses the first object of a stream. Returns an error if the stream is truncated, damaged, nested too deeply, or of
// an unsupported kind.
Result<JavaTree> ReadJavaObject(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
