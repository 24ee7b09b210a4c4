#include "work_runs.hpp"

#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/conversation.hpp"
#include "core/pipelines/work_call.hpp"
#include "native/process/command.hpp"

namespace plumb::test {

namespace {

using namespace plumb::pipelines;
using json::text_of;
using run::Data;
using run::EffectKind;
using run::Reply;
using run::Run;

constexpr std::string_view here = "here";

Data object(const std::function<void(json::Writer&)>& members) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  members(json);
  json.end_object();
  return Data::written(std::move(out));
}

std::string commit_of(const Reply& reply) {
  return reply.ok() ? std::string(text_of(reply.value.value(), "commit")) : std::string();
}

[[noreturn]] void give_up(Run& run, const Reply& reply) {
  Error error;
  error.code = ErrorCode::unavailable;
  error.message = reply.error.empty() ? std::string(run::status_name(reply.status)) : reply.error;
  run.stop(std::move(error));
}

// One try of a task: a conversation that writes files into a tree at `from`. What came of it is taken.
std::string develop(Run& run, Spent& spent, const std::string& tree, const std::string& from, std::size_t task,
                    const std::string& output) {
  std::string edits;
  Conversation talk;
  talk.name = "develop";
  talk.call.phase = "generate";
  talk.call.prompt = "prompt-develop";
  talk.call.free = true;
  talk.call.variables = [&](json::Writer& json) {
    json.member("task", json::uint_text(task)).member("output", fenced("output", output));
  };
  const auto write = [&](Run& part, const json::Value& arguments) -> Tool::Done {
    const Reply& changed = ask_worktree(part, here, "change", [&](json::Writer& json) {
      json.member("tree", tree).member("from", from).key("edits").begin_array().begin_object();
      json.member("path", text_of(arguments, "path")).member("text", text_of(arguments, "text"));
      json.end_object().end_array();
    });
    if (!changed.ok()) {
      return {failed_envelope(changed.error), false};
    }
    return {envelope(
                "success", [&](json::Writer& json) { json.key("data").raw(changed.value.text()); },
                "Submit the work when it is done."),
            true};
  };
  const auto submit = [](Run&, const json::Value&) -> Tool::Done {
    return {envelope("success", {}, "The work is taken now."), true};
  };
  talk.tools = {{"write", "Writes a file of the tree.", "contract-write", write, false, true},
                {"submit", "Ends the work.", "contract-submit", submit, true}};
  const Conversed how = converse(run, spent, talk);
  if (how.ended != Ended::submitted) {
    Error error;
    error.message = "the conversation ended otherwise: " + how.reason;
    run.stop(std::move(error));
  }
  const Reply& taken = ask_worktree(run, here, "take", [&](json::Writer& json) {
    json.member("tree", tree).member("from", from).member("message", "Task " + json::uint_text(task));
  });
  if (!taken.ok()) {
    give_up(run, taken);
  }
  return commit_of(taken);
}

struct Gated {
  bool passed = false;
  std::string output;
};

Gated gate(Run& run, const std::string& tree) {
  const Reply& reply = ask_command(run, {.name = "gates", .tree = tree});
  if (!reply.ok()) {
    give_up(run, reply);
  }
  const json::Value& value = reply.value.value();
  return {json::number_of(value, "exit_code", 9) == 0, std::string(text_of(value, "stdout"))};
}

Data carry_out(Run& run, std::size_t task) {
  const std::string tree = "T" + json::uint_text(task);
  const ClaimNames names{{"file-" + json::uint_text(task), "shared"}, tree, true, 0};
  (void)ask_claim(run, names);
  const Reply& opened = ask_worktree(run, here, "open", [&](json::Writer& json) { json.member("tree", tree); });
  if (!opened.ok()) {
    give_up(run, opened);
  }
  const std::string base = commit_of(opened);
  Spent spent;
  std::string from = base;
  std::string output;
  std::uint64_t tries = 0;
  Gated gated;
  while (tries < 3 && !gated.passed) {
    ++tries;
    from = develop(run, spent, tree, from, task, output);
    gated = gate(run, tree);
    output = gated.output;
  }
  release_claim(run, names);
  return object([&](json::Writer& json) {
    json.member("commit", from).member_uint("tries", tries).member_boolean("passed", gated.passed);
  });
}

Result<Data> workshop(Run& run) {
  const std::size_t tasks = static_cast<std::size_t>(json::number_of(run.input().value(), "tasks", 2));
  run::Effect reading;
  reading.kind = EffectKind::read;
  reading.request = [] { return Data::written(R"({"root":"docs","path":"sop.md","front_matter":true})"); };
  const Reply& sop = run.ask(std::move(reading));
  run.emit("sop", Data::part(sop.value, sop.value.value().find("front_matter")));
  const std::vector<Data> done = run.each(
      "task", tasks, [](Run& part, std::size_t task) { return carry_out(part, task); }, 2);
  std::string merged = std::string(text_of(done.front().value(), "commit"));
  for (std::size_t i = 1; i < done.size(); ++i) {
    const Reply& reply = ask_worktree(run, here, "merge", [&](json::Writer& json) {
      json.member("ours", merged).member("theirs", text_of(done[i].value(), "commit")).member("message", "Both");
    });
    if (!reply.ok() || !json::flag_of(reply.value.value(), "merged")) {
      give_up(run, reply);
    }
    merged = commit_of(reply);
  }
  const Reply& fresh =
      ask_worktree(run, here, "open", [&](json::Writer& json) { json.member("tree", "gate").member("at", merged); });
  if (!fresh.ok()) {
    give_up(run, fresh);
  }
  const Gated whole = gate(run, "gate");
  // The same files whenever they were committed.
  const Reply& last =
      ask_worktree(run, here, "take", [&](json::Writer& json) { json.member("tree", "gate").member("from", merged); });
  if (!last.ok()) {
    give_up(run, last);
  }
  const Reply& landed = ask_worktree(
      run, here, "land", [&](json::Writer& json) { json.member("commit", merged).member("branch", "plumb/work"); });
  if (!landed.ok()) {
    give_up(run, landed);
  }
  for (std::size_t i = 0; i <= tasks; ++i) {
    (void)ask_worktree(run, here, "close", [&](json::Writer& json) {
      json.member("tree", i == tasks ? "gate" : "T" + json::uint_text(i));
    });
  }
  return object([&](json::Writer& json) {
    json.member("tree", text_of(last.value.value(), "tree_hash"))
        .member_boolean("gates", whole.passed)
        .member_boolean("landed", json::flag_of(landed.value.value(), "landed"));
    json.key("tries").begin_array();
    for (const Data& one : done) {
      json.uint(json::number_of(one.value(), "tries"));
    }
    json.end_array();
  });
}

std::string view(const run::Journal&) { return "{}"; }
std::vector<LogLine> log_lines(const run::Journal&, std::uint64_t) { return {}; }

constexpr std::array<Known, 1> all = {
    {{{"workshop", 1, workshop},
      "Develops tasks in trees, tries them, lands them.",
      nullptr,
      view,
      log_lines,
      {EffectKind::model, EffectKind::read, EffectKind::command, EffectKind::claim, EffectKind::worktree}}}};

constexpr std::string_view prompt_develop = R"(---
{ "about": "Develops a task.", "output_tokens_max": 500 }
---
<!-- system -->
You write files. {{data_rule}}
<!-- user -->
Task {{task}}. {{output}}
)";

}  // namespace

std::span<const Known> work_pipelines() { return all; }

std::vector<command::DeclaredCommand> gates_command(bool repeatable) {
  command::DeclaredCommand gates;
  gates.name = "gates";
  gates.argv = {
      "/bin/sh", "-c",
      "fail=0; for f in task-*.txt; do grep -q good $f || { echo \"$f lacks the word good\"; fail=1; }; done; "
      "exit $fail"};
  gates.repeatable = repeatable;
  return {gates};
}

Prepared prepared_work(const std::vector<command::DeclaredCommand>& commands, std::size_t tasks) {
  Prepared out;
  out.input = object([&](json::Writer& json) {
    json.member_uint("tasks", tasks).key("repositories").begin_array().string(here).end_array();
  });
  out.pins.emplace_back("prompt-develop", Data::string(prompt_develop));
  out.pins.emplace_back("contract-write", Data::written(R"({"type":"object","required":["path","text"],"properties":{)"
                                                        R"("path":{"type":"string"},"text":{"type":"string"}}})"));
  out.pins.emplace_back("contract-submit", Data::written(R"({"type":"object"})"));
  for (const command::DeclaredCommand& one : commands) {
    out.pins.emplace_back(command::command_pin(one.name), Data::written(command::command_text(one)));
  }
  return out;
}

std::vector<command::DeclaredCommand> workflow_commands() {
  command::DeclaredCommand gate;
  gate.name = "gate.test";
  gate.argv = {"/bin/sh", "-c",
               "test ! -e word.txt && exit 0; grep -q good word.txt || { echo 'wanted: good'; exit 1; }"};
  gate.repeatable = true;
  command::DeclaredCommand developer;
  developer.name = "developer.fixer";
  developer.argv = {"/bin/sh", "-c", "w=$(sed -n 's/^wanted: //p' | head -1); echo \"a ${w:-first} text\" > word.txt"};
  developer.repeatable = true;
  return {gate, developer};
}

Prepared prepared_workflow() {
  Texts texts;
  texts.command = [](std::string_view name, std::string_view) -> Result<std::string> {
    static const std::vector<command::DeclaredCommand> all = workflow_commands();
    const command::DeclaredCommand* found = command::find_command(all, name);
    return found == nullptr ? Result<std::string>(command::no_such_command(all, name)) : command::command_text(*found);
  };
  texts.workflow = [](std::string_view) -> Result<std::string> {
    return std::string(R"({"gates":[{"name":"test","command":"word"}],"developers":["fixer"],"isolation":"partial"})");
  };
  const Data request = Data::written(
      R"({"repository":"here","promoted":true,"developer":"fixer","plan":{"title":"Mend","tasks":[{"id":"T1",)"
      R"("description":"A good word","acceptance":["it is good"],"files":[{"path":"word.txt","access":"write"}]}]}})");
  Result<Prepared> out = known_pipeline("workflow")->prepare(request.value(), texts);
  if (!out) {
    std::fprintf(stderr, "%s: %s\n", out.error().where.c_str(), out.error().message.c_str());
    std::exit(2);
  }
  return std::move(out).value();
}

std::string git_in(const std::string& folder, const std::vector<std::string>& words) {
  process::Command command;
  command.argv = {"git"};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.folder = folder;
  command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"HOME", "/nonexistent"},
                         {"LC_ALL", "C"},
                         {"GIT_AUTHOR_DATE", "@1700000000 +0000"},
                         {"GIT_COMMITTER_DATE", "@1700000000 +0000"}};
  command.most = process::Isolation::partial;
  command.writable = {folder};
  const Result<process::Outcome> done = process::run(command);
  if (!done || !done.value().ok()) {
    std::fprintf(stderr, "git %s: %s\n", words.front().c_str(),
                 done ? done.value().err.text().c_str() : done.error().message.c_str());
    std::exit(2);
  }
  std::string out = done.value().out.text();
  return !out.empty() && out.back() == '\n' ? out.substr(0, out.size() - 1) : out;
}

void make_repository(const std::string& folder) {
  const std::string repository = folder + "/repo";
  std::filesystem::create_directories(repository);
  std::filesystem::create_directories(folder + "/docs");
  std::ofstream(folder + "/docs/sop.md")
      << "---\nseverity: error\napplies_to: ['*.txt']\n---\n# Files say good things\n";
  git_in(repository, {"init", "-q", "-b", "main"});
  git_in(repository, {"config", "user.name", "Somebody"});
  git_in(repository, {"config", "user.email", "somebody@example.org"});
  std::ofstream(repository + "/readme.md") << "# A repository\n";
  git_in(repository, {"add", "-A"});
  git_in(repository, {"commit", "-q", "-m", "first"});
}

// The first task is done well at once, others only when they are told what is wrong.
void WorkModel::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  workers_.give([request = call.request.deep_copy(), done = std::move(done)] {
    const auto messages = json::list_of(request.value(), "messages");
    const std::string_view last = text_of(messages.back(), "role");
    std::string first;
    for (const json::Value& message : messages) {
      first = text_of(message, "role") == "user" && first.empty() ? std::string(text_of(message, "content")) : first;
    }
    const std::string task = first.substr(5, first.find('.') - 5);
    const bool good = task == "0" || first.find("lacks the word good") != std::string::npos;
    Reply reply;
    reply.value = object([&](json::Writer& json) {
      json.member("text", "").member("finish", "tool_calls").key("calls").begin_array().begin_object();
      json.member("id", "c" + json::uint_text(messages.size()));
      if (last == "tool") {
        json.member("name", "submit").key("arguments").raw("{}");
      } else {
        json.member("name", "write").key("arguments").begin_object().member("path", "task-" + task + ".txt");
        json.member("text", good ? "a good text\n" : "a text\n").end_object();
      }
      json.end_object().end_array();
    });
    done(std::move(reply));
  });
}
void WorkModel::stop(std::string_view, std::string_view) {}

WorkWorld::WorkWorld(const std::string& folder, std::vector<command::DeclaredCommand> commands,
                     std::function<void()> between)
    : files({{"docs", folder + "/docs"}}, {}),
      command({std::move(commands), process::Isolation::partial, 2}, command::WorkFolders(folder + "/runs.db.work")),
      worktree({{{"here", folder + "/repo"}}, {}, 2, std::move(between)},
               command::WorkFolders(folder + "/runs.db.work")) {
  routes.add(EffectKind::model, model);
  routes.add(EffectKind::read, files);
  routes.add(EffectKind::command, command);
  routes.add(EffectKind::worktree, worktree);
}

}  // namespace plumb::test
