// What members of records are made of: how each type is read and written. Used by core/json/record.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json/number_text.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

// How a type is read and written. `at` is an object of that type.
struct FieldType {
  bool (*read)(const Value& value, void* at);  // false: it is of another kind, and `at` is as it was
  void (*write)(Writer& json, const void* at);
  bool (*is_set)(const void* at);  // it is not empty, 0 or false
};

struct Field {
  std::string_view name;  // empty: it is a record, and its members are of the record that holds it
  const FieldType* type;
  const void* (*member)(const void* record);
  bool always;  // written also where it is not set
};

// Parts of the templates below that know no type.
bool read_members(const Value& value, void* record, std::span<const Field> fields);
void write_members(Writer& json, const void* record, std::span<const Field> fields);
bool any_set(const void* record, std::span<const Field> fields);
bool read_name(const Value& value, std::span<const std::string_view> names, std::size_t& at);

template <class T>
concept Record = requires {
  { T::fields() } -> std::convertible_to<std::span<const Field>>;
};

// How a T is read and written: the functions of its FieldType.
template <class T>
struct TypeOf;
template <class T>
inline constexpr FieldType type_of{TypeOf<T>::read, TypeOf<T>::write, TypeOf<T>::is_set};

template <>
struct TypeOf<std::string> {
  static bool read(const Value& value, void* at);
  static void write(Writer& json, const void* at);
  static bool is_set(const void* at);
};
template <>
struct TypeOf<bool> {
  static bool read(const Value& value, void* at);
  static void write(Writer& json, const void* at);
  static bool is_set(const void* at);
};

template <std::unsigned_integral T>
struct TypeOf<T> {
  static bool read(const Value& value, void* at) {
    std::uint64_t number = 0;
    const bool good = value.is(Kind::number) && read_uint(value.str(), number) && number <= T(-1);
    *static_cast<T*>(at) = good ? static_cast<T>(number) : *static_cast<T*>(at);
    return good;
  }
  static void write(Writer& json, const void* at) { json.uint(*static_cast<const T*>(at)); }
  static bool is_set(const void* at) { return *static_cast<const T*>(at) != 0; }
};

template <class T>
requires std::is_enum_v<T>
struct TypeOf<T> {
  static bool read(const Value& value, void* at) {
    std::size_t index = 0;
    const bool good = read_name(value, names_of(T{}), index);
    *static_cast<T*>(at) = good ? static_cast<T>(index) : *static_cast<T*>(at);
    return good;
  }
  static void write(Writer& json, const void* at) {
    json.string(names_of(T{})[static_cast<std::size_t>(*static_cast<const T*>(at))]);
  }
  static bool is_set(const void* at) { return *static_cast<const T*>(at) != T{}; }
};

template <Record T>
struct TypeOf<T> {
  static bool read(const Value& value, void* at) { return read_members(value, at, T::fields()); }
  static void write(Writer& json, const void* at) {
    json.begin_object();
    write_members(json, at, T::fields());
    json.end_object();
  }
  static bool is_set(const void* at) { return any_set(at, T::fields()); }
};

template <class T>
struct TypeOf<std::optional<T>> {
  static bool read(const Value& value, void* at) {
    T one{};
    const bool good = TypeOf<T>::read(value, &one);
    if (good) {
      *static_cast<std::optional<T>*>(at) = std::move(one);
    }
    return good;
  }
  static void write(Writer& json, const void* at) {
    const auto& one = *static_cast<const std::optional<T>*>(at);
    one ? TypeOf<T>::write(json, &*one) : static_cast<void>(json.null());
  }
  static bool is_set(const void* at) { return static_cast<const std::optional<T>*>(at)->has_value(); }
};

template <class T>
struct TypeOf<std::vector<T>> {
  static bool read(const Value& value, void* at) {
    if (!value.is(Kind::array)) {
      return false;
    }
    auto& list = *static_cast<std::vector<T>*>(at);
    list.clear();
    for (const Value& item : value.array()) {
      T one{};
      if (TypeOf<T>::read(item, &one)) {
        list.push_back(std::move(one));
      }
    }
    return true;
  }
  static void write(Writer& json, const void* at) {
    json.begin_array();
    for (const T& one : *static_cast<const std::vector<T>*>(at)) {
      TypeOf<T>::write(json, &one);
    }
    json.end_array();
  }
  static bool is_set(const void* at) { return !static_cast<const std::vector<T>*>(at)->empty(); }
};

}  // namespace plumb::json
