#include "native/cli/model_history.hpp"

#include <unistd.h>

#include <vector>

#include "core/json/writer.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/host/model_history.hpp"
#include "native/store/nats/nats_address.hpp"

namespace plumb::cli {

Result<std::string> model_history(const Arguments& arguments) {
  const Result<std::string> file = store_file(arguments);
  if (!file) {
    return file.error();
  }
  const bool is_file = !store::is_nats_address(file.value());
  if (is_file && !arguments.has("--store") && ::access(file.value().c_str(), F_OK) != 0) {
    return std::string("[]");
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return store.error();
  }
  store::ListQuery query;
  query.limit = 1000;
  const Result<store::Page> page = store.value()->list(query);
  if (!page) {
    return page.error();
  }
  std::vector<budget::History> rows;
  for (const store::RunRow& run : page.value().runs) {
    if (run.state == run::State::waiting) {
      continue;
    }
    const Result<run::Journal> journal = store::read_journal(*store.value(), run.id);
    if (!journal) {
      return journal.error();
    }
    host::add_history(rows, journal.value());
  }
  std::string out;
  json::Writer json(out);
  json.begin_array();
  for (const budget::History& row : rows) {
    json.begin_object().member("model", row.model).member("phase", row.phase).member_uint("calls", row.calls);
    json.member_uint("valid_at_first", row.valid_at_first).member_uint("repairs", row.repairs);
    json.member_uint("tokens", row.tokens).member_uint("time_ms", row.time_ms).end_object();
  }
  json.end_array();
  return out;
}

}  // namespace plumb::cli
