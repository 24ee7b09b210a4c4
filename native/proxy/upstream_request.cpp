#include "native/proxy/upstream_request.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/wire/facet.hpp"
#include "core/wire/request.hpp"
#include "core/wire/strict_schema.hpp"
#include "core/wire/translate.hpp"
#include "native/proxy/forwarded_headers.hpp"

namespace plumb::proxy {

namespace {

// What the provider's wire does not take of a schema that is to be enforced is taken out of it, and told: the answer is
// judged by the whole schema here. A schema that has no such form, or one that leaves out members of any name, which no
// client means, stays as it is, and is shown to the model alone.
void fit_schema(const UpstreamAsk& ask, std::string& schema, std::string_view name, std::vector<std::string>& lost) {
  if (wire::takes_strict(ask.wire, schema)) {
    return;
  }
  const auto known = ask.shelf.read(schema);
  if (!known) {
    return;
  }
  const wire::Wire form = ask.wire == wire::Wire::anthropic ? ask.wire : wire::Wire::openai;  // of responses too
  const provider::StructuredOutput output = known.value()->output(form, provider::Structured::strict);
  if (output.used != provider::Structured::strict) {
    return;
  }
  schema = output.format.schema;
  std::erase(lost, std::string(name) + ".strict");
  for (const std::string& left : output.left) {
    std::string keyword = std::string(name) + "." + left;
    if (std::find(lost.begin(), lost.end(), keyword) == lost.end()) {
      lost.push_back(std::move(keyword));
    }
  }
}

// The member that the client's format was in, as what is lost of it is called.
std::string_view format_member(wire::Wire client, const std::vector<std::string>& lost) {
  if (client != wire::Wire::anthropic) {
    return client == wire::Wire::responses ? "text" : "response_format";
  }
  const bool config = std::find(lost.begin(), lost.end(), "output_config.strict") != lost.end();
  return config ? "output_config" : "output_format";
}

void fit_schemas(const UpstreamAsk& ask, wire::ModelRequest& request, std::vector<std::string>& lost) {
  if (ask.wire == wire::Wire::ollama) {
    return;  // it keeps to any schema
  }
  const std::string_view format = format_member(ask.request.wire, lost);
  if (request.format.kind == wire::FormatKind::schema && request.format.strict) {
    fit_schema(ask, request.format.schema, format, lost);
  }
  bool fit = true;
  for (wire::Tool& tool : request.tools) {
    if (tool.strict && !tool.parameters.empty()) {
      fit_schema(ask, tool.parameters, "tools", lost);
    }
    fit = fit && (!tool.strict || wire::takes_strict(ask.wire, tool.parameters.empty() ? "{}" : tool.parameters));
  }
  if (!fit && std::find(lost.begin(), lost.end(), "tools.strict") == lost.end()) {
    lost.emplace_back("tools.strict");  // one of them could not be
  }
}

Result<std::string> written(const UpstreamAsk& ask, wire::ModelRequest request, std::string& structured_tool) {
  const Upstream& upstream = *ask.step.upstream;
  const wire::Wire to = ask.wire;
  if (ask.guard != nullptr) {
    request = ask.want == guard::Want::judge ? ask.guard->judge_request(request) : ask.guard->repair_request(request);
  }
  request.model = ask.step.model;
  request.stream = ask.stream;
  // What a guard asks beside the answer is not the client's to come back to.
  if (ask.guard != nullptr && to == wire::Wire::responses) {
    request.extra.push_back({"store", "false"});
  }
  wire::RequestOptions options;
  options.completion_tokens = upstream.completion_tokens;
  structured_tool = wire::structured_tool(to, request);
  return wire::request_body(to, request, options);
}

Result<std::string> written_anew(const UpstreamAsk& ask, UpstreamRequest& made) {
  std::string& structured_tool = made.structured_tool;
  std::vector<std::string> lost;
  Result<wire::ModelRequest> translated = wire::translated_request(ask.request.wire, ask.body, ask.wire, &lost);
  if (translated && ask.guard == nullptr) {
    fit_schemas(ask, translated.value(), lost);
  }
  for (const std::string& one : lost) {
    made.lost += (made.lost.empty() ? "" : ", ") + one;
  }
  Result<std::string> body = translated ? written(ask, std::move(translated).value(), structured_tool)
                                        : Result<std::string>(translated.error());
  // A conversation that cannot be written again (a document, audio) is left out of what a guard asks: the artifact, its
  // findings and the contract are enough to go on.
  if (!body && ask.guard != nullptr) {
    body = written(ask, {}, structured_tool);
  }
  return body;
}

// The path: of a call in that wire, or of what else is wanted.
std::string target_of(const UpstreamAsk& ask) {
  const provider::Endpoint& endpoint = ask.step.upstream->endpoint;
  if (ask.kept.there()) {
    return endpoint.target(ask.request.wire).append("/").append(ask.kept.id).append(ask.kept.rest);
  }
  switch (ask.request.wish) {
    case wire::Wish::embeddings:
      return endpoint.target_of("embeddings");
    case wire::Wish::input_tokens:
      return endpoint.target_of("messages/count_tokens");
    case wire::Wish::answer:
      break;
  }
  return endpoint.target(ask.wire);
}

}  // namespace

Result<UpstreamRequest> upstream_request(const UpstreamAsk& ask) {
  const provider::Endpoint& endpoint = ask.step.upstream->endpoint;
  UpstreamRequest made;
  if (ask.kept.there()) {
    made.request.method = ask.kept.method;
  } else if (ask.guard != nullptr || ask.wire != ask.request.wire) {
    Result<std::string> body = written_anew(ask, made);
    if (!body) {
      return body.error();
    }
    made.request.body = std::move(body).value();
  } else {
    wire::BodyChanges changes;
    changes.model = ask.step.model;
    changes.remove_plumb = ask.request.plumb.there;
    if (ask.stream != ask.request.stream) {
      changes.stream = ask.stream;
    }
    made.usage_added = ask.stream && ask.wire == wire::Wire::openai && !ask.request.include_usage;
    changes.include_usage = made.usage_added;
    made.request.body = wire::changed_body(ask.body, ask.request, changes);
  }
  made.request.origin = endpoint.base.origin;
  made.request.target = target_of(ask);
  const std::string& usual = ask.stream ? ask.step.headers->stream : ask.step.headers->whole;
  std::string& lines = made.request.lines;
  lines.reserve(usual.size() + ask.step.tracestate.size() + 128);
  lines = usual;
  pass_to_upstream(ask.head, facet_of(endpoint.wire), lines);
  if (!ask.step.traceparent.empty()) {
    lines.append("traceparent: ").append(ask.step.traceparent).append("\r\n");
  }
  if (!ask.step.tracestate.empty()) {
    lines.append("tracestate: ").append(ask.step.tracestate).append("\r\n");
  }
  return made;
}

}  // namespace plumb::proxy
