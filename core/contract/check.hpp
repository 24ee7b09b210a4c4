// Check: judges an artifact against a contract. Bytes go in; findings and a verdict come out.
//
//   Check check(contract);
//   check.push(bytes, certain);      // any number of times, split anywhere
//   Verdict verdict = check.end();
//
// check_text(contract, text) does the same in one call. The way the bytes are split changes nothing: not the findings,
// their order, or `decided_at`. After reset() a Check can judge another artifact, with the memory that it has. One
// thread at a time may use a Check.
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

// Bounds of one check. If one is reached, there is a `limit` finding and the decision is `undecided`, never "valid".
struct Limits {
  std::uint32_t depth_max = 1024;
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  std::uint32_t findings_max = 1000;      // findings in the verdict; more are only counted, per rule
  std::uint32_t held_max = 64;            // findings kept per branch whose outcome is not known yet
  std::uint32_t evaluations_max = 10000;  // schemas that apply at one place
  std::uint32_t exponent_max = 10000;     // of a number: the power of ten of its first significant digit, in magnitude
};

struct CheckOptions {
  Limits limits;
  std::string_view context;     // JSON text of the context document, which is copied; empty if there is none
  std::uint64_t hash_seed = 0;  // from the host, against crafted keys that collide; no output depends on it
  // A budget of work, which must outlive the check; nullptr for no budget. When it is used up, there is a `limit`
  // finding and nothing more is decided. The number of steps that a text takes depends slightly on how it was split,
  // and on nothing else.
  text::Steps* steps = nullptr;
};

class Check {
 public:
  explicit Check(const Contract& contract, const CheckOptions& options = {});
  ~Check();
  Check(Check&&) noexcept;
  Check& operator=(Check&&) noexcept;

  // The error if the context is not valid JSON, else nullptr. Do not use a check whose context is bad.
  const Error* context_error() const;

  // Judges the next bytes. Appends the findings that have become certain to `certain`, in the order of `decided_at`. A
  // finding whose value has not ended is `partial`; it is appended again, complete, under the same id.
  void push(std::string_view bytes, std::vector<Finding>& certain);
  // The signals raised so far: the stream has become degenerate.
  const std::vector<Signal>& signals() const;
  // The number of rules whose own value has ended, and which wait for other places of the text. At 0 everything that
  // has ended is decided, except rules of containers that are still open.
  std::size_t waiting() const;
  // Ends the text and returns the verdict. Only reset() may follow. Findings that become certain at the end are
  // appended to `certain`.
  Verdict end(std::vector<Finding>& certain);
  Verdict end();
  // Does push(text) and end() in one step. This is faster, because nothing in `text` is copied. Only for a check that
  // has read nothing since it was made or reset.
  Verdict whole(std::string_view text);
  // end() and whole() for a caller that keeps an earlier verdict of this check. If both `known` and this text are clean
  // (Verdict::clean), they save the time to make a verdict and return nothing: the verdict equals `known`, except for
  // `bytes`.
  std::optional<Verdict> end_unless(const Verdict& known, std::vector<Finding>& certain);
  std::optional<Verdict> whole_unless(const Verdict& known, std::string_view text);
  // Prepares for the next artifact under the same contract and context.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Verdict check_text(const Contract& contract, std::string_view text, const CheckOptions& options = {});

}  // namespace plumb::contract
