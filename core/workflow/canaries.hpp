// Canaries: small breaks that an honest gate must notice. A gate that stays green with them checks nothing.
//
//   std::optional<std::string> text = broken(Canary::assertion, "tests/test_sum.py", was);   // nothing: not possible
//
// syntax      a line that is no code, in every source file whose language is known
// assertion   a test that fails: an added one, and assertions turned round (Python, JavaScript, TypeScript, Go, Rust,
// C,
//             C++, Java)
//
// Whether a gate has to notice a broken assertion is judged by must_run_tests(). Files that a gate runs are not broken
// by the caller: with its own script broken, every gate fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/workflow/gates.hpp"

namespace plumb::workflow {

enum class Canary : std::uint8_t { assertion, syntax };
std::string_view canary_name(Canary canary);  // "a broken assertion"

// The text with the break; nothing where the file has no place for it.
std::optional<std::string> broken(Canary canary, std::string_view path, std::string_view text);

// By its category, else its name, its report and the programs that it names: pytest, ctest, jest, `go test`, ...
bool must_run_tests(const Gate& gate);

// What became of a gate with the canaries.
enum class Proof : std::uint8_t {
  proven,     // it failed with each break that it has to notice
  hollow,     // it ran and stayed green
  unproven,   // no break could be planted, or none reached it
  fails_now,  // it fails before any break
};
std::string_view proof_name(Proof proof);
std::span<const std::string_view> names_of(Proof);

// How a gate answered one canary: not planted or not reached, noticed, or stayed green.
enum class Answer : std::uint8_t { nothing, noticed, green };
struct Answers {
  bool passes_before = true;
  Answer assertion = Answer::nothing, syntax = Answer::nothing;
  bool alone = false;  // `syntax` was answered without the gates before it, which had noticed it
};
Proof proof_of(const Gate& gate, const Answers& answers);

}  // namespace plumb::workflow
