// One part of an answer under its contract: what the model writes of it goes in, what may be let go comes out, and in
// the end there is a version of it with its verdict.
//
//   Part part(rules, options, {.mends = true, .releases = true, .stops = true});
//   part.take(piece, release);         // any pieces; appends what may go to the client now
//   if (part.stopped()) { ... }        // nothing more need be read
//   Version version = part.end(release);
//
// The text passes the edits (core/repair/reader.hpp), then the engine. With `releases` it is let go unit by unit
// (core/guard/units.hpp), each when no rule about it waits any more; free fixes are made before. Nothing is let go once
// something is broken or cannot be decided. What comes out, the version and the byte where it stopped are the same
// however the text was cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/degenerate.hpp"
#include "core/guard/guard_options.hpp"
#include "core/guard/units.hpp"
#include "core/repair/free_fix.hpp"
#include "core/repair/reader.hpp"

namespace plumb::guard {

struct Version {
  std::string text;
  contract::Verdict verdict;
  std::vector<std::string> fixes;  // free fixes, each an operation of JSON Patch
  bool whole = true;               // it was not stopped before its end
  bool judged = false;             // by a judge: its findings are in the verdict
  std::uint64_t issues = 0;        // errors among them
  // No error is broken, and nothing that had to be decided is undecided.
  bool good() const;
  // Errors that count; an unfinished text has more of them than any finished one.
  std::uint64_t structural_errors() const;
};

// A whole text, strictly read; with free fixes behind its first `kept` bytes.
Version judged(const contract::Contract& contract, const contract::CheckOptions& options, std::string text,
               std::size_t kept);
// How a contract is checked under these options, which must outlive what is made of it.
contract::CheckOptions check_options(const GuardOptions& options);

struct PartWays {
  bool mends = false;     // edits and free fixes
  bool releases = false;  // unit by unit
  bool stops = false;     // at the first certain error that nothing mends
  bool watches = false;   // stops where the text becomes degenerate; else that is only a signal
};

class Part final : private repair::Output {
 public:
  Part(const contract::Contract& contract, const GuardOptions& options, PartWays ways);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void take(std::string_view raw, std::string& release);
  bool stopped() const { return stop_.has_value(); }
  struct Stop {
    std::string why;  // "finding", "degenerate" or "limit"
    std::string detail;
    std::string rule;
    std::string at;
    std::uint64_t at_byte = 0;
  };
  const Stop& stop() const { return *stop_; }
  // The text is over, or has been stopped. What is still to be let go is not: that depends on the verdict.
  Version end(std::string& release);
  // All that was let go.
  const std::string& released() const { return released_text_; }
  // Bytes that the model has written of it.
  std::uint64_t bytes() const { return raw_bytes_; }

 private:
  void take(std::string_view edited) override { text_ += edited; }
  void judge_new(std::string& release);
  void feed(std::size_t to);
  void look(const contract::Finding& finding);
  void let_go(std::size_t to, std::string& release);
  std::string fixed(std::size_t from, std::size_t to) const;
  std::size_t broken_end() const;
  void stop_at(std::size_t end);
  Version ended();

  const contract::Contract& contract_;
  const GuardOptions& options_;
  PartWays ways_;
  contract::Check check_;
  std::optional<repair::Reader> reader_;
  contract::DegenerateWatch degenerate_;
  const char* degenerate_said_ = nullptr;
  Units units_;
  std::string text_;  // edited
  std::uint64_t raw_bytes_ = 0;
  std::size_t scanned_ = 0;  // by units_
  std::size_t fed_ = 0;      // to check_
  std::size_t released_ = 0;
  std::string released_text_;
  std::vector<repair::FreeFix> fixes_;
  std::vector<contract::Finding> certain_;
  bool frozen_ = false;
  std::size_t broken_at_ = ~std::size_t{0};
  contract::Finding broken_;
  std::optional<Stop> stop_;
};

}  // namespace plumb::guard
