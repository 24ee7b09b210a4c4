#include "tests/runs/workflow_world.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::test {

namespace {

using json::text_of;
using json::Value;
using run::Data;
using run::Reply;

Reply good(const std::function<void(json::Writer&)>& members) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  members(json);
  json.end_object();
  Reply reply;
  reply.value = Data::written(std::move(out));
  return reply;
}

std::string tree_hash(const FileTexts& texts) {
  json::Sha256 hash;
  for (const auto& [path, text] : texts) {
    hash.update(path + "\n" + json::uint_text(text.size()) + "\n" + text);
  }
  return hash.hex().substr(0, 40);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// What a path may not be, in a few words; empty: it may.
std::string bad_path(const std::string& path) {
  if (path.empty() || path.front() == '/') {
    return "is absolute; a path is relative to its tree";
  }
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    std::string part = path.substr(from, end - from);
    std::transform(part.begin(), part.end(), part.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    if (part == "..") {
      return "leads out of its tree";
    }
    if (part.empty() || part == "." || part == ".git") {
      return part == ".git" ? "is what git would take orders from" : "has an empty part";
    }
    from = end + 1;
  }
  return {};
}

bool has_git_folder(const FileTexts& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const auto& one) {
    return one.first.rfind(".git/", 0) == 0 || one.first.find("/.git/") != std::string::npos;
  });
}

// A path that lies deeper than what is taken.
std::string too_deep(const FileTexts& texts) {
  const auto found = std::find_if(texts.begin(), texts.end(), [](const auto& one) {
    return std::count(one.first.begin(), one.first.end(), '/') > 128;
  });
  return found == texts.end() ? std::string() : found->first;
}

struct Differs {
  std::string path;
  const std::string* was = nullptr;
  const std::string* is = nullptr;
};
std::vector<Differs> differences(const FileTexts& from, const FileTexts& to) {
  std::set<std::string> paths;
  for (const FileTexts* one : {&from, &to}) {
    for (const auto& [path, text] : *one) {
      paths.insert(path);
    }
  }
  std::vector<Differs> out;
  for (const std::string& path : paths) {
    const auto was = from.find(path), is = to.find(path);
    if (was == from.end() || is == to.end() || was->second != is->second) {
      out.push_back({path, was == from.end() ? nullptr : &was->second, is == to.end() ? nullptr : &is->second});
    }
  }
  return out;
}

void write_changed(json::Writer& json, const std::vector<Differs>& all) {
  json.key("changed").begin_array();
  for (const Differs& one : all) {
    json.begin_object().member("path", one.path);
    json.member("status", one.was == nullptr ? "A" : one.is == nullptr ? "D" : "M");
    json.member_uint("added", one.is == nullptr ? 0 : lines_of(*one.is).size());
    json.member_uint("removed", one.was == nullptr ? 0 : lines_of(*one.was).size()).end_object();
  }
  json.end_array();
}

// One hunk a file, of all its lines.
std::string patch_of(const std::vector<Differs>& all) {
  std::string out;
  for (const Differs& one : all) {
    const std::vector<std::string> was = one.was == nullptr ? std::vector<std::string>() : lines_of(*one.was);
    const std::vector<std::string> is = one.is == nullptr ? std::vector<std::string>() : lines_of(*one.is);
    out += "diff --git a/" + one.path + " b/" + one.path + "\n";
    out += one.was == nullptr ? "new file mode 100644\n" : one.is == nullptr ? "deleted file mode 100644\n" : "";
    if (was.empty() && is.empty()) {
      continue;
    }
    out += one.was == nullptr ? "--- /dev/null\n" : "--- a/" + one.path + "\n";
    out += one.is == nullptr ? "+++ /dev/null\n" : "+++ b/" + one.path + "\n";
    std::size_t same = 0;
    while (same < was.size() && same < is.size() && was[same] == is[same]) {
      ++same;
    }
    const auto range = [](std::size_t count) { return std::string(count == 0 ? "0," : "1,") + json::uint_text(count); };
    out += "@@ -" + range(was.size()) + " +" + range(is.size()) + " @@\n";
    for (std::size_t i = 0; i < same; ++i) {
      out += " " + was[i] + "\n";
    }
    for (std::size_t i = same; i < was.size(); ++i) {
      out += "-" + was[i] + "\n";
    }
    for (std::size_t i = same; i < is.size(); ++i) {
      out += "+" + is[i] + "\n";
    }
  }
  return out;
}

// A line for each place where a word occurs below a folder.
std::string places_of(std::string_view word, std::string_view folder, const FileTexts& texts, bool fixed) {
  std::string out;
  for (const auto& [path, text] : texts) {
    if (path.rfind(folder, 0) != 0) {
      continue;
    }
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t at = lines[i].find(word);
      if (at == std::string::npos) {
        continue;
      }
      const std::string line = json::uint_text(i + 1), from = json::uint_text(at + 1),
                        to = json::uint_text(at + 1 + word.size());
      out += path + ":" + line + ":" + from + ": error: " + std::string(word) + "\n";
      out += fixed ? "fix-it:\"" + path + "\":{" + line + ":" + from + "-" + line + ":" + to + "}:\"mended\"\n" : "";
    }
  }
  return out;
}

}  // namespace

Reply command_reply(int exit_code, std::string_view out, std::string_view end) {
  return good([&](json::Writer& json) {
    json.member("end", end).key("exit_code").integer(exit_code).member("stdout", out).member("stderr", "");
    json.member_uint("duration_ms", 4).key("isolation").raw(R"({"is":"full","parts":[]})");
    if (end == "signalled") {
      json.member_uint("signal", 11);
    }
  });
}

Reply failed_reply(std::string error, run::Status status) {
  Reply reply;
  reply.status = status;
  reply.error = std::move(error);
  return reply;
}

Reply model_reply(std::string_view text) {
  return good([&](json::Writer& json) {
    json.member("text", text).member("finish", "stop").key("usage").begin_object();
    json.member_uint("input_tokens", 300).member_uint("output_tokens", 50).end_object();
  });
}

GateSays gate_says(std::string_view gate, const FileTexts& texts) {
  GateSays out;
  out.output = gate == "build"  ? places_of("BROKEN", "src/", texts, true)
               : gate == "test" ? places_of("WRONG", "src/", texts, false)
               : gate == "lint" ? places_of("ugly", "", texts, false)
                                : places_of("typo", "docs/", texts, false);
  out.exit_code = out.output.empty() ? 0 : 1;
  return out;
}

MemoryWorld::MemoryWorld(FileTexts texts) { head_ = commit(std::move(texts), {}, Value()); }

std::string MemoryWorld::commit(FileTexts texts, std::vector<std::string> parents, const Value& request) {
  std::string all = tree_hash(texts) + std::string(text_of(request, "message")) +
                    json::uint_text(json::number_of(request, "date_ms"));
  for (const std::string& one : parents) {
    all += one;
  }
  std::string hash = json::sha256_hex(all).substr(0, 40);
  commits_[hash] = {std::move(texts), std::move(parents)};
  return hash;
}

bool MemoryWorld::is_ancestor(const std::string& one, const std::string& other) const {
  if (one == other) {
    return true;
  }
  const std::vector<std::string>& parents = commits_.at(other).parents;
  return std::any_of(parents.begin(), parents.end(),
                     [&](const std::string& parent) { return is_ancestor(one, parent); });
}

void MemoryWorld::write(const std::string& tree, const std::string& path, const std::string& text) {
  if (text.empty()) {
    trees_[tree].erase(path);
  } else {
    trees_[tree][path] = text;
  }
}

Reply MemoryWorld::work(const run::Want& want, const run::Machine&) {
  const Value& request = want.request.value();
  if (want.kind == run::EffectKind::worktree) {
    return worktree(request);
  }
  const std::string_view command = text_of(request, "command");
  const auto tree = trees_.find(std::string(text_of(request, "tree")));
  if (tree == trees_.end()) {
    return failed_reply("this run has opened no tree of that name");
  }
  if (command.rfind("gate.", 0) != 0) {
    return command_reply(0, "");
  }
  const GateSays says = gate_says(command.substr(5), tree->second);
  if (command == "gate.test") {
    const auto listed = tree->second.find("tests/t.txt");
    std::string report = "<testsuite>";
    for (const std::string& line :
         listed == tree->second.end() ? std::vector<std::string>() : lines_of(listed->second)) {
      report += "<testcase name=\"" + line + "\"/>";
    }
    tree->second["report.xml"] = report + "</testsuite>";
  }
  return command_reply(says.exit_code, says.output);
}

Reply MemoryWorld::worktree(const Value& request) {
  const std::string operation(text_of(request, "operation"));
  const std::string tree(text_of(request, "tree"));
  const auto commit_in = [&](std::string_view member) {
    const std::string said(text_of(request, member));
    return said == "HEAD" || said.empty() ? head_ : said;
  };
  for (const std::string_view member : {"at", "from", "to", "ours", "theirs", "commit"}) {
    if (request.find(member) != nullptr && commits_.count(commit_in(member)) == 0) {
      return failed_reply("there is no commit '" + commit_in(member) + "'");
    }
  }
  if (operation == "open" || operation == "reset") {
    const std::string at = commit_in(operation == "open" ? "at" : "to");
    trees_[tree] = commits_.at(at).texts;
    return good([&](json::Writer& json) {
      json.member("commit", at).member("tree_hash", tree_hash(trees_[tree])).member("folder", "/trees/" + tree);
      json.member_uint("files", trees_[tree].size()).member_uint("bytes", 1);
    });
  }
  if (operation == "read") {
    const std::string path(text_of(request, "path"));
    const FileTexts& texts = tree.empty() ? commits_.at(commit_in("at")).texts : trees_[tree];
    if (const std::string_view search = text_of(request, "search"); !search.empty()) {
      return good([&](json::Writer& json) {
        json.key("found").begin_array();
        for (const auto& [name, text] : texts) {
          std::uint64_t number = 0;
          for (const std::string& line : lines_of(text)) {
            ++number;
            if (line.find(search) != std::string::npos) {
              json.begin_object().member("path", name).member_uint("line", number).member("text", line).end_object();
            }
          }
        }
        json.end_array();
      });
    }
    if (path.empty()) {
      return good([&](json::Writer& json) {
        json.key("paths").begin_array();
        for (const auto& [name, text] : texts) {
          json.string(name);
        }
        json.end_array();
      });
    }
    const auto found = texts.find(path);
    return found == texts.end() ? failed_reply("'" + path + "' is not in that commit")
                                : good([&](json::Writer& json) { json.member("text", found->second); });
  }
  if (operation == "change") {
    return change(request);
  }
  if (operation == "take") {
    return take(request);
  }
  if (operation == "diff") {
    const std::vector<Differs> all =
        differences(commits_.at(commit_in("from")).texts, commits_.at(commit_in("to")).texts);
    return good([&](json::Writer& json) {
      json.member("patch", patch_of(all));
      write_changed(json, all);
    });
  }
  if (operation == "merge") {
    return merge(request);
  }
  if (operation == "land") {
    const std::string branch(text_of(request, "branch"));
    const std::string commit = commit_in("commit");
    const std::string was = branches_[branch];
    if (!was.empty() && !is_ancestor(was, commit)) {
      return good([&](json::Writer& json) {
        json.member_boolean("landed", false).member("why", "the branch has gone on beside it");
      });
    }
    branches_[branch] = commit;
    return good([&](json::Writer& json) { json.member_boolean("landed", true).member("was", was); });
  }
  if (operation == "keep") {
    return good([&](json::Writer& json) { json.key("kept").begin_array().end_array(); });
  }
  trees_.erase(tree);
  return good([](json::Writer& json) { json.member_boolean("closed", true); });
}

Reply MemoryWorld::change(const Value& request) {
  const FileTexts& from = commits_.at(std::string(text_of(request, "from"))).texts;
  FileTexts texts = from;
  std::vector<std::pair<std::string, std::string>> findings;
  std::set<std::string> changed;
  for (const Value& edit : json::list_of(request, "edits")) {
    const std::string path(text_of(edit, "path"));
    std::string wrong = bad_path(path);
    const auto found = texts.find(path);
    if (wrong.empty() && edit.find("text") != nullptr) {
      texts[path] = text_of(edit, "text");
    } else if (wrong.empty() && found == texts.end()) {
      wrong = "is not there";
    } else if (wrong.empty() && json::flag_of(edit, "delete")) {
      texts.erase(found);
    } else if (wrong.empty()) {
      const std::string find(text_of(edit, "find"));
      const std::size_t at = found->second.find(find);
      if (at == std::string::npos || found->second.find(find, at + 1) != std::string::npos) {
        wrong = "what is to be found does not occur in it exactly once";
      } else {
        found->second.replace(at, find.size(), text_of(edit, "replace"));
      }
    }
    if (wrong.empty()) {
      changed.insert(path);
    } else {
      findings.emplace_back(path, wrong);
    }
  }
  trees_[std::string(text_of(request, "tree"))] = findings.empty() ? texts : from;
  return good([&](json::Writer& json) {
    json.key("changed").begin_array();
    for (const std::string& path : findings.empty() ? changed : std::set<std::string>()) {
      json.string(path);
    }
    json.end_array().key("findings").begin_array();
    for (const auto& [path, wrong] : findings) {
      json.begin_object().member("rule", "edit").member("path", path).member("message", wrong).end_object();
    }
    json.end_array();
  });
}

Reply MemoryWorld::take(const Value& request) {
  const std::string tree(text_of(request, "tree"));
  const std::string from(text_of(request, "from"));
  const auto there = trees_.find(tree);
  if (there == trees_.end()) {
    return failed_reply("the folder of the tree '" + tree + "' has vanished, or it was never opened");
  }
  const std::string deep = too_deep(there->second);
  if (has_git_folder(there->second) || !deep.empty()) {
    return good([&](json::Writer& json) {
      json.key("commit").null().key("findings").begin_array().begin_object();
      json.member("rule", deep.empty() ? "git-folder" : "levels").member("path", deep.empty() ? ".git" : deep);
      json.member("message", deep.empty() ? "is a repository in the tree" : "lies too deep").end_object().end_array();
    });
  }
  const std::vector<Differs> all = differences(commits_.at(from).texts, there->second);
  const std::string taken = all.empty() ? from : commit(there->second, {from}, request);
  return good([&](json::Writer& json) {
    json.member("commit", taken).member("tree_hash", tree_hash(there->second)).member_boolean("empty", all.empty());
    write_changed(json, all);
    json.key("findings").begin_array();
    for (const Differs& one : all) {
      if (one.path.rfind(".git", 0) == 0) {
        json.begin_object().member("rule", "git-file").member("path", one.path);
        json.member("message", "is a file that git takes orders from").end_object();
      }
    }
    json.end_array();
  });
}

Reply MemoryWorld::merge(const Value& request) {
  const std::string ours(text_of(request, "ours")), theirs(text_of(request, "theirs"));
  for (const auto& [behind, other] : {std::pair{&theirs, &ours}, std::pair{&ours, &theirs}}) {
    const auto* const ahead = other;  // clang 14 captures no structured binding
    if (is_ancestor(*behind, *ahead)) {
      return good([&](json::Writer& json) { json.member_boolean("merged", true).member("commit", *ahead); });
    }
  }
  // What both have: the newest commit of ours that theirs goes back to.
  std::string base = ours;
  while (!is_ancestor(base, theirs)) {
    base = commits_.at(base).parents.front();
  }
  FileTexts texts = commits_.at(ours).texts;
  std::set<std::string> mine;
  for (const Differs& one : differences(commits_.at(base).texts, texts)) {
    mine.insert(one.path);
  }
  std::vector<std::string> conflicts;
  for (const Differs& one : differences(commits_.at(base).texts, commits_.at(theirs).texts)) {
    if (mine.count(one.path) != 0) {
      conflicts.push_back(one.path);
    } else if (one.is == nullptr) {
      texts.erase(one.path);
    } else {
      texts[one.path] = *one.is;
    }
  }
  if (!conflicts.empty()) {
    return good([&](json::Writer& json) {
      json.member_boolean("merged", false).key("conflicts").begin_array();
      for (const std::string& path : conflicts) {
        json.string(path);
      }
      json.end_array();
    });
  }
  const std::string hash = tree_hash(texts);
  const std::string made = commit(std::move(texts), {ours, theirs}, request);
  return good([&](json::Writer& json) {
    json.member_boolean("merged", true).member("tree_hash", hash).member("commit", made);
  });
}

std::string_view world_gates() {
  return R"([{"name":"build","command":"build"},{"name":"test","command":"test","after":["build"],)"
         R"("report":"report.xml"},{"name":"lint","command":"lint","required":false},)"
         R"({"name":"docs","command":"docs","trigger":["docs/**"]}])";
}

pipelines::Prepared prepared_workflow(const std::string& request, const std::string& settings,
                                      const std::string& monitor, const Commands& commands, const std::string& models) {
  pipelines::Texts texts;
  texts.command = [&](std::string_view name, std::string_view) -> Result<std::string> {
    const bool agent = name == "developer.agent";
    return "{\"name\":\"" + std::string(name) +
           "\",\"repeatable\":" + (agent && settings.find("\"repeats\"") == std::string::npos ? "false" : "true") + "}";
  };
  texts.command = commands ? commands : texts.command;
  texts.workflow = [&](std::string_view) -> Result<std::string> { return settings; };
  texts.monitor = monitor;
  texts.models = models;
  texts.also = {"other/model"};
  const Data asked = Data::written(request);
  Result<pipelines::Prepared> out = pipelines::known_pipeline("workflow")->prepare(asked.value(), texts);
  if (!out) {
    std::fprintf(stderr, "%s: %s\n%s\n", out.error().where.c_str(), out.error().message.c_str(), request.c_str());
    std::abort();
  }
  return std::move(out).value();
}

namespace {

run::MachineOptions world_options() {
  run::MachineOptions out;
  out.strict = true;
  // Each text is compiled once.
  out.read_contract = [](const std::string& text) -> Result<contract::Contract> {
    static std::map<std::string, contract::Contract> known;
    const auto found = known.find(text);
    if (found != known.end()) {
      return found->second;
    }
    Result<contract::Contract> read = contract::Contract::read(text);
    if (read) {
      known.emplace(text, read.value());
    }
    return read;
  };
  return out;
}

}  // namespace

WorkflowRun::WorkflowRun(const pipelines::Prepared& prepared, std::string id)
    : machine_(run::Machine::start(pipelines::known_pipeline("workflow")->pipeline, std::move(id), prepared.input,
                                   prepared.pins, world_options(), now)) {
  store();
}

void WorkflowRun::store() {
  before_last_ = stored_.size();
  for (run::Stored& one : machine_.take()) {
    stored_.push_back(std::move(one));
  }
}

std::uint64_t WorkflowRun::stored_bytes() const {
  std::uint64_t out = 0;
  for (const run::Stored& one : stored_) {
    out += one.line.size() + 1;
  }
  return out;
}

run::State WorkflowRun::step() {
  const run::State state = machine_.step(now += 3);
  store();
  return state;
}

const run::Want* WorkflowRun::begin() {
  std::vector<run::Want> all = machine_.wanted();
  if (all.empty()) {
    return nullptr;
  }
  want_ = std::move(all.front());
  (void)machine_.attempt(want_.key, now += 2);
  store();
  return &want_;
}

void WorkflowRun::reply(const run::Want& want, Reply reply) {
  (void)machine_.reply(want.key, std::move(reply), now += 2);
  store();
}

void WorkflowRun::cancel() {
  machine_.cancel("somebody has enough", now += 2);
  store();
}

std::string WorkflowRun::lose(std::size_t lost) {
  stored_.resize(std::max<std::size_t>(stored_.size() - std::min(lost, last_stored()), 1));
  std::vector<std::string_view> lines;
  std::map<std::string, const std::string*, std::less<>> blobs;
  for (const run::Stored& one : stored_) {
    lines.push_back(one.line);
    for (const run::Blob& blob : one.blobs) {
      blobs.emplace(blob.hash, &blob.text);
    }
  }
  Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) -> const std::string* {
    const auto found = blobs.find(hash);
    return found == blobs.end() ? nullptr : found->second;
  });
  if (!journal) {
    return "the journal cannot be read: " + journal.error().message;
  }
  Result<run::Machine> machine = run::Machine::resume(pipelines::known_pipeline("workflow")->pipeline,
                                                      std::move(journal).value(), world_options(), now += 1000);
  if (!machine) {
    return "the run cannot be gone on with: " + machine.error().message;
  }
  machine_ = std::move(machine).value();
  store();
  return {};
}

}  // namespace plumb::test
