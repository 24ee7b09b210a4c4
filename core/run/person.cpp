#include "core/run/person.hpp"

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

}  // namespace plumb::run
