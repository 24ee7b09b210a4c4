#include "native/provider/prepared_call.hpp"

#include <algorithm>
#include <utility>

#include "core/stranger/manner.hpp"
#include "core/wire/facet.hpp"
#include "core/wire/request.hpp"

namespace plumb::provider {

namespace {

// What a reasoning model is given to think beside its answer, at least.
constexpr std::uint64_t thinking_tokens = 4'096;

// A sample speaks what its model's name says.
Endpoint endpoint_of(const Settings& settings, const Choice& choice) {
  Endpoint out = settings.endpoint;
  if (settings.known->source == Source::sample) {
    const Result<stranger::Manner> manner = stranger::read_manner(choice.model);
    out.wire = manner ? manner.value().wire.value_or(wire::Wire::openai) : wire::Wire::openai;
    out.base.origin = {false, "sample", 80};
    out.base.path = out.wire == wire::Wire::ollama ? "" : "/v1";
  }
  return out;
}

Error refused(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

}  // namespace

Result<PreparedCall> prepare_call(EffectRequest& request, const Choice& choice, const Settings& settings,
                                  const KnownContract* contract, std::uint64_t left_ms, Answered& how) {
  wire::ModelRequest& model = request.model;
  const Profile profile = settings.profile(choice.model);
  const std::string asked = choice.said.text + " (chosen by " + choice.level_text + ")";
  if (!model.tools.empty() && !profile.tools) {
    return refused("the request has tools, which " + asked + " does not take");
  }
  if (request.early_stop == EarlyStop::finding && !profile.streaming) {
    return refused("early_stop: finding needs streaming, which " + asked + " does not have");
  }
  PreparedCall out;
  out.request.endpoint = endpoint_of(settings, choice);
  const wire::Wire wire = out.request.endpoint.wire;
  if (contract != nullptr && model.format.kind == wire::FormatKind::text) {
    // A call of a tool comes whole, so an answer that may be ended early is no such call; nor one beside other tools.
    const bool no_tool = request.early_stop == EarlyStop::finding || !model.tools.empty();
    const bool weaker = profile.structured == Structured::tool && no_tool;
    StructuredOutput output = contract->output(wire, weaker ? Structured::strict : profile.structured);
    model.format = std::move(output.format);
    how.structured = output.used;
  }
  model.model = choice.model;
  model.stream = profile.streaming;
  if (facet_of(wire).local) {
    settings.write_ollama(model, input_estimate_safe(model));
  }
  if (profile.reasons && model.output_tokens_max > 0) {
    model.output_tokens_max += std::max(thinking_tokens, model.output_tokens_max);
  }
  if (!profile.temperature && !model.temperature.empty()) {
    model.temperature.clear();
    how.temperature_left_out = true;
  }
  wire::RequestOptions options;
  options.completion_tokens = settings.completion_tokens;
  Result<std::string> body = wire::request_body(wire, model, options);
  if (!body) {
    return refused(choice.said.text + ": " + body.error().message +
                   (body.error().where.empty() ? "" : " (" + body.error().where + ")"));
  }
  out.request.body = std::move(body).value();
  out.request.stream = model.stream;
  out.request.reply.structured_tool = wire::structured_tool(wire, model);
  out.request.reply.done_required = wire != wire::Wire::openai;
  out.limits = settings.limits;
  out.limits.exchange.deadline_ms = left_ms;
  if (request.idle_ms > 0) {
    out.limits.token_idle_ms = request.idle_ms;
    out.limits.exchange.idle_ms = std::max(out.limits.exchange.idle_ms, request.idle_ms);
  }
  if (!model.stream || model.format.as_tool) {  // its first byte comes when all of it is written
    out.limits.exchange.first_byte_ms = left_ms;
  }
  if (model.format.as_tool) {  // nothing may come between what it thinks and the call
    out.limits.token_idle_ms = 0;
    out.limits.exchange.idle_ms = left_ms;
  }
  return out;
}

Spent cost_of(const EffectRequest& request, const ModelOutcome& outcome) {
  const bool late = outcome.end == ModelEnd::timed_out ||
                    (outcome.end == ModelEnd::failed &&
                     outcome.failure.failure_class == wire::FailureClass::timed_out && outcome.failure.status == 0);
  const Ending ending = outcome.end == ModelEnd::answered ? Ending::whole
                        : late                            ? Ending::timed_out
                        : outcome.end == ModelEnd::failed ? Ending::refused
                                                          : Ending::stopped;
  return spent(request.model, outcome.reply, ending);
}

run::Reply reply_of(const EffectRequest& request, const ModelOutcome& outcome, const Answered& how) {
  const Spent cost = cost_of(request, outcome);
  switch (outcome.end) {
    case ModelEnd::failed:
      return failed_reply(run::Status::failed, outcome.failure, outcome.reply, cost, how);
    case ModelEnd::timed_out:
      return failed_reply(run::Status::timed_out, outcome.failure, outcome.reply, cost, how);
    case ModelEnd::cancelled:
      return failed_reply(run::Status::cancelled, wire::make_failure(wire::FailureClass::cut, "cancelled"),
                          outcome.reply, cost, how);
    case ModelEnd::answered:
    case ModelEnd::stopped:
      break;
  }
  return ok_reply(outcome.reply, cost, how);
}

}  // namespace plumb::provider
