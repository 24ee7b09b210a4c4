#include "core/contract/check.hpp"

#include "core/contract/engine/engine.hpp"

namespace plumb::contract {

struct Check::State {
  State(const Contract& contract, const CheckOptions& options) : engine(contract, options) {}
  std::optional<Verdict> verdict_unless(const Verdict& known) {
    return known.clean && engine.stream.clean ? std::optional<Verdict>() : engine.verdict();
  }
  Engine engine;
};

Check::Check(const Contract& contract, const CheckOptions& options)
    : state_(std::make_unique<State>(contract, options)) {}
Check::~Check() = default;
Check::Check(Check&&) noexcept = default;
Check& Check::operator=(Check&&) noexcept = default;

const Error* Check::context_error() const { return state_->engine.context_error(); }
void Check::push(std::string_view bytes, std::vector<Finding>& certain) { state_->engine.push(bytes, certain); }
const std::vector<Signal>& Check::signals() const { return state_->engine.stream.signals; }
std::size_t Check::waiting() const { return state_->engine.memory.deferred.in_use(); }
Verdict Check::end(std::vector<Finding>& certain) {
  state_->engine.finish(certain);
  return state_->engine.verdict();
}
Verdict Check::end() {
  std::vector<Finding> certain;
  return end(certain);
}
Verdict Check::whole(std::string_view text) { return state_->engine.check_whole(text); }
std::optional<Verdict> Check::end_unless(const Verdict& known, std::vector<Finding>& certain) {
  state_->engine.finish(certain);
  return state_->verdict_unless(known);
}
std::optional<Verdict> Check::whole_unless(const Verdict& known, std::string_view text) {
  state_->engine.read_whole(text);
  return state_->verdict_unless(known);
}
void Check::reset() { state_->engine.reset(); }

Verdict check_text(const Contract& contract, std::string_view text, const CheckOptions& options) {
  Check check(contract, options);
  return check.whole(text);
}

}  // namespace plumb::contract
