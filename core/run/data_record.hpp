// Makes Data usable as a member of records: a document inside a document, whose text is kept.
#pragma once

#include "core/json/record.hpp"
#include "core/run/data.hpp"

namespace plumb::json {

template <>
struct TypeOf<run::Data> {
  static bool read(const Value& value, void* at) {
    *static_cast<run::Data*>(at) = value.is(Kind::null) ? run::Data() : run::Data::written(value_text(value));
    return true;
  }
  static void write(Writer& json, const void* at) { json.raw(static_cast<const run::Data*>(at)->text()); }
  static bool is_set(const void* at) { return !static_cast<const run::Data*>(at)->is_null(); }
};

}  // namespace plumb::json
