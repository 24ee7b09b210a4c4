// Checking an artifact: bytes in, findings and a verdict out.
//
//   Check check(contract);
//   check.push(bytes, certain);      // any number of times, split anywhere
//   Verdict verdict = check.end();
//
// check_text(contract, text) is push(everything) and end(). How the bytes are split changes nothing: findings, their
// order, `decided_at`. A Check is used again after reset(); it keeps its memory. Not for two threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/verdict.hpp"

namespace plumb::text {
class Steps;  // core/text/steps.hpp
}

namespace plumb::contract {

// Bounds. Reaching one is a `limit` finding and the decision `undecided`, never "valid".
struct Limits {
  std::uint32_t depth_max = 1024;
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  std::uint32_t findings_max = 1000;      // in full; more are counted by rule
  std::uint32_t held_max = 64;            // findings kept for a branch whose outcome is not known yet
  std::uint32_t evaluations_max = 10000;  // subschemas at work at one place
  std::uint32_t exponent_max = 10000;     // of a number
};

struct CheckOptions {
  Limits limits;
  std::string_view context;     // JSON text of the context document; empty: none. Copied.
  std::uint64_t hash_seed = 0;  // from the host, against crafted keys; no output depends on it
  // A budget of work, which must outlive the check; nullptr: none. Used up it is a `limit` finding, and nothing more is
  // decided. How many steps a text takes depends a little on how it was cut, and on nothing else.
  text::Steps* steps = nullptr;
};

class Check {
 public:
  explicit Check(const Contract& contract, const CheckOptions& options = {});
  ~Check();
  Check(Check&&) noexcept;
  Check& operator=(Check&&) noexcept;

  // The error of a context that is no JSON; none when all is well. A check with a bad context must not be used.
  const Error* context_error() const;

  // Judges the next bytes. Appends to `certain` what has become certain, in the order of `decided_at`: findings whose
  // value is still open are `partial` and come again, completed, under the same id.
  void push(std::string_view bytes, std::vector<Finding>& certain);
  // Signals raised so far (degenerate streams).
  const std::vector<Signal>& signals() const;
  // How many rules wait for other places of the text though what they are about has ended. At 0 all that has ended is
  // decided, but for rules of containers that are open.
  std::size_t waiting() const;
  // The verdict. After it only reset() is allowed. Findings that became certain at the end are appended to `certain`.
  Verdict end(std::vector<Finding>& certain);
  Verdict end();
  // push(text) and end() in one step, and faster: nothing that is in `text` is copied. Only on a check that has
  // read nothing since it was made or reset.
  Verdict whole(std::string_view text);
  // The same for who keeps a verdict of this check, and faster: none where `known` is clean and this text is, too. The
  // verdict is `known` once more then, but for `bytes`, and is not made.
  std::optional<Verdict> end_unless(const Verdict& known, std::vector<Finding>& certain);
  std::optional<Verdict> whole_unless(const Verdict& known, std::string_view text);
  // Ready for the next artifact under the same contract and context.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Verdict check_text(const Contract& contract, std::string_view text, const CheckOptions& options = {});

}  // namespace plumb::contract
