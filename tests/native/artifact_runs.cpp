#include "artifact_runs.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/json/writer.hpp"
#include "native/provider/choice.hpp"
#include "native/provider/model_fulfiller.hpp"
#include "tests/native/source_dir.hpp"

namespace plumb::test {

namespace {

std::string artifact_request() {
  std::ifstream in(plumb::test::source_dir() + "/docs/examples/chapter.md");
  const std::string chapter(std::istreambuf_iterator<char>(in), {});
  std::string json;
  json::Writer(json)
      .begin_object()
      .member("artifact_type", "quiz")
      .member("content", chapter)
      .key("options")
      .begin_object()
      .member_uint("num_questions", 2)
      .end_object()
      .member("on_unverified", "pass")
      .end_object();
  return json;
}

}  // namespace

std::unique_ptr<host::Fulfiller> extract_fulfiller() {
  const provider::ChoiceInput input;
  Result<std::vector<provider::Choice>> choices = provider::choose(input);
  Result<provider::Settings> settings = provider::read_settings(
      "extract", {}, {}, [](const std::string&) -> Result<std::string> { return std::string(); });
  if (!choices || !settings) {
    std::fprintf(stderr, "no extract\n");
    std::exit(2);
  }
  provider::FulfillerOptions options;
  options.choices = std::move(choices).value();
  options.settings.push_back(std::move(settings).value());
  Result<std::unique_ptr<host::Fulfiller>> made = provider::make_model_fulfiller(std::move(options));
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    std::exit(2);
  }
  return std::move(made).value();
}

pipelines::Prepared prepared_quiz() {
  const run::Data request = run::Data::written(artifact_request());
  Result<pipelines::Prepared> made = pipelines::known_pipeline("artifact")->prepare(request.value(), {});
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", made.error().where.c_str(), made.error().message.c_str());
    std::exit(2);
  }
  made.value().fingerprint.clear();
  return std::move(made).value();
}

}  // namespace plumb::test
