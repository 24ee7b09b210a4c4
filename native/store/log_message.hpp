// What a shared store writes into its log: an operation as a JSON object, {"v":1,"op":"append",...}. Its subject is the
// run's, `run.ID`; claims are under `claim`. Internal to native/store.
//
//   create  the row, and entries           append  entries, how many there were before, and what they make of the run
//   take    who wrote it drives the run    waits   why it does not go on          adopt  an imported run may do work
//   gone    the run was removed            claim   names, for whom, or back
//
// A text of at most `inline_bytes` is in the message, a longer one in the log's texts under its hash; so is one
// of more than `often_bytes` that a host gives again, so that prompts are not in the messages of every run. A message
// that would be too long is a text itself, named `body-...`, and the message says so: {"v":1,"body":"body-..."}.
// `v` is 2 where a run belongs to a project, so that a host which knows none does not read on; else 1.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "native/store/store.hpp"

namespace plumb::store {

inline constexpr std::size_t inline_bytes = 4096;
inline constexpr std::size_t often_bytes = 256;

enum class LogOp : std::uint8_t { create, append, take, waits, adopt, gone, claim };

struct LoggedOp {
  LogOp op = LogOp::take;
  std::string run;
  RunRow row = {};               // create
  std::uint64_t expected = 0;    // append: entries before
  Batch entries = {};            // create, append
  std::uint64_t more_bytes = 0;  // of texts that are known by their hashes, and not given once more
  Change change = {};            // append
  std::string why = {};          // waits
  ClaimWish wish = {};           // claim
};

// `elsewhere`: hashes of texts that are in the log's own, beside those that are too long.
std::string op_text(const LoggedOp& op, const std::set<std::string>& elsewhere = {});
// The text name that the message is stored under, where it is too long for one; else empty.
std::string body_name_in(std::string_view text);
std::string body_reference(const std::string& name);
// Texts that are elsewhere have their hash and no text: `missing` has their places. An error for what this program
// does not know: it was written by a later one.
struct TextPlace {
  std::size_t entry = 0;
  std::size_t blob = 0;
};
Result<LoggedOp> read_op(std::string_view text, std::vector<TextPlace>& missing);

}  // namespace plumb::store
