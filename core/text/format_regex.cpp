#include "core/text/format_regex.hpp"

#include "core/text/pattern_parse.hpp"

namespace plumb::text {

bool is_regex(std::string_view text) {
  const Result<pattern::Tree> tree = pattern::parse(text);
  // Warnings are of the old syntax's escapes.
  return tree ? tree.value().warnings.empty() : tree.error().code == ErrorCode::limit;
}

}  // namespace plumb::text
