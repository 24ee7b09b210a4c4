// Whether what a reviewer quotes is in what it may quote. Private to the judging of reviews.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/rendered_quote.hpp"

namespace plumb::workflow {

class Evidence {
 public:
  // The texts must outlive this.
  explicit Evidence(std::span<const std::string> texts);
  // The whole of it is a quote, or each of its lines is, or something that it has between backticks or in quotation
  // marks. Fewer than eight characters, or a single word, prove nothing.
  bool has(std::string_view evidence) const;

 private:
  bool found(std::string_view quote) const;

  std::span<const std::string> texts_;
  std::vector<text::RenderedSource> rendered_;
};

}  // namespace plumb::workflow
