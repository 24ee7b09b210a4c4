#include "native/cli/runs_parts.hpp"

#include <unistd.h>

#include <utility>

#include "core/reason.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/stored_journal.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

Error told(ErrorCode code, std::string message, std::string where) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

// A name that can be no id of a run is a file.
bool is_file_name(std::string_view name) { return name == "-" || name.find_first_of("./") != std::string_view::npos; }

// The journal of a run in the store, or in a file.
Result<run::JournalFile> journal_named(const Arguments& arguments, const std::string& name) {
  if (is_file_name(name)) {
    const Result<std::string> text = read_file(name, journal_bytes_max);
    if (!text) {
      return text.error();
    }
    Result<run::JournalFile> file = run::JournalFile::read(text.value());
    if (!file) {
      Error error = file.error();
      error.where = name;
      return error;
    }
    return file;
  }
  const Result<std::unique_ptr<store::Store>> store = open_store(arguments, true);
  if (!store) {
    return store.error();
  }
  return stored_file(*store.value(), name);
}

Error with_hint(Error error) {
  if (error.reason == Reason::in_use) {
    error.message += "; a server goes on with its runs by itself, and cancels one with DELETE /ai/artifact/ID";
  }
  return error;
}

int put_out(const Arguments& arguments, const std::string& text) {
  if (!arguments.has("--output")) {
    return print(text);
  }
  const Result<bool> written = write_file(arguments.text("--output"), text);
  return written ? exit_clean : fail(written.error());
}

}  // namespace plumb::cli
