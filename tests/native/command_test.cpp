// The `command` effect: only what is declared here is run, only for a run that is pinned to it, apart from this
// machine, bounded, and each way to end is told in words.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/base/yaml_reading.hpp"
#include "native/command/command_fulfiller.hpp"

using namespace plumb;
using namespace plumb::command;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("native");

namespace {

Result<std::vector<DeclaredCommand>> declared(const std::string& yaml) {
  Result<std::vector<DeclaredCommand>> out = std::vector<DeclaredCommand>();
  const std::optional<Error> wrong = read_yaml("plumb.yaml", yaml, [&](const YAML::Node& root) -> std::optional<Error> {
    out = read_commands("plumb.yaml", root);
    return out ? std::nullopt : std::optional(out.error());
  });
  return wrong ? Result<std::vector<DeclaredCommand>>(*wrong) : out;
}

struct Place {
  explicit Place(const std::string& yaml, std::size_t at_once = 2) {
    std::string name = (fs::temp_directory_path() / "plumb-command-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    ::chmod(name.c_str(), 0755);
    top = name;
    const Result<std::vector<DeclaredCommand>> read = declared(yaml);
    REQUIRE_MESSAGE(read, read.error().message);
    CommandSettings settings;
    settings.commands = commands = read.value();
    settings.least = process::Isolation::partial;
    settings.at_once = at_once;
    fulfiller = std::make_unique<CommandFulfiller>(settings, folders());
  }
  ~Place() {
    fulfiller.reset();
    WorkFolders::remove(top.string());
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  WorkFolders folders() const { return WorkFolders((top / "runs.db.work").string()); }
  fs::path tree(const std::string& name) const {
    REQUIRE(WorkFolders::make(folders().tree("r1", name)));
    return folders().tree("r1", name);
  }
  std::future<run::Reply> begin(const std::string& request, const std::string& pin = "",
                                const std::string& key = ":0") {
    host::EffectCall call;
    call.run = "r1";
    call.key = key;
    call.kind = run::EffectKind::command;
    call.request = run::Data::written(request);
    call.pin = [pinned = std::make_shared<run::Data>(), pin, this](std::string_view wanted) -> const run::Data* {
      const std::string name(wanted.substr(std::string_view("command-").size()));
      const DeclaredCommand* known = find_command(commands, name);
      if (pin == "none" || known == nullptr)
        return nullptr;
      *pinned = run::Data::written(pin.empty() ? command_text(*known) : pin);
      return pinned.get();
    };
    auto promise = std::make_shared<std::promise<run::Reply>>();
    std::future<run::Reply> future = promise->get_future();
    fulfiller->begin(std::move(call), [promise](run::Reply reply) { promise->set_value(std::move(reply)); });
    return future;
  }
  run::Reply ask(const std::string& request, const std::string& pin = "") {
    std::future<run::Reply> future = begin(request, pin);
    REQUIRE(future.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
    return future.get();
  }
  std::string out(const std::string& request) {
    const run::Reply reply = ask(request);
    REQUIRE_MESSAGE(reply.ok(), reply.error);
    return std::string(json::text_of(reply.value.value(), "stdout"));
  }

  fs::path top;
  std::vector<DeclaredCommand> commands;
  std::unique_ptr<CommandFulfiller> fulfiller;
};

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_there(const std::string& words) {
  for (const auto& one : fs::directory_iterator("/proc")) {
    std::string line = read(one.path() / "cmdline");
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.find(words) != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("commands: declared in plumb.yaml, or refused with file, line and what to write") {
  const auto read = declared(
      "test: {run: [make, 'a b'], time: 10m, env: [CI], network: true, repeatable: true}\n"
      "plain: {run: npm  run lint}\ncount: {run: 'ls | wc -l', shell: true}\n");
  REQUIRE(read);
  CHECK(command_text(read.value()[0]) ==
        R"({"command":"test","run":["make","a b"],"env":["CI"],"home":[],"network":true,"repeatable":true,)"
        R"("time_ms":600000,"processes":512})");
  CHECK(read.value()[1].argv == std::vector<std::string>{"npm", "run", "lint"});
  CHECK(read.value()[2].argv == std::vector<std::string>{"/bin/sh", "-c", "ls | wc -l"});
  const auto quoted = declared("a: {run: ctest --test-dir \"my build\"}\n");
  REQUIRE(quoted);
  CHECK(quoted.value()[0].argv == std::vector<std::string>{"ctest", "--test-dir", "my build"});
  const std::pair<const char*, const char*> wrong[] = {{"a: {run: 'ls | wc'}", "is for a shell, and none is started"},
                                                       {"a: {}", "has no 'run'"},
                                                       {"a: {run: []}", "1 to 200 texts"},
                                                       {"a: {rnu: x}", "did you mean 'run'?"},
                                                       {"a: {run: x, time: 7h}", "at most 6h"},
                                                       {"a: {run: x, time: [1]}", "must be a while"},
                                                       {"a/b: {run: x}", "a command's name is"},
                                                       {"a: {run: x}\na: {run: y}", "there twice"},
                                                       {"a: {run: [x], shell: true}", "one text"},
                                                       {"a: {run: x, shell: yes}", "one of true, false"},
                                                       {"a: {run: x, processes: 0}", "from 1 to"},
                                                       {"- a", "must be a map"},
                                                       {"a: {run: ' '}", "there is no program in it"},
                                                       {"a: x", "a command is a map"}};
  for (const auto& one : wrong) {
    const auto& yaml = one.first;
    const auto& message = one.second;
    const auto refused = declared(yaml);
    REQUIRE_FALSE_MESSAGE(refused, yaml);
    CHECK_MESSAGE(refused.error().message.find(message) != std::string::npos, refused.error().message);
    CHECK(refused.error().line > 0);
  }
}

TEST_CASE("commands: only what this host declares is run, and only for a run that is pinned to the same text") {
  Place place("mark: {run: 'echo ran; touch ran', shell: true}\n");
  const fs::path tree = place.tree("T");
  const auto refused = [&](const std::string& request, const std::string& pin) {
    const run::Reply reply = place.ask(request, pin);
    CHECK(reply.status == run::Status::failed);
    CHECK_FALSE(fs::exists(tree / "ran"));
    return reply.error;
  };
  const std::string request = R"({"command":"mark","tree":"T"})";
  CHECK(refused(R"({"command":"other","tree":"T"})", "") == "no command 'other' is declared here; there are: mark");
  CHECK(refused(request, "none").find("the run is not pinned to it") != std::string::npos);
  CHECK(refused(request, R"({"command":"mark","run":["rm","-rf","/"]})").find("the run is pinned to") !=
        std::string::npos);
  // What a request says beside the name changes nothing of what is run.
  CHECK(refused(R"({"command":"mark","argv":["touch","other"],"tree":"N"})", "").find("no open tree 'N'") !=
        std::string::npos);
  CHECK(refused(R"({"command":"mark","tree":"../T"})", "").find("no open tree") != std::string::npos);
  const run::Reply reply = place.ask(request);
  REQUIRE(reply.ok());
  CHECK(json::text_of(reply.value.value(), "stdout") == "ran\n");
  CHECK(json::number_of(reply.value.value(), "exit_code", 9) == 0);
  CHECK(fs::exists(tree / "ran"));
}

TEST_CASE("commands: a folder, an input and declared variables; HOME and TMPDIR are its own and gone afterwards") {
  ::setenv("PLUMB_TEST_GIVEN", "given", 1);
  ::setenv("PLUMB_TEST_SECRET", "secret", 1);
  Place place(
      "env: {run: 'env | sort; cat; pwd; ls -a; touch $HOME/x $TMPDIR/y; stat -c %n $HOME/x', shell: true, "
      "env: [PLUMB_TEST_GIVEN, PLUMB_TEST_NONE]}\nproc: {run: 'cat /proc/[0-9]*/environ', shell: true}\n");
  fs::create_directories(place.tree("T") / "sub/inner");
  const std::string out = place.out(R"({"command":"env","tree":"T","dir":"sub","input":"from the run\n"})");
  CHECK(out.find("PLUMB_TEST_GIVEN=given\n") != std::string::npos);
  CHECK(out.find("SECRET") == std::string::npos);
  CHECK(out.find("from the run\n") != std::string::npos);
  CHECK(out.find("/trees/r1/T/sub\n") != std::string::npos);
  CHECK(out.find("\ninner\n") != std::string::npos);
  CHECK(out.find("GIT_CEILING_DIRECTORIES=") != std::string::npos);
  CHECK(fs::is_empty(place.top / "runs.db.work/scratch"));
  fs::create_symlink("/etc", place.tree("T") / "out");
  for (const std::string dir : {"..", "out", "/etc", "none", "sub/../../.."}) {
    const run::Reply reply = place.ask("{\"command\":\"env\",\"tree\":\"T\",\"dir\":\"" + dir + "\"}");
    CHECK_MESSAGE(reply.status == run::Status::failed, dir);
  }
  if (place.out(R"({"command":"proc"})").find("PLUMB_TEST_SECRET") != std::string::npos) {
    // Where processes cannot be kept apart, the reply says so.
    const run::Reply reply = place.ask(R"({"command":"proc"})");
    CHECK(reply.value.text().find("\"is\":\"partial\"") != std::string_view::npos);
  }
}

TEST_CASE("commands: how one ended is told, and what was left out of its output lies beside the store") {
  Place place(
      "code: {run: 'exit 7', shell: true}\nsignal: {run: 'kill -9 $$', shell: true}\n"
      "slow: {run: [sleep, '61.25'], time: 5s}\nlong: {run: 'seq 1 20000; echo last >&2', shell: true}\n"
      "gone: {run: [no-such-program]}\nleave: {run: 'setsid sleep 62.5 & echo begun', shell: true}\n"
      "flood: {run: [yes]}\nbytes: {run: 'printf \"\\377\\000x\"', shell: true}\n");
  run::Reply reply = place.ask(R"({"command":"code"})");
  CHECK(json::number_of(reply.value.value(), "exit_code") == 7);
  reply = place.ask(R"({"command":"signal"})");
  CHECK(json::text_of(reply.value.value(), "end") == "signalled");
  CHECK(json::number_of(reply.value.value(), "signal") == 9);
  reply = place.ask(R"({"command":"slow","time_ms":300})");
  CHECK(json::text_of(reply.value.value(), "end") == "timed_out");
  reply = place.ask(R"({"command":"gone"})");
  CHECK(reply.error.starts_with("the command 'gone': there is no program 'no-such-program' in PATH ("));
  CHECK(reply.error.ends_with(":/bin)"));
  CHECK(json::text_of(reply.value.value(), "reason") == "no_program");
  CHECK(place.out(R"({"command":"leave"})") == "begun\n");
  CHECK_FALSE(is_there("sleep 62.5"));
  CHECK_FALSE(is_there("sleep 61.25"));
  reply = place.ask(R"({"command":"long"})");
  const json::Value& value = reply.value.value();
  const std::string_view shown = json::text_of(value, "stdout");
  CHECK(shown.size() < 33'000);
  CHECK(shown.substr(0, 4) == "1\n2\n");
  CHECK(shown.find("bytes left out ...]") != std::string_view::npos);
  CHECK(shown.substr(shown.size() - 6) == "20000\n");
  CHECK(json::text_of(value, "stderr") == "last\n");
  const json::Value* left = value.find("left_out")->find("stdout");
  CHECK(json::number_of(*left, "bytes") == 108'894);
  CHECK(read(place.top / "runs.db.work" / std::string(json::text_of(*left, "kept"))).size() == 108'894);
  reply = place.ask(R"({"command":"flood","time_ms":20000})");
  CHECK(json::text_of(reply.value.value(), "end") == "too_much_output");
  reply = place.ask(R"({"command":"bytes"})");
  CHECK(json::text_of(reply.value.value(), "stdout") == std::string("\xEF\xBF\xBD\0x", 5));
}

TEST_CASE("commands: a stop ends what runs, and what waits in line is not begun; waiting is not charged") {
  Place place("slow: {run: 'mktemp begun.XXXXXX; sleep 3', shell: true, time: 5s}\nlong: {run: [sleep, '63.5']}\n", 1);
  place.tree("T");
  const std::string request = R"({"command":"slow","tree":"T"})";
  std::vector<std::future<run::Reply>> line;
  for (int i = 0; i < 3; ++i)
    line.push_back(place.begin(request, "", ":" + std::to_string(i)));
  place.fulfiller->stop("r1", ":2");
  CHECK(json::text_of(line[0].get().value.value(), "end") == "exited");
  CHECK(json::text_of(line[1].get().value.value(), "end") == "exited");
  CHECK(line[2].get().status == run::Status::cancelled);
  CHECK(std::distance(fs::directory_iterator(place.tree("T")), fs::directory_iterator()) == 2);
  std::future<run::Reply> long_one = place.begin(R"({"command":"long"})", "", ":9");
  for (int i = 0; i < 200 && !is_there("sleep 63.5"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  place.fulfiller->stop("r1", ":9");
  CHECK(json::text_of(long_one.get().value.value(), "end") == "stopped");
  CHECK_FALSE(is_there("sleep 63.5"));
}

TEST_CASE("work folders: what runs left goes with them, what others may follow is not followed") {
  const Place place("a: {run: 'true'}\n");
  const WorkFolders folders = place.folders();
  for (const char* run : {"r1", "r2"}) {
    REQUIRE(WorkFolders::make(folders.tree(run, "T") + "/deep"));
    REQUIRE(folders.keep_output(run, std::string("text of ") + run));
  }
  const fs::path outside = place.top / "outside";
  fs::create_directories(outside);
  std::ofstream(outside / "file") << "kept";
  fs::create_directory_symlink(outside, folders.tree("r2", "T") + "/deep/link");
  ::chmod((folders.tree("r2", "T") + "/deep").c_str(), 0500);
  folders.sweep([](std::string_view run) { return run == "r1"; });
  CHECK(fs::exists(folders.tree("r1", "T")));
  CHECK_FALSE(fs::exists(place.top / "runs.db.work/trees/r2"));
  CHECK_FALSE(fs::exists(place.top / "runs.db.work/outputs/r2"));
  CHECK(fs::exists(outside / "file"));
  CHECK_FALSE(WorkFolders::good_name("../x"));
  CHECK_FALSE(WorkFolders::good_name(".git"));
  CHECK(WorkFolders::good_name("T-1.a_b"));
}

TEST_SUITE_END();
