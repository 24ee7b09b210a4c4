#include "native/proxy/upstream_request.hpp"

#include <utility>

#include "core/wire/request.hpp"
#include "core/wire/translate.hpp"
#include "native/proxy/passed_fields.hpp"

namespace plumb::proxy {

namespace {

Result<std::string> written(const UpstreamAsk& ask, wire::ModelRequest request, std::string& structured_tool) {
  const Upstream& upstream = *ask.step.upstream;
  const wire::Wire to = upstream.endpoint.wire;
  if (ask.guard != nullptr)
    request = ask.want == guard::Want::judge ? ask.guard->judge_request(request) : ask.guard->repair_request(request);
  request.model = ask.step.model;
  request.stream = ask.stream;
  wire::RequestOptions options;
  options.completion_tokens = upstream.completion_tokens;
  structured_tool = wire::structured_tool(to, request);
  return wire::request_body(to, request, options);
}

Result<std::string> written_anew(const UpstreamAsk& ask, std::string& structured_tool) {
  Result<wire::ModelRequest> translated =
      wire::translated_request(ask.request.wire, ask.body, ask.step.upstream->endpoint.wire);
  Result<std::string> body = translated ? written(ask, std::move(translated).value(), structured_tool)
                                        : Result<std::string>(translated.error());
  // A conversation that cannot be written again (a document, audio) is left out of what a guard asks: the artifact, its
  // findings and the contract are enough to go on.
  if (!body && ask.guard != nullptr)
    body = written(ask, {}, structured_tool);
  return body;
}

}  // namespace

Result<UpstreamRequest> upstream_request(const UpstreamAsk& ask) {
  const provider::Endpoint& endpoint = ask.step.upstream->endpoint;
  UpstreamRequest made;
  if (ask.guard != nullptr || endpoint.wire != ask.request.wire) {
    Result<std::string> body = written_anew(ask, made.structured_tool);
    if (!body)
      return body.error();
    made.request.body = std::move(body).value();
  } else {
    wire::BodyChanges changes;
    changes.model = ask.step.model;
    changes.remove_plumb = ask.request.plumb.there;
    if (ask.stream != ask.request.stream)
      changes.stream = ask.stream;
    made.usage_added = ask.stream && endpoint.wire == wire::Wire::openai && !ask.request.include_usage;
    changes.include_usage = made.usage_added;
    made.request.body = wire::changed_body(ask.body, ask.request, changes);
  }
  made.request.origin = endpoint.base.origin;
  made.request.target = endpoint.target();
  const std::string& usual = ask.stream ? ask.step.headers->stream : ask.step.headers->whole;
  std::string& lines = made.request.lines;
  lines.reserve(usual.size() + ask.step.tracestate.size() + 128);
  lines = usual;
  pass_to_upstream(ask.head, endpoint.wire, lines);
  if (!ask.step.traceparent.empty())
    lines.append("traceparent: ").append(ask.step.traceparent).append("\r\n");
  if (!ask.step.tracestate.empty())
    lines.append("tracestate: ").append(ask.step.tracestate).append("\r\n");
  return made;
}

}  // namespace plumb::proxy
