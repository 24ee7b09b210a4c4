// Data: an immutable JSON document, shared. What runs take, ask with, receive and give.
//
//   Data plan = Data::written(R"({"concepts":["light"]})");   // text of our own making
//   Result<Data> answer = Data::read(text_from_outside);      // or the error, with line and column
//   plan.value().find("concepts")->array()
//   Data done = Data::of(claim);                              // a record, core/json/record.hpp
//   done.as<Claim>().verified
//
// Copying shares, and so does a part of another document. The tree is read when it is first asked for, and so is
// a record; numbers keep their text, members their order. Not for two threads at once before value() has been called,
// and as() not at all: whoever shows a journal that others read too takes json::record_of(value()).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/arena.hpp"
#include "core/json/record.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::run {

class Data {
 public:
  Data() = default;  // null
  // Text that is one JSON value. That it is none is a bug, found when the tree is first asked for.
  static Data written(std::string json);
  // Text from outside: strict JSON, at most 1,024 levels.
  static Result<Data> read(std::string json);
  // A value of `whole`'s tree, by its bytes: the text is shared, a tree is its own. Null for a value that has none.
  static Data part(const Data& whole, const json::Value* value);
  // The same text with a tree of its own: for another thread.
  Data deep_copy() const;
  // A JSON string.
  static Data string(std::string_view text);
  // A record, by its table; as() gives this one, not one that was read.
  template <json::Record T>
  static Data of(T record) {
    Data data = written(json::record_text(record));
    data.keep(&json::type_of<T>, std::make_shared<const T>(std::move(record)));
    return data;
  }

  std::string_view text() const;  // as it was given; as good as the document
  const json::Value& value() const;
  // The record that it is, read once; as good as the document. One with nothing in it where this is no object.
  template <json::Record T>
  const T& as() const {
    static const T nothing{};
    if (document_ == nullptr) {
      return nothing;
    }
    const void* known = kept(&json::type_of<T>);
    return *static_cast<const T*>(
        known != nullptr ? known : keep(&json::type_of<T>, std::make_shared<const T>(json::record_of<T>(value()))));
  }
  // "sha256:" and 64 hexadecimal digits over the text.
  std::string hash() const;
  // The tree has been read, and is kept.
  bool has_tree() const { return document_ != nullptr && document_->read; }
  bool is_null() const;

 private:
  struct Document {
    std::string own;
    std::shared_ptr<const Document> whole;  // that `text` is part of, where it is not `own`
    std::string_view text;
    json::Arena arena;
    json::Value value;
    bool read = false;
    std::vector<std::pair<const json::FieldType*, std::shared_ptr<const void>>> records;  // by their type
  };
  static Data within(const Data& whole, std::string_view text);
  const void* kept(const json::FieldType* type) const;
  const void* keep(const json::FieldType* type, std::shared_ptr<const void> record) const;

  std::shared_ptr<Document> document_;
};

}  // namespace plumb::run
