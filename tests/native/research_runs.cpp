#include "research_runs.hpp"

#include <algorithm>
#include <memory>

#include "core/extract/research.hpp"
#include "core/extract/task.hpp"
#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/require.hpp"
#include "core/run/journal_file.hpp"

namespace plumb::test {

namespace {

constexpr std::size_t effects_most = 2'000;

std::string text_at(const json::Value& object, std::string_view name) {
  const json::Value* found = object.find(name);
  return found == nullptr ? std::string() : std::string(found->str());
}

}  // namespace

std::string SmallCorpus::search(const json::Value& request) const {
  const std::vector<std::string> words = extract::key_words(text_at(request, "query"));
  std::vector<std::pair<std::size_t, const File*>> found;
  for (const File& one : files) {
    if (const std::size_t covered = extract::coverage(words, one.title + " " + one.text); covered >= 30)
      found.emplace_back(covered, &one);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  json::Writer json(out);
  json.begin_object().member("status", found.empty() ? "no_results" : "success").member("provider", "corpus");
  json.key("results").begin_array();
  for (const auto& [covered, one] : found) {
    json.begin_object().member("title", one->title).member("uri", "file:///docs/" + one->name);
    json.member("file", one->name).member_uint("line", 10).member("passage", one->text);
    json.member_uint("score", covered).end_object();
  }
  json.end_array().end_object();
  return out;
}

SmallCorpus package_docs() {
  return {{{"apt-get.txt", "apt-get(8)",
            "The command apt-get handles packages.\nThe option --purge of apt-get removes configuration files together "
            "with the package.\nThe option -y answers yes to all questions."},
           {"sources.txt", "sources.list(5)",
            "The file /etc/apt/sources.list lists the archives from which packages are fetched.\nEach line begins with "
            "the type deb or deb-src."},
           {"history.txt", "History of dpkg",
            "The tool dpkg was written by Ian Murdock in 1994.\nIn 1998 the program apt came to Debian 2.1."}}};
}

void ResearchRun::go(const std::string& request) {
  json::Arena arena;
  const Result<json::Value> parsed = json::parse(request, arena);
  PLUMB_REQUIRE(static_cast<bool>(parsed), "the request of a test is JSON");
  const pipelines::Known& known = *pipelines::known_pipeline("research");
  const Result<pipelines::Prepared> prepared = known.prepare(parsed.value(), {});
  PLUMB_REQUIRE(static_cast<bool>(prepared), prepared ? "" : prepared.error().message.c_str());
  pins_ = prepared.value().pins;
  machine_ = std::make_unique<run::Machine>(run::Machine::start(
      known.pipeline, "r" + std::string(20, 'a'), prepared.value().input, prepared.value().pins, {}, now_));
  drive();
}

void ResearchRun::go_on(const std::string& journal, std::size_t count) {
  Result<run::JournalFile> read = run::JournalFile::read(journal);
  PLUMB_REQUIRE(static_cast<bool>(read), "the journal of a test is one");
  run::JournalFile part = std::move(read).value();
  part.entries.resize(std::min(count, part.entries.size()));
  Result<run::Journal> begun = part.journal();
  PLUMB_REQUIRE(static_cast<bool>(begun), "the beginning of a journal is one");
  Result<run::Machine> machine =
      run::Machine::resume(pipelines::known_pipeline("research")->pipeline, std::move(begun).value(), {}, now_);
  PLUMB_REQUIRE(static_cast<bool>(machine), "a journal of before goes on");
  machine_ = std::make_unique<run::Machine>(std::move(machine).value());
  drive();
}

void ResearchRun::drive() {
  auto store = [&] {
    for (const run::Stored& one : machine_->take())
      run::append_to_file(file, one);
  };
  for (std::size_t effects = 0; effects < effects_most;) {
    const run::State state = machine_->step(now_);
    store();
    if (state != run::State::waiting)
      return;
    const std::vector<run::Want> wanted = machine_->wanted();
    bool any = false;
    for (const run::Want& want : wanted) {
      if (want.kind == run::EffectKind::person && person_asked_ == person.size()) {
        machine_->attempt(want.key, now_);
        store();
        continue;
      }
      any = true;
      ++effects;
      if (before)
        before(*machine_, want);
      now_ += call_ms;
      if (!machine_->attempt(want.key, now_))
        continue;
      run::Reply reply = answer(want);
      now_ += call_ms;
      machine_->reply(want.key, std::move(reply), now_);
      store();
    }
    if (!any)
      return;
  }
}

run::Reply ResearchRun::answer(const run::Want& want) {
  run::Reply reply;
  const json::Value& request = want.request.value();
  if (want.kind == run::EffectKind::person) {
    std::string value;
    json::Writer(value).begin_object().member("decision", person[person_asked_++]).end_object();
    reply.value = run::Data::written(std::move(value));
    return reply;
  }
  if (want.kind == run::EffectKind::search) {
    ++searches;
    if (search)
      return search(request);
    reply.value = run::Data::written(package_docs().search(request));
    return reply;
  }
  const std::string role = text_at(request, "role");
  for (const json::Value& message : request.find("messages")->array())
    prompts_[role] += text_at(message, "content") + "\n";
  phases.push_back(role + " " + text_at(request, "phase"));
  const std::size_t number = asked_[role]++;
  const auto found = script.find(role);
  if (found == script.end()) {
    const Result<std::string> value = extract::reply_to(request);
    if (!value) {
      reply.status = run::Status::failed;
      reply.error = value.error().message;
      return reply;
    }
    reply.value = run::Data::written(value.value());
    return reply;
  }
  std::string text = found->second[std::min(number, found->second.size() - 1)];
  if (text == "!fail") {
    reply.status = run::Status::failed;
    reply.error = "the provider is down";
    return reply;
  }
  if (held) {
    const std::string name = text_at(request, "contract");
    const auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const auto& one) { return one.first == name; });
    PLUMB_REQUIRE(pin != pins_.end(), "a call's contract is pinned");
    text = held(std::string(pin->second.text()), text);
  }
  std::string value;
  json::Writer json(value);
  json.begin_object().member("text", text).member("finish", "stop");
  if (tokens_each > 0)
    json.key("usage")
        .begin_object()
        .member_uint("input_tokens", tokens_each)
        .member_uint("output_tokens", 0)
        .end_object();
  json.end_object();
  reply.value = run::Data::written(std::move(value));
  return reply;
}

const json::Value& ResearchRun::result() const { return machine_->result().value(); }

std::string ResearchRun::view() const { return pipelines::known_pipeline("research")->view(machine_->journal()); }

std::vector<const json::Value*> ResearchRun::notes(std::string_view kind) const {
  std::vector<const json::Value*> out;
  for (const run::Entry& entry : machine_->journal().entries()) {
    if (entry.kind == run::EntryKind::note && entry.name == kind)
      out.push_back(&entry.data.value());
  }
  return out;
}

std::vector<std::string> ResearchRun::gates() const {
  std::vector<std::string> out;
  for (const json::Value* one : notes("gate")) {
    std::string gate = text_at(*one, "role") + " " + text_at(*one, "rule") + " " + text_at(*one, "outcome");
    if (std::find(out.begin(), out.end(), gate) == out.end())
      out.push_back(std::move(gate));
  }
  return out;
}

std::size_t ResearchRun::calls(std::string_view role) const {
  const auto found = asked_.find(std::string(role));
  return found == asked_.end() ? 0 : found->second;
}

std::string ResearchRun::prompts(std::string_view role) const {
  const auto found = prompts_.find(std::string(role));
  return found == prompts_.end() ? std::string() : found->second;
}

namespace {

std::string question(const std::string& text, const std::string& description, const std::string& goal) {
  std::string out;
  json::Writer(out)
      .begin_object()
      .member("question", text)
      .member("description", description)
      .member("goal", goal)
      .end_object();
  return out;
}

std::string plan(const std::string& decision, const std::vector<std::string>& questions,
                 const std::string& criteria = "[]") {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", decision).member("reasoning", "The year is not known yet.");
  json.key("questions").begin_array();
  for (const std::string& one : questions)
    json.raw(one);
  json.end_array().key("criteria").raw(criteria).end_object();
  return out;
}

std::string next_query(const std::string& query, const std::string& attribute, const std::string& reasoning) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("decision", "continue").member("reasoning", reasoning).member("query", query);
  json.key("missing").begin_object().member("entity", "apt").member("attribute", attribute).end_object();
  json.member("novelty", "new").member("evidence_delta", "dead_end").end_object();
  return out;
}

run::Reply found(const std::string& file, const std::string& passage) {
  run::Reply reply;
  std::string out;
  json::Writer json(out);
  json.begin_object().member("status", passage.empty() ? "no_results" : "success").member("provider", "corpus");
  json.key("results").begin_array();
  if (!passage.empty()) {
    json.begin_object().member("title", file).member("uri", "file:///docs/" + file).member("file", file);
    json.member_uint("line", 3).member("passage", passage).end_object();
  }
  json.end_array().end_object();
  reply.value = run::Data::written(std::move(out));
  return reply;
}

void walk_titles(const json::Value& value, std::vector<std::string>& out) {
  const json::Value* title = value.find("title");
  if (title != nullptr && value.find("id") != nullptr && title->is(json::Kind::string))
    out.emplace_back(title->str());
  for (const json::Member& member : value.object())
    walk_titles(member.value, out);
  for (const json::Value& item : value.array())
    walk_titles(item, out);
}

void walk_blocking(const json::Value& value, std::vector<std::string>& out) {
  const json::Value* blocks = value.find("blocks");
  if (blocks != nullptr && blocks->boolean && value.find("id") != nullptr)
    out.emplace_back(value.find("id")->str());
  for (const json::Member& member : value.object())
    walk_blocking(member.value, out);
  for (const json::Value& item : value.array())
    walk_blocking(item, out);
}

}  // namespace

std::vector<std::string> blocking_rules(std::string_view contract) {
  json::Arena arena;
  std::vector<std::string> out;
  walk_blocking(json::parse(contract::built_in_contract(contract)->text, arena).value(), out);
  return out;
}

std::vector<std::string> rule_titles(const contract::Contract& contract) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(contract.text(), arena);
  std::vector<std::string> out;
  walk_titles(value.value(), out);
  return out;
}

void every_gate(ResearchRun& run) {
  const std::string start = R"([{"tool":"startResearch","arguments":{"message":"I look.","objective":")";
  const std::string look_up = R"([{"tool":"quick_web_search","arguments":{"query":"dpkg-ng)";
  run.script["intake"] = {
      look_up + R"("}}])",
      look_up + R"( once more"}}])",
      start + R"(Explore apt.","successCriteria":["The answer is good."]}}])",
      R"([{"tool":"textInput","arguments":{"message":"Which year do you mean? And which country?"}}])",
      start + R"(When did apt come to Debian?","successCriteria":["The year is stated with its source."]}}])",
      start + R"(In which year did the program apt come to Debian?",)"
              R"("successCriteria":["The year is stated with its source."]}}])"};
  run.person = {"When did the program apt come to Debian, as a release?"};
  run.script["judge"] = {R"({"claims":[{"rule":"ambiguity-resolved","at":"/0/arguments","holds":false,)"
                         R"("reason":"apt may be the program or its library"}]})",
                         R"({"claims":[]})"};
  const std::string year =
      question("In which year did the program apt come to Debian?",
               "It gives the objective its year, from the history of the program.", "The year, with its source.");
  const std::string author =
      question("Who wrote the tool dpkg in 1994?", "Names the person behind Debian's first program.",
               "The name of the person, with its source.");
  run.script["brain"] = {
      plan("continue", {}),
      plan("continue", {question("site:debian.org apt release date", "Names the year of the program apt.",
                                 "The year, with its source."),
                        question("Learn more about the history of apt.", "Names the year of the program.",
                                 "More information about it."),
                        question("Who wrote dpkg, and when did apt come to Debian?",
                                 "Who wrote dpkg, and when did apt come to Debian?", "The year, with its source.")}),
      plan("continue", {year}),
      plan("continue",
           {question("What is its release year?", "Names the year of the program.", "The year, with its source."),
            question("Should we use the program apt?", "Names the program.", "The year, with its source.")}),
      plan("continue", {year}),
      plan("continue", {author}),
      plan("done", {}),
      plan("done", {}, R"([{"criterion":0,"met":true,"why":"1998 is quoted"}])")};
  const std::string missing = "The one missing evidence piece is: release year of apt.";
  run.script["researcher"] = {
      next_query("more about apt", "release year", missing),
      next_query("apt AND \"release year\" AND debian", "release year", missing),
      next_query("Which maintainer announced the release year of apt?", "release year", missing),
      next_query("Which news told of the release year of apt?", "release year", "Something is missing."),
      next_query("Which archive has the release year of apt in its index?", "release year", missing),
      R"({"decision":"done","reasoning":"The name is known.","query":""})",
      next_query("Who is the author of apt and its tool dpkg?", "author",
                 "The one missing evidence piece is: author of apt."),
      next_query("Who wrote the tool dpkg in 1994?", "author", "The one missing evidence piece is: author of apt."),
      next_query("Who wrote the tool dpkg in 1994?", "author", "The one missing evidence piece is: author of apt.")};
  run.script["answer"] = {
      R"({"answer":[{"claim":"The program apt came to Debian in 1998.","source":1,)"
      R"("quote":"In 1998 the program apt came to Debian 2.1."}],"confidence":"high","missing":""})",
      R"({"answer":[{"claim":"Ian Murdock wrote it.","source":1,"quote":"dpkg is the work of Ian Murdock"}],)"
      R"("confidence":"high","missing":""})",
      R"({"answer":[{"claim":"Ian Murdock wrote dpkg in 1994.","source":1,)"
      R"("quote":"The tool dpkg was written by Ian Murdock in 1994."}],"confidence":"high","missing":""})"};
  run.script["report"] = {R"({"claims":[{"claim":"The program apt came to Debian in 1998.","citations":[1]},)"
                          R"({"claim":"The tool dpkg was written by Ian Murdock in 1994.","citations":[2]},)"
                          R"({"claim":"Everybody likes it.","citations":[]}]})"};
  run.search = [number = std::size_t{0}](const json::Value& asked) mutable {
    if (text_at(asked, "query") == "dpkg-ng") {
      const bool corpus = asked.find("providers")->array().front().str() == "corpus";
      return corpus ? found("", "") : found("dpkg-ng.html", "The name dpkg-ng is a nickname of the program apt.");
    }
    const std::string history =
        "The tool dpkg was written by Ian Murdock in 1994.\nIn 1998 the program apt came to Debian 2.1.";
    switch (++number) {
      case 1:
        return found("history.txt", history);
      case 2:
        return found("opinions.txt",
                     "Many people say that the release year of apt changed a great deal for everybody over time.");
      case 3:
      case 4:
        return found("", "");
      default:
        return found(number == 5 ? "history.txt" : "authors.txt", history);
    }
  };
  run.go(every_gate_request);
}

}  // namespace plumb::test
