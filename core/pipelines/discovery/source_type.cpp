#include "core/pipelines/discovery/source_type.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/ascii.hpp"
#include "core/pipelines/discovery/members.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Kind;
using json::Value;

// What exports of conversations and figures are known by.
constexpr std::array<std::string_view, 3> names = {"github", "intercom", "posthog"};

std::string_view named_in(std::string_view text) {
  const std::string small = ascii::lower(text);
  for (const std::string_view name : names) {
    if (small.find(name) != std::string::npos) {
      return name;
    }
  }
  return {};
}

// A record that says it in a word, or stands under an address of the service.
std::string_view said_in(const Value& record) {
  for (const std::string_view member : {"source_type", "source", "platform", "origin", "channel", "provider", "via"}) {
    const Value* found = record.find(member);
    const std::string_view said = found == nullptr || !found->is(Kind::string) ? std::string_view() : found->str();
    const std::string small = ascii::lower(said);
    for (const std::string_view name : names) {
      if (small == name) {
        return name;
      }
    }
  }
  for (const std::string_view member : {"html_url", "url", "link", "permalink", "repository_url", "issue_url"}) {
    const std::string_view url = text_of(record, member);
    for (const auto& [host, name] : {std::pair{"://github.com/", "github"}, std::pair{"://api.github.com/", "github"},
                                     std::pair{".intercom.io/", "intercom"}, std::pair{".intercom.com/", "intercom"},
                                     std::pair{".posthog.com/", "posthog"}}) {
      if (url.find(host) != std::string_view::npos) {
        return name;
      }
    }
  }
  return {};
}

}  // namespace

std::string_view type_of(SourceKind kind, std::string_view path, const Value& record) {
  if (kind != SourceKind::conversations && kind != SourceKind::analytics) {
    return {};
  }
  if (const std::string_view said = said_in(record); !said.empty()) {
    return said;
  }
  // Marks that only these exports have.
  if (record.find("author_association") != nullptr) {
    return "github";
  }
  if (record.find("conversation_parts") != nullptr) {
    return "intercom";
  }
  if (record.find("distinct_id") != nullptr) {
    return "posthog";
  }
  return named_in(path);
}

std::string_view evidence_type(SourceKind kind, const Unit& unit) {
  constexpr std::array<std::string_view, 4> usual = {"other", "other", "codebase", "research"};
  return unit.type.empty() ? usual[static_cast<std::size_t>(kind)] : std::string_view(unit.type);
}

}  // namespace plumb::pipelines::discovery
