// What a set of schemas that all hold says of the values of one sort: bounds, lengths, counts, members that must be
// there, schemas of a member or an item. Each is a consequence of the set; what is not known is left open.
//
// Only core/compare uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/schemas.hpp"
#include "core/json/decimal.hpp"
#include "core/text/format.hpp"

namespace plumb::compare {

// Schemas that all hold for a value: sorted, each once.
using Given = std::vector<SchemaId>;
void add(Given& given, SchemaId id);
bool has(const Given& given, SchemaId id);

// The set with all that follows in place: references, allOf, the only branch that is left, then or else where the sort
// decides. `never`: no value of that sort keeps all of them, as far as that is seen without looking into values.
struct Closed {
  Given ids;
  bool never = false;
};
Closed closed(const Schemas& schemas, const Given& given, Sort sort);

struct Limit {
  json::Decimal at;
  bool open = false;  // the limit itself is left out
};
struct NumberFacts {
  std::optional<Limit> low;
  std::optional<Limit> high;
  std::vector<json::Decimal> multiples;
  bool none() const;  // no number is within
};
NumberFacts number_facts(const Schemas& schemas, const Given& given, Sort sort);

struct StringFacts {
  std::uint64_t min = 0;
  std::uint64_t max = contract::no_bound;
  bool not_blank = false;
  std::vector<std::string_view> patterns;
  std::vector<text::Format> formats;
};
StringFacts string_facts(const Schemas& schemas, const Given& given);

struct ArrayFacts {
  std::uint64_t min = 0;
  std::uint64_t max = contract::no_bound;
  bool unique = false;
  std::size_t prefix = 0;  // items behind it are all alike
};
ArrayFacts array_facts(const Schemas& schemas, const Given& given);
// The schemas of an item; of all behind the prefix for an index there.
Given item_given(const Schemas& schemas, const Given& given, std::size_t index);

struct ObjectFacts {
  std::uint64_t min = 0;
  std::uint64_t max = contract::no_bound;
  std::vector<std::string_view> required;  // sorted
  std::vector<std::string_view> allowed;   // where `closed`: sorted
  bool closed = false;                     // no other name is allowed
  bool requires_member(std::string_view name) const;
};
ObjectFacts object_facts(const Schemas& schemas, const Given& given);
// The schemas of the member of that name.
Given member_given(const Schemas& schemas, const Given& given, std::string_view name);
// The schemas of a member whose name is none of those that a schema knows. Alternatives, since a pattern may match the
// name or not: the member keeps all schemas of one of them. `matched`: a pattern that the name matches, or empty;
// `unmatched`: those that it does not match. Nothing: too many alternatives.
std::optional<std::vector<Given>> other_given(const Schemas& schemas, const Given& given, std::string_view matched,
                                              const std::vector<std::string_view>& unmatched);
// The schemas of the names of its members.
Given name_given(const Schemas& schemas, const Given& given);

// All values of the sort that are left, as JSON texts in the sort's spelling, where they are few; some of them may not
// be left either.
std::optional<std::vector<std::string>> few_values(const Schemas& schemas, const Given& given, Sort sort);

}  // namespace plumb::compare
