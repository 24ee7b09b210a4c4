// Resolves references: to a document, a resource in it, an anchor or a place.

#include "core/ascii.hpp"
#include "core/contract/keywords.hpp"
#include "core/contract/schema_documents.hpp"
#include "core/contract/uri.hpp"
#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::Kind;

const SchemaPlace& SchemaDocuments::place(const json::Value* schema) const {
  auto it = places_.find(schema);
  PLUMB_REQUIRE(it != places_.end(), "a schema that is compiled has been indexed");
  return it->second;
}

// Follows a JSON Pointer from the root of a resource.
const json::Value* SchemaDocuments::walk(std::uint32_t resource, std::string_view pointer, std::string_view reference,
                                         const std::string& where, const json::Value& at) {
  const std::uint32_t document = at_document_;
  const json::Value* value = resources_[resource].root;
  std::string path = resources_[resource].pointer;
  std::uint32_t inside = resource;
  auto not_found = [&]() -> const json::Value* {
    fail(document, where, at.from, "the reference " + std::string(reference) + " leads to nothing");
    return nullptr;
  };
  Result<std::vector<std::string>> tokens = json::parse_pointer(pointer);
  if (!tokens) {
    return not_found();
  }
  for (const std::string& token : tokens.value()) {
    if (value->is(Kind::object)) {
      const json::Value* found = value->find(token);
      if (found == nullptr && token.starts_with(vocabulary_prefix)) {
        found = value->find(std::string_view(token).substr(vocabulary_prefix.size()));
      }
      if (found == nullptr) {
        return not_found();
      }
      value = found;
    } else if (value->is(Kind::array)) {
      std::size_t item = 0;
      bool digits = !token.empty() && token.size() < 10 && (token == "0" || token.front() != '0');
      for (char c : token) {
        digits = digits && ascii::is_digit(c);
        item = item * 10 + static_cast<std::size_t>(c - '0');
      }
      if (!digits || item >= value->size) {
        return not_found();
      }
      value = &value->items[item];
    } else {
      return not_found();
    }
    json::append_token(path, token);
    auto known = places_.find(value);
    if (known != places_.end()) {
      inside = known->second.resource;
    }
  }
  if (!value->is(Kind::object) && !value->is(Kind::boolean)) {
    fail(document, where, at.from,
         "the reference " + std::string(reference) + " leads to a value that is not a schema");
    return nullptr;
  }
  if (places_.find(value) == places_.end()) {
    index(*value, inside, path, 0);
  }
  return failed_ ? nullptr : value;
}

const json::Value* SchemaDocuments::dynamic_anchor(std::uint32_t resource, std::string_view name, std::string where,
                                                   const json::Value& at) {
  const SchemaResource& r = resources_[resource];
  if (std::find(r.dynamic_anchors.begin(), r.dynamic_anchors.end(), name) != r.dynamic_anchors.end()) {
    return r.anchors.find(name)->second;
  }
  json::Value* nowhere = arena_.array<json::Value>(1);
  *nowhere = json::Value();
  nowhere->kind = Kind::boolean;
  nowhere->boolean = false;
  nowhere->from = at.from;
  nowhere->to = at.to;
  places_[nowhere] = {resource, std::move(where)};
  return nowhere;
}

const json::Value* SchemaDocuments::resolve(std::uint32_t from_resource, std::string_view reference,
                                            const std::string& where, const json::Value& at) {
  const std::uint32_t document = resources_[from_resource].document;
  at_document_ = document;
  std::string full = resolve_uri(resources_[from_resource].uri, reference);
  SplitUri parts = split_fragment(full);
  auto found = resource_by_uri_.find(parts.without_fragment);
  if (found == resource_by_uri_.end()) {
    std::uint32_t wanted = find_document(parts.without_fragment);
    if (wanted == no_index || documents_[wanted].parsed) {
      fail(document, where, at.from,
           "the reference " + std::string(reference) + " leads to " + std::string(parts.without_fragment) +
               ", which is not there; give its document (--schema URI=FILE, or `documents`)");
      return nullptr;
    }
    if (!load(wanted)) {
      return nullptr;
    }
    found = resource_by_uri_.find(parts.without_fragment);
    PLUMB_REQUIRE(found != resource_by_uri_.end(), "a loaded document is registered under its URI");
  }
  std::uint32_t resource = found->second;
  std::string fragment = ascii::percent_decoded(parts.fragment);
  if (fragment.empty()) {
    return resources_[resource].root;
  }
  if (fragment.front() == '/') {
    return walk(resource, fragment, reference, where, at);
  }
  const auto& anchors = resources_[resource].anchors;
  auto anchor = anchors.find(fragment);
  if (anchor == anchors.end()) {
    fail(document, where, at.from,
         "the reference " + std::string(reference) + " names the anchor " + fragment + ", which is not there");
    return nullptr;
  }
  return anchor->second;
}

}  // namespace plumb::contract
