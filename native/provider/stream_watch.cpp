#include "native/provider/stream_watch.hpp"

#include "core/json/value.hpp"
#include "core/text/fold.hpp"

namespace plumb::provider {

namespace {

repair::EditOptions edits_of(bool contract) {
  repair::EditOptions edits;
  edits.level = contract ? contract::EditLevel::certain : contract::EditLevel::none;
  return edits;
}

std::string loose(std::string_view text) { return text::fold(text, {.trim = true, .lowercase = true}); }

std::shared_ptr<const KnownContract> or_anything(std::shared_ptr<const KnownContract> contract) {
  if (contract != nullptr)
    return contract;
  static const std::shared_ptr<const KnownContract> anything =
      std::make_shared<KnownContract>(contract::Contract::read("true").value());
  return anything;
}

}  // namespace

bool may_be_mended(const contract::Finding& finding) {
  if (finding.rule != "memberOf")
    return false;
  if (finding.partial)
    return true;  // its value is not whole: it is looked at again when it is
  for (const std::string& text : finding.allowed) {
    json::Arena arena;
    const Result<json::Value> allowed = json::parse(text, arena);
    if (allowed && loose(allowed.value().str()) == loose(finding.provided))
      return true;
  }
  return false;
}

StreamWatch::StreamWatch(std::shared_ptr<const KnownContract> contract, EarlyStop early_stop)
    : contract_(or_anything(contract)),
      early_stop_(contract == nullptr && early_stop == EarlyStop::finding ? EarlyStop::degenerate : early_stop),
      check_(contract_->contract, {}, edits_of(contract != nullptr)) {}

std::optional<Stop> StreamWatch::push(std::string_view text, std::vector<contract::Finding>& certain) {
  const std::size_t before = certain.size();
  bytes_ += text.size();
  check_.push(text, certain);
  if (early_stop_ == EarlyStop::none)
    return std::nullopt;
  for (const contract::Signal& signal : check_.signals()) {
    if (signal.kind == "degenerate")
      return Stop{"degenerate", signal.detail, "", "", signal.at_byte};
  }
  if (early_stop_ != EarlyStop::finding)
    return std::nullopt;
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
