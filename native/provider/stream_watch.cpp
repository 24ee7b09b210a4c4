#include "native/provider/stream_watch.hpp"

#include <utility>

#include "core/repair/free_fix.hpp"

namespace plumb::provider {

bool may_be_mended(const contract::Finding& finding) {
  if (finding.partial) {
    return finding.rule == "memberOf";  // its value is not whole: it is looked at again when it is
  }
  return repair::free_fix(finding, finding.provided).has_value();
}

StreamWatch::StreamWatch(std::shared_ptr<const KnownContract> contract, EarlyStop early_stop)
    : contract_(std::move(contract)), early_stop_(early_stop) {
  if (contract_ != nullptr) {
    repair::EditOptions edits;
    edits.level = contract::EditLevel::certain;
    check_.emplace(contract_->contract, contract::CheckOptions{}, edits);
  }
}

std::optional<Stop> StreamWatch::push(std::string_view text, std::vector<contract::Finding>& certain) {
  const std::size_t before = certain.size();
  bytes_ += text.size();
  if (check_) {
    check_->push(text, certain);
  }
  if (early_stop_ == EarlyStop::none) {
    return std::nullopt;
  }
  if (const char* what = degenerate_.next(text)) {
    return Stop{"degenerate", what, "", "", degenerate_.at()};
  }
  if (early_stop_ != EarlyStop::finding) {
    return std::nullopt;
  }
  for (std::size_t i = before; i < certain.size(); ++i) {
    const contract::Finding& finding = certain[i];
    if (finding.severity == contract::Severity::error && finding.shadowed_by == 0 && finding.rule != "limit" &&
        !may_be_mended(finding)) {
      std::string detail =
          finding.message.empty() ? finding.rule + " at " + (finding.at.empty() ? "/" : finding.at) : finding.message;
      return Stop{"finding", std::move(detail), finding.rule, finding.at, finding.decided_at};
    }
  }
  return std::nullopt;
}

}  // namespace plumb::provider
