#include "core/run/person.hpp"

#include <unordered_map>

#include "core/json/members.hpp"

namespace plumb::run {

std::string_view answering_signal(const json::Value& request) {
  const json::Value* named = request.find("signal");
  const bool said = named != nullptr && named->is(json::Kind::string) && !named->str().empty();
  return said ? named->str() : "decide";
}

const Entry* answered_by(const Journal& journal, std::string_view signal) {
  const Entry* asked = nullptr;
  const Entry* answer = nullptr;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::attempt && entry.name == "person" && answering_signal(entry.data.value()) == signal) {
      asked = &entry;
      answer = nullptr;
    } else if (entry.kind == EntryKind::reply && asked != nullptr && entry.key == asked->key) {
      answer = &entry;
    }
  }
  return answer;
}

bool asks_client(EffectKind kind, const json::Value& request) {
  return kind == EffectKind::model && json::text_of(request, "provider") == client_provider;
}

std::vector<ClientAsk> client_asks(const Journal& journal) {
  std::vector<ClientAsk> out;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::attempt && entry.name == "model" &&
        asks_client(EffectKind::model, entry.data.value()) && index.emplace(entry.key, out.size()).second) {
      out.push_back({&entry, nullptr});
    } else if (entry.kind == EntryKind::reply) {
      if (const auto found = index.find(entry.key); found != index.end()) {
        out[found->second].reply = &entry;
      }
    }
  }
  return out;
}

}  // namespace plumb::run
