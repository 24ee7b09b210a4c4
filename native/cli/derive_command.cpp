// `plumb contracts derive`.
#include <unistd.h>

#include "core/derive/derive.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

// What the target leaves out and what it forbids, one line each, for standard error.
std::string told(const derive::Derived& derived, const contract::TextStyle& style) {
  std::string out;
  out += bold(std::string(derive::name_of(derived.target)), style) + ": about " +
         std::to_string(derived.tokens.likely) + " tokens, at most " + std::to_string(derived.tokens.safe) + "\n";
  if (!derived.residual.empty()) {
    out += "not enforced (--residual gives these as a contract):\n";
  }
  for (const derive::ResidualRule& rule : derived.residual) {
    out += "  " + cyan(rule.keyword, style) + " " + dim(rule.schema_location, style) + "  " + rule.sentence + "\n";
  }
  if (!derived.narrows.empty()) {
    out += "forbidden though the contract allows it:\n";
  }
  for (const derive::Narrowing& one : derived.narrows) {
    out += "  " + cyan(one.kind, style) + " " + dim(one.schema_location, style) + "  " + one.sentence + "\n";
  }
  return out;
}

}  // namespace

int run_contracts_derive(const Arguments& arguments) {
  const Result<NamedContract> named = contract_argument(arguments);
  if (!named) {
    return fail(named.error());
  }
  const std::string to = arguments.text("--to", "");
  const derive::TargetName* target = derive::target_named(to);
  if (target == nullptr) {
    std::string names;
    for (const derive::TargetName& one : derive::target_names) {
      names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return fail(Error{ErrorCode::invalid_argument, "say what to derive with --to: " + names, "", 0, 0});
  }
  const contract::Contract& contract = named.value().contract;
  const Result<derive::Derived> derived = derive::derive(contract, target->target);
  if (!derived) {
    Error error = derived.error();
    error.where = arguments.positionals().front() + (error.where.empty() ? "" : " " + error.where);
    return fail(error);
  }
  std::string text = derived.value().text;
  if (arguments.text("--format", "text") == "json") {
    text = derive::derived_json(contract, derived.value(), 2) + "\n";
  } else if (arguments.has("--residual")) {
    text = derived.value().contract;
  } else if (!arguments.has("--quiet")) {
    write_all(STDERR_FILENO, told(derived.value(), style_for(arguments, STDERR_FILENO)));
  }
  if (write_all(STDOUT_FILENO, text)) {
    return exit_clean;
  }
  return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

}  // namespace plumb::cli
