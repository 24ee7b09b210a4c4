#include "core/pipelines/work_call.hpp"

#include "core/json/members.hpp"
#include "core/pipelines/preparation.hpp"

namespace plumb::pipelines {

namespace {

using json::Field;
using json::field;
using json::field_if_set;

std::string pin_name(std::string_view command) { return "command-" + std::string(command); }

struct CommandRequest {
  std::string command, tree, dir, input, isolation;
  std::uint64_t time_ms = 0;
  std::vector<std::string> files;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&CommandRequest::command>("command"),
                                      field_if_set<&CommandRequest::tree>("tree"),
                                      field_if_set<&CommandRequest::dir>("dir"),
                                      field_if_set<&CommandRequest::input>("input"),
                                      field_if_set<&CommandRequest::isolation>("isolation"),
                                      field_if_set<&CommandRequest::time_ms>("time_ms"),
                                      field_if_set<&CommandRequest::files>("files")};
    return table;
  }
};

run::Effect command_effect(const CommandWish& wish) {
  run::Effect effect;
  effect.kind = run::EffectKind::command;
  effect.request = [wish] {
    return run::Data::of(CommandRequest{std::string(wish.name), std::string(wish.tree), std::string(wish.dir),
                                        std::string(wish.input), wish.isolation_full ? "full" : "", wish.time_ms,
                                        wish.files});
  };
  return effect;
}

struct ClaimRequest {
  std::vector<std::string> names;
  std::string by;
  bool release = false, wait = false;
  static std::span<const Field> fields() {
    static constexpr Field table[] = {field<&ClaimRequest::names>("names"), field_if_set<&ClaimRequest::by>("for"),
                                      field_if_set<&ClaimRequest::release>("release"),
                                      field_if_set<&ClaimRequest::wait>("wait")};
    return table;
  }
};

run::Effect claim_effect(const ClaimNames& claim, bool release) {
  run::Effect effect;
  effect.kind = run::EffectKind::claim;
  effect.deadline_ms = release ? 0 : claim.deadline_ms;
  effect.request = [&claim, release] {
    return run::Data::of(ClaimRequest{claim.names, std::string(claim.by), release, !release && claim.wait});
  };
  return effect;
}

}  // namespace

Result<bool> pin_command(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view repository) {
  if (!texts.command) {
    return wrong_request("this host declares no commands, and '" + std::string(name) + "' is one", "");
  }
  Result<std::string> text = texts.command(name, repository);
  if (!text) {
    return text.error();
  }
  pins.emplace_back(pin_name(name), run::Data::written(std::move(text).value()));
  return true;
}

bool command_repeatable(const run::Run& run, std::string_view name) {
  return json::flag_of(run.pin(pin_name(name)).value(), "repeatable");
}

bool command_has_git(const run::Run& run, std::string_view name) {
  return json::flag_of(run.pin(pin_name(name)).value(), "git");
}

const run::Reply& ask_command(run::Run& run, const CommandWish& wish) {
  const run::Reply& reply = run.ask(command_effect(wish));
  if (reply.status != run::Status::interrupted || !wish.again || !command_repeatable(run, wish.name)) {
    return reply;
  }
  std::string note;
  json::Writer(note).begin_object().member("command", wish.name).member("tree", wish.tree).end_object();
  run.emit("command_again", run::Data::written(std::move(note)));
  return run.ask(command_effect(wish));
}

const run::Reply& ask_worktree(run::Run& run, std::string_view repository, std::string_view operation,
                               const std::function<void(json::Writer&)>& members) {
  run::Effect effect;
  effect.kind = run::EffectKind::worktree;
  effect.request = [&] {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("operation", operation).member("repository", repository);
    members(json);
    json.member_uint("date_ms", run.now_ms()).end_object();
    return run::Data::written(std::move(out));
  };
  return run.ask(effect);
}

bool ask_claim(run::Run& run, const ClaimNames& claim) {
  const run::Reply& reply = run.ask(claim_effect(claim, false));
  return reply.ok() && json::flag_of(reply.value.value(), "granted");
}

void release_claim(run::Run& run, const ClaimNames& claim) { (void)run.ask(claim_effect(claim, true)); }

}  // namespace plumb::pipelines
