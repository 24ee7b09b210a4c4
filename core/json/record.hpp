// Records: structs that one table reads and writes. What a part notes and another shows is a struct with its table, so
// that both know a member by the same name.
//
//   struct Claim {
//     std::string text;
//     bool verified = false;
//     std::vector<std::uint64_t> sources;
//     static std::span<const json::Field> fields();
//   };
//   std::span<const json::Field> Claim::fields() {
//     static constexpr json::Field table[] = {
//         json::field<&Claim::text>("claim"),
//         json::field<&Claim::verified>("verified"),
//         json::field_if_set<&Claim::sources>("sources"),
//     };
//     return table;
//   }
//   write_record(json, claim);                                {"claim":"...","verified":true,"sources":[1]}
//   const Claim claim = record_of<Claim>(value);
//
// A member is text, a flag, a whole number, an enum with names, a record, an optional or a list of these. An enum is
// known by its names, in its order, from 0: `std::span<const std::string_view> names_of(Kind)`, found beside the enum.
// Reading takes what it finds: a member that is missing or of another kind keeps what the struct begins with, an item
// of a list that is of another kind is left out, members that no table knows are passed over.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record_types.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

template <class T>
struct MemberOf;
template <class Owner, class T>
struct MemberOf<T Owner::*> {
  using Holder = Owner;
  using Type = T;
};

template <auto member>
constexpr Field field(std::string_view name, bool always = true) {
  using Of = MemberOf<decltype(member)>;
  return {name, &type_of<typename Of::Type>,
          [](const void* record) -> const void* { return &(static_cast<const typename Of::Holder*>(record)->*member); },
          always};
}
// Left out where it is empty, 0 or false.
template <auto member>
constexpr Field field_if_set(std::string_view name) {
  return field<member>(name, false);
}

// The members of a record that this one holds, beside its own: no object within the object.
template <Record T>
inline constexpr FieldType members_type{
    TypeOf<T>::read, [](Writer& json, const void* at) { write_members(json, at, T::fields()); }, TypeOf<T>::is_set};
template <auto member>
constexpr Field members_of() {
  Field out = field<member>("");
  out.type = &members_type<typename MemberOf<decltype(member)>::Type>;
  return out;
}

template <Record T>
T record_of(const Value& value) {
  T out{};
  read_members(value, &out, T::fields());
  return out;
}
// The items of a list that are objects.
template <Record T>
std::vector<T> records_of(const Value& list) {
  std::vector<T> out;
  TypeOf<std::vector<T>>::read(list, &out);
  return out;
}
template <Record T>
void write_record(Writer& json, const T& record) {
  TypeOf<T>::write(json, &record);
}
// Its members, into an object that has been begun.
template <Record T>
void write_fields(Writer& json, const T& record) {
  write_members(json, &record, T::fields());
}
// As the next member of an object that has been begun.
template <class T>
void write_list(Writer& json, std::string_view name, const std::vector<T>& list) {
  TypeOf<std::vector<T>>::write(json.key(name), &list);
}
template <Record T>
std::string record_text(const T& record) {
  std::string out;
  Writer json(out);
  write_record(json, record);
  return out;
}

}  // namespace plumb::json
