#include "discovery_runs.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/json/writer.hpp"
#include "core/text/tokens.hpp"
#include "native/host/workers.hpp"
#include "tests/native/source_dir.hpp"

namespace plumb::test {

namespace {

std::string bytes_of(const std::string& name) {
  std::ifstream in(plumb::test::source_dir() + "/tests/cases/discovery/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Which of the four opportunities a prompt is about, by a word of its brief.
std::size_t about(std::string_view prompt) {
  constexpr std::string_view words[] = {"cookie banner lies", "CSV export of invoices has", "Search sometimes takes",
                                        "pictures are sometimes missing"};
  for (std::size_t i = 0; i < std::size(words); ++i) {
    if (prompt.find(words[i]) != std::string_view::npos)
      return i;
  }
  return 0;
}

class Authored final : public host::Fulfiller {
 public:
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    workers_.give([this, kind = call.kind, request = call.request.deep_copy(), done = std::move(done)] {
      done(answers_.reply(kind, request));
    });
  }
  void stop(std::string_view, std::string_view) override {}

 private:
  AuthoredDiscovery answers_;
  host::Workers workers_{1};
};

}  // namespace

AuthoredDiscovery::AuthoredDiscovery()
    : answers_(run::Data::written(bytes_of("answers.json"))), talks_(bytes_of("talks/support.ndjson")) {}

std::string AuthoredDiscovery::text_for(const json::Value& request) {
  std::string prompt;
  for (const json::Value& message : request.find("messages")->array())
    prompt += message.find("content")->str();
  std::string task(request.find("task")->find("name")->str());
  if (task == "boundary.validate" || task == "boundary.revise") {
    // "You are NAME."
    const std::size_t from = prompt.find("You are ") + 8;
    task += ":" + prompt.substr(from, prompt.find('.', from) - from);
  }
  const json::Value* all = answers_.value().find(task);
  if (all == nullptr) {
    std::fprintf(stderr, "no answer is authored for %s\n", task.c_str());
    std::exit(2);
  }
  // The same prompt has the same answer, however often a process dies over it.
  std::size_t which = task == "discovery.propose" || task == "discovery.assess" ? about(prompt) : 0;
  if (task == "discovery.challenge")
    which = about(prompt) == 0 && prompt.find("round 1 of") != std::string::npos ? 0 : 1;
  if (task == "boundary.validate:SolutionDesigner")
    which = prompt.find("O3.1") != std::string::npos ? 1 : 0;
  const json::Value& answer = all->array()[std::min<std::size_t>(which, all->size - 1)];
  return answer.is(json::Kind::string) ? std::string(answer.str()) : json::value_text(answer);
}

run::Reply AuthoredDiscovery::reply(const run::EffectKind kind, const run::Data& request) {
  std::string value;
  json::Writer json(value);
  if (kind == run::EffectKind::read) {
    const json::Value* tree = request.value().find("tree");
    if (tree != nullptr && tree->boolean) {
      json.begin_object().key("entries").begin_array().begin_object().member("path", "support.ndjson");
      json.member("kind", "file").member_uint("bytes", talks_.size()).end_object().end_array().end_object();
    } else {
      json.begin_object().member("text", talks_).member_uint("bytes", talks_.size()).end_object();
    }
  } else {
    const std::string text = text_for(request.value());
    json.begin_object().member("text", text).member("finish", "stop").member("model", "authored");
    json.key("usage").begin_object();
    json.member_uint("input_tokens", text::estimate_tokens(request.text()).likely);
    json.member_uint("output_tokens", text::estimate_tokens(text).likely)
        .member_boolean("estimated", true)
        .end_object();
    json.end_object();
  }
  run::Reply out;
  out.value = run::Data::written(std::move(value));
  return out;
}

std::unique_ptr<host::Fulfiller> discovery_fulfiller() { return std::make_unique<Authored>(); }

pipelines::Prepared prepared_discovery(bool review) {
  std::string text = R"({"sources":{"conversations":"talks"},"target_domain":"A shop on the web.","review":)";
  text += review ? "true" : "false";
  text += R"(,"providers":{)";
  for (const std::string_view phase : {"explore", "frame", "design", "assess", "rank", "validate", "revise"})
    text += (text.back() == '{' ? "\"" : ",\"") + std::string(phase) + R"(":"authored/authored")";
  const run::Data request = run::Data::written(text + "}}");
  Result<pipelines::Prepared> made = pipelines::known_pipeline("discovery")->prepare(request.value(), {});
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", made.error().where.c_str(), made.error().message.c_str());
    std::exit(2);
  }
  made.value().fingerprint.clear();
  return std::move(made).value();
}

}  // namespace plumb::test
