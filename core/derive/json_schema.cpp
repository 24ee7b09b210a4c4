// `json-schema`: the contract's own text, in which every keyword of the vocabulary is written `x-plumb-NAME`, as
// validators that refuse unknown keywords want it. Nothing else changes, so that what it refers to stays where it is.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/contract/keywords.hpp"
#include "core/contract/schema_documents.hpp"
#include "core/derive/draft.hpp"
#include "core/json/pointer.hpp"

namespace plumb::derive {

using contract::Below;
using json::Kind;

namespace {

constexpr std::string_view plain_dialect = "\"https://json-schema.org/draft/2020-12/schema\"";

struct Place {
  const json::Value* schema;
  std::string pointer;
};

// The places of our keywords in the contract's text: the first byte of each name.
class OurKeywords {
 public:
  explicit OurKeywords(const Draft& draft) : draft_(draft) {}

  std::set<std::uint64_t> find() {
    open(draft_.contract.tree(), "");
    const SchemaGraph& graph = draft_.graph;
    for (SchemaId id = 0; id < graph.size(); ++id) {  // also where no keyword leads, but a reference
      const std::string& location = graph.location(id);
      if (location.empty() || location.front() == '/') {
        open(graph.schema(id), location);
      }
    }
    return std::move(found_);
  }
  // Their pointers, with `/` after each.
  const std::vector<std::string>& places() const { return places_; }

 private:
  void open(const json::Value& root, const std::string& pointer) {
    todo_.push_back({&root, pointer});
    while (!todo_.empty()) {
      const Place place = std::move(todo_.back());
      todo_.pop_back();
      if (place.schema->is(Kind::object) && seen_.insert(place.schema).second) {
        for (const json::Member& member : place.schema->object()) {
          look_at(place, member);
        }
      }
    }
  }

  void look_at(const Place& place, const json::Member& member) {
    std::string at = place.pointer;
    json::append_token(at, member.key);
    constexpr auto& ours = contract::vocabulary_keywords;
    if (std::find(std::begin(ours), std::end(ours), member.key) != std::end(ours)) {
      places_.push_back(at + "/");
      const std::uint64_t prefixed = member.key.size() + contract::vocabulary_prefix.size() + 2;
      if (member.key_to - member.key_from != prefixed && !is_ignored(at)) {
        found_.insert(member.key_from + 1);
      }
    }
    add_below(member, at);
  }

  // Somebody else's keyword of the same name.
  bool is_ignored(const std::string& at) const {
    const auto& warnings = draft_.contract.warnings();
    return std::any_of(warnings.begin(), warnings.end(), [&](const contract::Warning& one) {
      return one.at == at || (one.at.size() > at.size() && one.at.starts_with(at) && one.at[at.size()] == '/');
    });
  }

  void add_below(const json::Member& member, const std::string& at) {
    const json::Value& value = member.value;
    auto list = [&] {
      for (std::size_t i = 0; i < value.array().size(); ++i) {
        todo_.push_back({&value.items[i], at + "/" + std::to_string(i)});
      }
    };
    switch (contract::below_keyword(member.key, contract::Dialect::draft7)) {
      case Below::nothing:
        break;
      case Below::schema:
        todo_.push_back({&value, at});
        break;
      case Below::schemas:
        list();
        break;
      case Below::schema_or_schemas:
        todo_.push_back({&value, at});
        list();
        break;
      case Below::schema_map:
      case Below::dependencies:
        for (const json::Member& one : value.object()) {
          std::string inner = at;
          json::append_token(inner, one.key);
          todo_.push_back({&one.value, std::move(inner)});
        }
        break;
      case Below::our_rules:
        for (std::size_t i = 0; i < value.array().size(); ++i) {
          if (const json::Value* check = value.items[i].find("check")) {
            todo_.push_back({check, at + "/" + std::to_string(i) + "/check"});
          }
        }
        break;
    }
  }

  const Draft& draft_;
  std::set<std::uint64_t> found_;
  std::vector<std::string> places_;
  std::set<const json::Value*> seen_;
  std::vector<Place> todo_;
};

// A reference to what is below a keyword of ours leads other validators to nothing.
void refuse_references(Draft& draft, const std::vector<std::string>& places) {
  const SchemaGraph& graph = draft.graph;
  for (SchemaId id = 0; id < graph.size(); ++id) {
    const SchemaId target = graph.target(id);
    const std::string_view to = target == no_schema ? std::string_view() : std::string_view(graph.location(target));
    if (std::any_of(places.begin(), places.end(), [&](const std::string& place) { return to.starts_with(place); })) {
      draft.fail(ErrorCode::invalid_argument, graph.location(id, "$ref"),
                 "other validators cannot follow a reference below a keyword of the vocabulary; put the schema "
                 "under $defs");
    }
  }
}

// A validator without our vocabulary holds a value to what is then under `not`, or only warns.
void narrow_what_says_more(Draft& draft) {
  SchemaGraph& graph = draft.graph;
  for (SchemaId id = 0; id < graph.size(); ++id) {
    const json::Value& schema = graph.schema(id);
    for (std::uint32_t i = 0; i < schema.object().size(); ++i) {
      const json::Member& member = schema.members[i];
      if (graph.left(id, i) && !is_our_check(member.key) && role_of(member.key, graph.dialect(id)) != Role::note) {
        draft.narrow(ignored_keywords, graph.location(id, member.key),
                     "A validator that passes over x-plumb keywords may refuse here what the contract allows.");
      }
    }
  }
}

}  // namespace

void write_json_schema(Draft& draft) {
  const std::string& text = draft.contract.text();
  leave_what_is_ours(draft.graph);
  narrow_what_says_more(draft);
  const json::Value* dialect = draft.contract.tree().find("$schema");
  const bool ours = dialect != nullptr && dialect->is(Kind::string) && dialect->str().starts_with("plumb:");
  std::size_t at = 0;
  auto copy_to = [&](std::uint64_t to) {
    draft.text.append(text, at, static_cast<std::size_t>(to) - at);
    at = static_cast<std::size_t>(to);
  };
  bool swapped = !ours;
  auto swap_dialect = [&] {
    copy_to(dialect->from);
    draft.text += plain_dialect;
    at = static_cast<std::size_t>(dialect->to);
    swapped = true;
  };
  OurKeywords keywords(draft);
  const std::set<std::uint64_t> found = keywords.find();
  refuse_references(draft, keywords.places());
  for (std::uint64_t place : found) {
    if (!swapped && place > dialect->from) {
      swap_dialect();
    }
    copy_to(place);
    draft.text += contract::vocabulary_prefix;
  }
  if (!swapped) {
    swap_dialect();
  }
  copy_to(text.size());
}

}  // namespace plumb::derive
