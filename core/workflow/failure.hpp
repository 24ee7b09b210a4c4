// Equal failures (004-19): a gate that fails twice in the same way though the tree is another one shows a developer
// that goes round in circles.
//
//   failure_fingerprint("test", 1, output)     // "9f86d081884c7d65": gate, exit code and output without what differs
//                                              // between two runs of the same
//
// Left out of the output: times and durations, dates, addresses, process ids, temporary and absolute paths (their last
// part stays), line and column numbers behind a path, hashes, runs of blanks, colours. What is left is compared whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

std::string plain_output(std::string_view output);
std::string failure_fingerprint(std::string_view gate, int exit_code, std::string_view output);

// A failure as it came, in order, and of which tree.
struct Failure {
  std::string fingerprint;
  std::string tree;
};
// How many different trees have failed as the last one did, itself with them; 0 where there is none. The second is a
// warning, the third escalates.
std::uint32_t equal_failures(std::span<const Failure> failures);

}  // namespace plumb::workflow
