#include "native/host/forking.hpp"

#include <algorithm>
#include <utility>

#include "core/contract/contract.hpp"
#include "core/pipelines/boundary/revision.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/host/contained.hpp"
#include "native/host/run_id.hpp"

namespace plumb::host {

namespace {

Error wrong(ErrorCode code, std::string message, std::string where = {}) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

// A pipeline trusts its input, which its own preparation has made. So another one has the same form: the same kinds,
// the members that were there and no others, and in a list what is like one of those that were in it.
std::string other_form(const json::Value& was, const json::Value& is, const std::string& at) {
  if (was.kind != is.kind) {
    return at + " is of another kind";
  }
  if (was.is(json::Kind::object)) {
    for (const json::Member& member : is.object()) {
      const json::Value* before = was.find(member.key);
      if (before == nullptr) {
        return at + "/" + std::string(member.key) + " was not there";
      }
      if (std::string wrong_at = other_form(*before, member.value, at + "/" + std::string(member.key));
          !wrong_at.empty()) {
        return wrong_at;
      }
    }
    return was.size == is.size ? std::string() : at + " lacks a member that was there";
  }
  if (was.is(json::Kind::array)) {
    std::size_t number = 0;
    for (const json::Value& item : is.array()) {
      const auto all = was.array();
      if (std::none_of(all.begin(), all.end(),
                       [&](const json::Value& one) { return other_form(one, item, "").empty(); })) {
        return at + "/" + std::to_string(number) + " is like none that was there";
      }
      ++number;
    }
  }
  return {};
}

// Whether a run can be pinned to it: a prompt and a contract are read, of others the form stays.
std::string unfit(std::string_view name, const run::Data& was, const run::Data& is) {
  if (name == asked_of_name) {
    return "whom a run asks is chosen with 'here'";
  }
  if (name.starts_with("prompt-")) {
    const Result<pipelines::Prompt> prompt = pipelines::read_prompt(name, is.value().str(), name, {});
    return prompt ? std::string() : prompt.error().message;
  }
  if (name.starts_with("contract")) {
    const Result<contract::Contract> contract = contract::Contract::read(is.text());
    return contract ? std::string() : contract.error().message;
  }
  return other_form(was.value(), is.value(), "");
}

Result<run::Pins> pins_of(const run::Journal& journal, const ForkWish& wish) {
  run::Pins pins;
  const run::Data& begin = journal.begin().data;
  if (const json::Value* all = begin.value().find("pins")) {
    for (const json::Value& pin : all->array()) {
      const json::Value* name = pin.find("name");
      if (name != nullptr) {
        pins.emplace_back(std::string(name->str()), run::Data::part(begin, pin.find("text")).deep_copy());
      }
    }
  }
  for (const auto& [name, text] : wish.pins) {
    const auto found =
        std::find_if(pins.begin(), pins.end(), [&, &wanted = name](const auto& pin) { return pin.first == wanted; });
    if (found == pins.end()) {
      std::string names;
      for (const auto& pin : pins) {
        names += (names.empty() ? "" : ", ") + pin.first;
      }
      return wrong(ErrorCode::not_found, "the run is pinned to no '" + name + "'; it is to: " + names, name);
    }
    const bool is_text = found->second.value().is(json::Kind::string);
    Result<run::Data> read = is_text ? Result<run::Data>(run::Data::string(text)) : run::Data::read(text);
    if (!read) {
      return wrong(ErrorCode::invalid_argument, "the pin '" + name + "' is JSON: " + read.error().message, name);
    }
    if (const std::string why = unfit(name, found->second, read.value()); !why.empty()) {
      return wrong(ErrorCode::invalid_argument, "the run cannot be pinned to this '" + name + "': " + why, name);
    }
    found->second = std::move(read).value();
  }
  if (!wish.pins.empty()) {
    pipelines::renew_revisions(pins);
  }
  return pins;
}

}  // namespace

Result<MadeFork> make_fork(const store::RunRow& row, const run::Journal& journal,
                           std::span<const pipelines::Known> pipelines, ForkWish wish, const AskedOf& asked_of,
                           const run::MachineOptions& options, std::uint64_t now_ms) {
  const auto known = std::find_if(pipelines.begin(), pipelines.end(),
                                  [&](const pipelines::Known& one) { return one.pipeline.name == row.pipeline; });
  if (known == pipelines.end()) {
    return wrong(ErrorCode::not_found, "this program has no pipeline '" + row.pipeline + "'", "run " + row.id);
  }
  Result<run::Pins> pins = pins_of(journal, wish);
  if (!pins) {
    return pins.error();
  }
  const run::Data& begin = journal.begin().data;
  const run::Data old_input = run::Data::part(begin, begin.value().find("input"));
  run::Data input = wish.input ? *wish.input : old_input.deep_copy();
  if (const std::string why =
          wish.input && !wish.prepared ? other_form(old_input.value(), input.value(), "") : std::string();
      !why.empty()) {
    return wrong(ErrorCode::invalid_argument, "the input has not the form of the old run's: " + why, "run " + row.id);
  }
  if (!asked_of.empty()) {
    const std::string pin = asked_of_pin(asked_of, input.value());
    for (auto& [name, text] : pins.value()) {
      if (name == asked_of_name) {
        text = run::Data::written(pin);
      }
    }
  }
  store::RunRow fresh;
  fresh.id = new_run_id();
  fresh.pipeline = row.pipeline;
  fresh.version = known->pipeline.version;
  fresh.owner = wish.owner.empty() ? row.owner : wish.owner;
  fresh.project = row.project;
  fresh.forked_from = row.id;
  fresh.imported = row.imported;
  fresh.created_ms = fresh.changed_ms = now_ms;
  std::optional<Result<run::Forked>> forked;
  const std::optional<std::string> broken = contained([&] {
    forked.emplace(run::fork(known->pipeline, fresh.id, input, pins.value(), {&journal, wish.at, std::move(wish.redo)},
                             options, now_ms));
  });
  if (broken) {
    return wrong(ErrorCode::invalid_argument, "the pipeline cannot go on so: " + *broken, "run " + row.id);
  }
  if (!*forked) {
    return forked->error();
  }
  run::Forked& made = forked->value();
  return MadeFork{std::move(fresh), std::move(made.machine), made.taken, std::move(made.left)};
}

}  // namespace plumb::host
