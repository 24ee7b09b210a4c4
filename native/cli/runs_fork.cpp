// `plumb runs fork`: a new run from what another one had settled. It is stored, and `plumb runs resume` goes on with
// it.
#include <ctime>
#include <future>
#include <memory>
#include <utility>

#include "core/json/writer.hpp"
#include "core/run/fork.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/run_text.hpp"
#include "native/cli/runs_parts.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"
#include "native/host/forking.hpp"
#include "native/store/sqlite_store.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t pin_bytes_max = std::size_t{4} << 20U;

Result<host::ForkWish> wish_of(const Arguments& arguments) {
  host::ForkWish wish;
  const Result<std::uint64_t> at = arguments.number("--at", 0, 1, std::uint64_t{1} << 40U);
  if (!at) {
    return at.error();
  }
  wish.at = at.value();
  wish.redo = arguments.list("--redo");
  if (arguments.has("--input")) {
    Result<std::string> text = read_file(arguments.text("--input"), pin_bytes_max);
    if (!text) {
      return text.error();
    }
    Result<run::Data> input = run::Data::read(std::move(text).value());
    if (!input) {
      return told(input.error().code, input.error().message, arguments.text("--input"));
    }
    wish.input = std::move(input).value();
  }
  for (const std::string& pin : arguments.list("--pin")) {
    const std::size_t equals = pin.find('=');
    if (equals == std::string::npos || equals == 0) {
      return told(ErrorCode::invalid_argument, "is NAME=FILE, not '" + pin + "'", "--pin");
    }
    Result<std::string> text = read_file(pin.substr(equals + 1), pin_bytes_max);
    if (!text) {
      return text.error();
    }
    wish.pins.emplace_back(pin.substr(0, equals), std::move(text).value());
  }
  return wish;
}

}  // namespace

int fork_run(const Arguments& arguments) {
  Result<host::ForkWish> wish = wish_of(arguments);
  if (!wish) {
    return fail(wish.error());
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, false);
  if (!store) {
    return fail(with_hint(store.error()));
  }
  const std::string& id = arguments.positionals().front();
  const Result<store::RunRow> row = store.value()->find(id);
  if (!row) {
    return fail(row.error());
  }
  const Result<run::Journal> journal = store::read_journal(*store.value(), id);
  if (!journal) {
    return fail(journal.error());
  }
  Result<host::MadeFork> made =
      host::make_fork(row.value(), journal.value(), pipelines::known_pipelines(), std::move(wish).value(), {}, {},
                      static_cast<std::uint64_t>(std::time(nullptr)) * 1000);
  if (!made) {
    return fail(made.error());
  }
  host::MadeFork& fork = made.value();
  const std::string fresh = fork.row.id;
  std::promise<store::Outcome> stored;
  store.value()->create(std::move(fork.row), std::make_shared<const std::vector<run::Stored>>(fork.machine.take()),
                        [&](const store::Outcome& outcome) { stored.set_value(outcome); });
  if (const store::Outcome outcome = stored.get_future().get()) {
    return fail(*outcome);
  }
  if (arguments.has("--json")) {
    std::string text;
    json::Writer json(text);
    json.begin_object().member("id", fresh).member("forked_from", id).member_uint("taken", fork.taken);
    json.key("left").begin_array();
    for (const std::string& part : fork.left) {
      json.string(part);
    }
    json.end_array().end_object();
    return print(text + "\n");
  }
  for (const std::string& part : fork.left) {
    note("left behind: " + part);
  }
  note("forked from " + id + ", " + std::to_string(fork.taken) + " entries taken over; 'plumb runs resume " + fresh +
       "' goes on with it");
  return print(fresh + "\n");
}

}  // namespace plumb::cli
