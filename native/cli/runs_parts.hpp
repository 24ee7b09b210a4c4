// What the commands of `plumb runs` share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/run/journal_file.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

inline constexpr std::uint64_t journal_bytes_max = std::uint64_t{1} << 30U;

Error told(ErrorCode code, std::string message, std::string where = {});
// A name that can be no id of a run is a file.
bool is_file_name(std::string_view name);
// The journal of a run in the store, or in a file.
Result<run::JournalFile> journal_named(const Arguments& arguments, const std::string& name);
// Of a store that another process writes: what to do about it.
Error with_hint(Error error);
// To --output or standard output. The exit code.
int put_out(const Arguments& arguments, const std::string& text);

int resume_runs(const Arguments& arguments);
int fork_run(const Arguments& arguments);
int show_result(const Arguments& arguments);
int delete_runs(const Arguments& arguments);

}  // namespace plumb::cli
