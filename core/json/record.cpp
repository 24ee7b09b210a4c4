#include "core/json/record.hpp"

#include <algorithm>

namespace plumb::json {

bool TypeOf<std::string>::read(const Value& value, void* at) {
  if (value.is(Kind::string)) {
    *static_cast<std::string*>(at) = value.str();
  }
  return value.is(Kind::string);
}
void TypeOf<std::string>::write(Writer& json, const void* at) { json.string(*static_cast<const std::string*>(at)); }
bool TypeOf<std::string>::is_set(const void* at) { return !static_cast<const std::string*>(at)->empty(); }

bool TypeOf<bool>::read(const Value& value, void* at) {
  if (value.is(Kind::boolean)) {
    *static_cast<bool*>(at) = value.boolean;
  }
  return value.is(Kind::boolean);
}
void TypeOf<bool>::write(Writer& json, const void* at) { json.boolean(*static_cast<const bool*>(at)); }
bool TypeOf<bool>::is_set(const void* at) { return *static_cast<const bool*>(at); }

bool read_members(const Value& value, void* record, std::span<const Field> fields) {
  for (const Field& field : fields) {
    if (const Value* found = field.name.empty() ? &value : value.find(field.name)) {
      // The record is not constant: it is the caller's.
      field.type->read(*found, const_cast<void*>(field.member(record)));
    }
  }
  return value.is(Kind::object);
}

void write_members(Writer& json, const void* record, std::span<const Field> fields) {
  for (const Field& field : fields) {
    const void* member = field.member(record);
    if (field.always || field.type->is_set(member)) {
      if (!field.name.empty()) {
        json.key(field.name);
      }
      field.type->write(json, member);
    }
  }
}

bool any_set(const void* record, std::span<const Field> fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return field.type->is_set(field.member(record)); });
}

bool read_name(const Value& value, std::span<const std::string_view> names, std::size_t& at) {
  const auto found = value.is(Kind::string) ? std::find(names.begin(), names.end(), value.str()) : names.end();
  at = static_cast<std::size_t>(found - names.begin());
  return found != names.end();
}

}  // namespace plumb::json
