// What Java's ObjectOutputStream wrote, as a tree: enough of its protocol (Java Object Serialization Specification,
// chapter 6) for plain data, collections and enums. No class is ever loaded; names and values are read, nothing else.
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
  int64_t number = 0;  // of any primitive type; of a node: its index
};

struct JavaField {
  char type = 0;  // 'I', 'J', 'L', '[', ...
  std::string name;
};

struct JavaNode {
  enum class Kind { kClass, kString, kObject, kEnum, kArray };
  Kind kind = Kind::kObject;
  std::string text;               // of a class its name, of a string itself, of an enum the constant
  int64_t type = -1;              // the class of an object; of a class the one above it; -1: none
  uint8_t flags = 0;              // of a class
  std::vector<JavaField> fields;  // of a class
  std::vector<JavaValue> values;  // of an object its fields, those of the topmost class first; of an array its elements
  std::vector<JavaValue> items;   // the objects that its class wrote by itself: the elements of a collection
};

struct JavaTree {
  std::vector<JavaNode> nodes;
  JavaValue root;

  const JavaNode* Node(const JavaValue& value) const;  // nullptr: it is none
  // The value of the field of this name; null if there is none.
  JavaValue Field(const JavaNode& object, std::string_view name) const;
  // The text of a string; empty: it is none.
  std::string Text(const JavaValue& value) const;
};

// The first object of a stream. An error for what is cut off, damaged, nested too deep, or of a kind that is not read.
Result<JavaTree> ReadJavaObject(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
