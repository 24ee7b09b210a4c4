#include "native/host/model_history.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "native/host/asked_of.hpp"

namespace plumb::host {

namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

std::uint64_t number_of(const json::Value* object, std::string_view key) {
  const json::Value* value = object == nullptr ? nullptr : object->find(key);
  std::uint64_t number = 0;
  if (value != nullptr) {
    json::read_uint(value->str(), number);
  }
  return number;
}

std::size_t row_of(std::vector<budget::History>& rows, const std::string& model, const std::string& phase) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const budget::History& one) { return one.model == model && one.phase == phase; });
  if (found != rows.end()) {
    return static_cast<std::size_t>(found - rows.begin());
  }
  rows.push_back({model, phase, 0, 0, 0, 0, 0});
  return rows.size() - 1;
}

// The model as people name it: as the run asked for it, not as the server that answered calls it ("/models/q4.gguf").
std::string name_of(const AskedOf& asked, std::string_view phase, const json::Value& reply) {
  const std::string provider(text_of(reply, "provider"));
  const auto one = std::find_if(asked.begin(), asked.end(), [&](const Asked& each) { return each.part == phase; });
  const bool same = one != asked.end() && one->provider == provider && !one->model.empty();
  const std::string model = same ? one->model : std::string(text_of(reply, "model"));
  return provider.empty() || provider == model ? model : provider + "/" + model;
}

struct Attempt {
  std::string phase;
  std::uint64_t at_ms = 0;
};

}  // namespace

void add_history(std::vector<budget::History>& rows, const run::Journal& journal) {
  std::map<std::string, Attempt> attempts;
  std::size_t written = nobody;    // the row whose answer is looked at next
  std::size_t generated = nobody;  // the row that repairs count for
  AskedOf asked = asked_of_run(journal, 0).parts;
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    const run::Entry& entry = journal.entries()[i];
    if (entry.kind == run::EntryKind::signal && entry.name == asked_of_name) {
      asked = asked_of_run(journal, i + 1).parts;
    } else if (entry.kind == run::EntryKind::attempt && entry.name == "model") {
      attempts[entry.key] = {std::string(text_of(entry.data.value(), "phase")), entry.at_ms};
    } else if (entry.kind == run::EntryKind::note && entry.name == "structure" && written != nobody) {
      rows[written].valid_at_first += number_of(&entry.data.value(), "errors") == 0 ? 1 : 0;
      written = nobody;
    } else if (entry.kind == run::EntryKind::reply) {
      const auto attempt = attempts.find(entry.key);
      if (attempt == attempts.end()) {
        continue;
      }
      if (text_of(entry.data.value(), "model").empty()) {
        continue;  // nobody answered
      }
      const std::string& phase = attempt->second.phase;
      const std::size_t row = row_of(rows, name_of(asked, phase, entry.data.value()), phase);
      const json::Value* usage = entry.data.value().find("usage");
      rows[row].calls += 1;
      rows[row].tokens += number_of(usage, "input_tokens") + number_of(usage, "output_tokens");
      rows[row].time_ms += entry.at_ms - std::min(entry.at_ms, attempt->second.at_ms);
      const bool writes = phase == "generate" || phase == "repair";
      if (!writes) {
        rows[row].valid_at_first += entry.status == run::Status::ok ? 1 : 0;
        continue;
      }
      written = row;
      if (phase == "generate") {
        generated = row;
      } else if (generated != nobody) {
        rows[generated].repairs += 1;
      }
    }
  }
}

}  // namespace plumb::host
