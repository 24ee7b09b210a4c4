// The head of a request as it comes over the wire, before the HTTP library sees it: whether it has ended, how long its
// body is, and what in it two readers might read differently.
//
//   RawHead head = read_raw_head(bytes);
//   if (!head.problem.empty()) ... 400
//   if (head.size != 0) ... the body begins there
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb::control {

inline constexpr std::size_t head_bytes_max = 32 << 10;

struct RawHead {
  std::size_t size = 0;      // with its empty line; 0: it has not ended
  std::string_view problem;  // a sentence; empty: nothing is wrong so far
  std::string_view method;
  std::string_view path;  // without its query
  std::uint64_t length = 0;
  bool chunked = false;
  bool has_length = false;
  std::size_t expect_at = 0;  // where the name `Expect` is; 0: nowhere
  std::string_view authorization;
};

// Views of `bytes`.
RawHead read_raw_head(std::string_view bytes);

}  // namespace plumb::control
