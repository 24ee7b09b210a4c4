// Programs that are started: what they may see and do, that nothing of them lives on, and what is kept of their output.
// Each way out of the isolation is tried from inside.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "child.hpp"
#include "native/process/command.hpp"

using namespace plumb;
using namespace plumb::process;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("native");

namespace {

struct Trees {
  // Beside the tests' own folder, which nobody hides, as well as in /tmp, which is hidden.
  explicit Trees(const std::string& base = fs::temp_directory_path().string()) {
    std::string name = base + "/plumb-process-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    ::chmod(name.c_str(), 0755);
    top = name;
    for (const char* folder : {"tree", "home", "tmp", "other"})
      fs::create_directory(top / folder);
  }
  ~Trees() { fs::remove_all(top); }
  Trees(const Trees&) = delete;
  Trees& operator=(const Trees&) = delete;

  std::string in(const char* name) const { return (top / name).string(); }
  Command sh(const std::string& script) const {
    Command command;
    command.argv = {"sh", "-c", script};
    command.folder = in("tree");
    command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", in("home")}, {"TMPDIR", in("tmp")}};
    command.writable = {in("tree"), in("home"), in("tmp")};
    command.limits.time_ms = 20'000;
    return command;
  }
  fs::path top;
};

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Whether a process whose command line holds the mark is alive.
bool alive(const std::string& mark) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || std::stol(name) == ::getpid())
      continue;
    if (read(entry.path() / "cmdline").find(mark) != std::string::npos)
      return true;
  }
  return false;
}

// A mark that is an argument of `sleep`, and nobody else's.
std::string new_mark() {
  static int count = 0;
  return "7" + std::to_string(::getpid()) + "." + std::to_string(++count);
}

bool full_can_be_had() {
  Command command;
  command.argv = {"true"};
  command.least = Isolation::full;
  const Result<Outcome> outcome = run(command);
  if (!outcome)
    MESSAGE("skipped: " << outcome.error().message);
  return static_cast<bool>(outcome);
}

}  // namespace

TEST_CASE("a command: exit code, both outputs, input, folder, environment as listed") {
  const Trees trees;
  ::setenv("PLUMB_TEST_SECRET_KEY", "sk-not-for-children", 1);
  Command command = trees.sh("cat; pwd; env; echo complaint >&2; exit 7");
  command.input = std::string(1'000'000, 'x') + "\n";
  command.limits.first_bytes = 2'000'000;
  const Outcome outcome = run(command).value();
  CHECK(outcome.end == End::exited);
  CHECK(outcome.exit_code == 7);
  CHECK(outcome.err.text() == "complaint\n");
  const std::string out = outcome.out.text();
  CHECK(out.substr(0, command.input.size()) == command.input);
  CHECK(out.find(trees.in("tree") + "\n") != std::string::npos);
  CHECK(out.find("HOME=" + trees.in("home")) != std::string::npos);
  CHECK(out.find("sk-not-for-children") == std::string::npos);
  CHECK_FALSE(outcome.in_force.parts.empty());
  CHECK((outcome.in_force.isolation == Isolation::full) == outcome.in_force.lacking.empty());
}

TEST_CASE("a command that cannot begin says why: no program, no folder, not executable") {
  const Trees trees;
  Command command = trees.sh("true");
  command.argv = {"no-such-program-here"};
  CHECK(run(command).error().code == ErrorCode::not_found);
  command.argv = {"./tool"};
  CHECK(run(command).error().message == "there is no program " + trees.in("tree") + "/./tool");
  write(trees.top / "tree/tool", "#!/no/such/interpreter\n");
  fs::permissions(trees.top / "tree/tool", fs::perms::all);
  CHECK(run(command).error().message == "./tool cannot be started: No such file or directory");
  command = trees.sh("true");
  command.folder = trees.in("gone");
  CHECK(run(command).error().message == "the folder " + trees.in("gone") + " is not there");
  command.argv = {"echo", std::string("a\0b", 3)};
  command.folder = "/";
  CHECK(run(command).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a folder that vanishes while a command works in it ends in the command's own words") {
  const Trees trees;
  const Outcome outcome = run(trees.sh("rm -rf ../tree/* \"$PWD\"; cd sub || exit 3")).value();
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.err.bytes() > 0);
}

TEST_CASE("of an output the first and the last part are kept, beyond the bound it is stopped") {
  const Trees trees;
  Command command = trees.sh("echo first; head -c 3000000 /dev/zero | tr '\\0' 'm'; echo last");
  const Outcome outcome = run(command).value();
  const std::string text = outcome.out.text();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.bytes() == 3'000'011);
  CHECK(text.substr(0, 7) == "first\nm");
  CHECK(text.substr(text.size() - 6) == "mlast\n");
  CHECK(text.find("\n[... " + std::to_string(3'000'011 - (256 << 10)) + " bytes left out ...]\n") == 64 << 10);

  Command endless = trees.sh("head -c 1000000000 /dev/zero");
  endless.limits.time_ms = 60'000;
  const Outcome stopped = run(endless).value();
  CHECK(stopped.end == End::too_much_output);
  CHECK(stopped.out.bytes() < std::uint64_t{80} << 20U);
  CHECK(stopped.out.text().size() < 300'000);
}

TEST_CASE("when a command has ended nothing of it lives: own session, own group, double fork, a held pipe") {
  const Trees trees;
  for (const Isolation most : {Isolation::full, Isolation::partial}) {
    CAPTURE(isolation_name(most));
    const std::string mark = new_mark();
    Command command = trees.sh("setsid sleep " + mark + " & (setsid sh -c 'setsid sleep " + mark + " & sleep " + mark +
                               "' &) & nohup sleep " + mark + " & sleep 0.1; echo done");
    command.most = most;
    const Outcome outcome = run(command).value();
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.text() == "done\n");  // though the others hold its pipe
    CHECK_FALSE(alive(mark));
  }
}

TEST_CASE("a command whose time is over, or that is stopped, is ended with its tree of 100 processes") {
  const Trees trees;
  for (const Isolation most : {Isolation::full, Isolation::partial}) {
    CAPTURE(isolation_name(most));
    const std::string mark = new_mark();
    Command command = trees.sh("for i in $(seq 33); do setsid sh -c 'sleep " + mark + " & sleep " + mark +
                               "' & done; echo all; sleep " + mark);
    command.most = most;
    command.limits.time_ms = 4'000;
    Outcome outcome = run(command).value();
    CHECK(outcome.end == End::timed_out);
    CHECK(outcome.out.text() == "all\n");
    CHECK_FALSE(alive(mark));
    MESSAGE(isolation_name(most), ": ended ", outcome.duration_ms - 700, " ms after its time");

    command.limits.time_ms = 20'000;
    Stop stop;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.now();
    });
    outcome = run(command, &stop).value();
    later.join();
    CHECK(outcome.end == End::stopped);
    CHECK_FALSE(alive(mark));
  }
}

TEST_CASE("a command dies with the program that started it") {
  const Trees trees;
  for (const Isolation most : {Isolation::full, Isolation::partial}) {
    CAPTURE(isolation_name(most));
    const std::string mark = new_mark();
    Command command = trees.sh("setsid sleep " + mark + " & touch begun; sleep " + mark);
    command.most = most;
    const pid_t host = test::fork_when_quiet();
    if (host == 0) {
      (void)run(command);
      ::_exit(0);
    }
    const auto until = [](const auto& holds) {
      for (int i = 0; i < 2000 && !holds(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return holds();
    };
    CHECK(until([&] { return fs::exists(trees.top / "tree/begun"); }));
    ::kill(host, SIGKILL);
    ::waitpid(host, nullptr, 0);
    CHECK(until([&] { return !alive(mark); }));
    fs::remove(trees.top / "tree/begun");
  }
}

TEST_CASE("a fork storm stays within its bound and ends with its time") {
  if (!full_can_be_had())
    return;
  const Trees trees;
  const std::string mark = new_mark();
  Command command = trees.sh("storm() { storm | storm & }; storm; sleep " + mark);
  command.least = Isolation::full;
  command.limits.processes_max = 64;
  command.limits.time_ms = 1500;
  const Outcome outcome = run(command).value();
  CHECK(outcome.end != End::exited);
  CHECK_FALSE(alive(mark));
  command = trees.sh("for i in $(seq 200); do sleep " + mark + " & done; wait");
  command.limits.processes_max = 64;
  const Outcome many = run(command).value();
  CHECK(many.err.text().find("fork") != std::string::npos);
  CHECK_FALSE(alive(mark));
}

TEST_CASE("a file beyond its bound and memory beyond its bound end the command, not the host") {
  const Trees trees;
  Command command = trees.sh("head -c 3000000 /dev/zero > large; echo code $?");
  command.limits.file_max = 1'000'000;
  CHECK(run(command).value().out.text() != "code 0\n");
  CHECK(fs::file_size(trees.top / "tree/large") == 1'000'000);
  command = trees.sh("exec head -c 1000000000 /dev/zero | tail -n 1");
  command.limits.memory_max = std::uint64_t{100} << 20U;
  CHECK(run(command).value().err.bytes() > 0);
}

TEST_CASE("what is asked of isolation is had or refused, and what was in force is told") {
  const Trees trees;
  Command command = trees.sh("true");
  command.most = Isolation::partial;
  const Outcome partial = run(command).value();
  CHECK(partial.in_force.isolation == Isolation::partial);
  CHECK(partial.in_force.lacking == "full isolation was not asked for");
  command.least = Isolation::full;
  CHECK(run(command).error().code == ErrorCode::unavailable);
}

// Each script tries one way out of full isolation; it prints `out` when it succeeded.
TEST_CASE("no way out of full isolation: files, links, modes, devices, namespaces, /proc, capabilities") {
  if (!full_can_be_had())
    return;
  // One place that is hidden and one that is not.
  for (const std::string& base : {fs::temp_directory_path().string(), fs::current_path().string()}) {
    CAPTURE(base);
    const Trees trees(base);
    write(trees.top / "other/victim", "whole");
    fs::permissions(trees.top / "other/victim", fs::perms::all);
    fs::permissions(trees.top / "other", fs::perms::all);
    fs::create_symlink(trees.top / "other/victim", trees.top / "tree/link");
    fs::create_symlink(trees.top / "other", trees.top / "tree/folder");
    const std::string victim = trees.in("other/victim");
    const std::string host = std::to_string(::getpid());
    const auto when = fs::last_write_time(victim);
    const std::string scripts[] = {
        "echo x > " + victim + " && echo out",
        "truncate -s 0 " + victim + " && echo out",
        "chmod 600 " + victim + " && echo out",
        "touch -d 2001-01-01 " + victim + " && echo out",
        "rm " + victim + " && echo out",
        "mv " + victim + " . && echo out",
        "ln " + victim + " hard && echo x >> hard && echo out",
        "echo x > link && echo out",
        "echo x > folder/new && echo out",
        "echo x > " + trees.in("other") + "/new && echo out",
        "touch /etc/plumb-was-here && echo out",
        "touch /usr/plumb-was-here && echo out",
        "echo x > /proc/sys/kernel/core_pattern && echo out",
        "echo x > /proc/sysrq-trigger && echo out",
        "mkdir /sys/fs/cgroup/pids/plumb-was-here && echo out",
        "mkdir /sys/fs/cgroup/plumb-was-here && echo out",
        "mount -o remount,rw / && touch /etc/plumb-was-here && echo out",
        "mount -o remount,rw,bind / && touch /etc/plumb-was-here && echo out",
        "umount " + trees.in("tree") + " && echo out",
        "unshare -Urm sh -c 'mount -o remount,rw,bind / && touch /etc/plumb-was-here && echo out'",
        "unshare -Urm sh -c 'umount -l /tmp; umount -l /run; umount -l /dev; umount -l /proc; "
        "ls /proc/" +
            host + "/environ && echo out'",
        "mknod disk b 254 0 && head -c 1 disk && echo out",
        "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do test -e $d && echo out; done",
        "cat /proc/" + host + "/environ && echo out",
        "tr '\\0' '\\n' < /proc/1/environ && echo out",
        "head -c 1 /proc/1/mem && echo out",
        "ls /proc/1/root/ && echo out",
        "ls /proc/1/fd/ && echo out",
        "kill -0 " + host + " && echo out",
        "kill -9 1; kill -0 1 && echo out",
        "grep -qa sk-not-for-children /proc/*/environ && echo out",
        "test $(id -u) = 0 && test $(cut -d: -f3 /proc/self/uid_map | wc -l) = 0 && echo out",
        "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo out",
        "grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status && echo out",
        "grep -q 'NoNewPrivs:.*1' /proc/self/status || echo out",
        "ls /proc/self/fd | grep -v '^[0-3]$' && echo out",
        "test -n \"$(ls /run)\" && echo out",
        "cat /etc/shadow && echo out",
        "test \"$(ls /root /home 2>/dev/null | grep -v : | grep .)\" && echo out",
        "nsenter -t 1 -m true && echo out",
        "chroot / true && echo out",
        "dmesg > /dev/null 2>&1 && test $(id -u) = 0 && echo out",
        "nice -n -5 sh -c 'test $(nice) -lt 0 && echo out'",
        "hostname plumb-was-here && echo out",
    };
    for (const std::string& script : scripts) {
      CAPTURE(script);
      Command command = trees.sh(script);
      command.least = Isolation::full;
      const Result<Outcome> outcome = run(command);
      REQUIRE(outcome);
      CHECK(outcome.value().out.text().find("out\n") == std::string::npos);
    }
    CHECK(read(victim) == "whole");
    CHECK(fs::last_write_time(victim) == when);
    CHECK((fs::status(victim).permissions() & fs::perms::all) == fs::perms::all);
    CHECK_FALSE(fs::exists(trees.top / "other/new"));
    CHECK_FALSE(fs::exists("/etc/plumb-was-here"));
  }
}

TEST_CASE("in full isolation a command works as usual in its tree, home, TMPDIR and /tmp") {
  if (!full_can_be_had())
    return;
  for (const std::string& base : {fs::temp_directory_path().string(), fs::current_path().string()}) {
    CAPTURE(base);
    const Trees trees(base);
    write(trees.top / "tree/given", "given\n");
    fs::permissions(trees.top / "tree/given", fs::perms::owner_read | fs::perms::owner_write);
    Command command = trees.sh(
        "set -e; cat given; echo more >> given; echo 1 > $HOME/a; mv $HOME/a $TMPDIR/b; mkdir -p d/e; mv given d/e/;"
        "echo x > /tmp/y; cat /tmp/y > /dev/null; echo x > /dev/shm/y; head -c 1 /dev/urandom > /dev/null; chmod 755 d;"
        "ln -s d l; test -w /dev/null; echo to-error > /dev/stderr; cat /proc/self/status > /dev/null; echo all");
    command.least = Isolation::full;
    const Outcome outcome = run(command).value();
    CHECK(outcome.err.text() == "to-error\n");
    CHECK(outcome.out.text() == "given\nall\n");
    // What it made is the host's.
    CHECK(read(trees.top / "tree/d/e/given") == "given\nmore\n");
    struct stat what {};
    REQUIRE(::stat(trees.in("tmp/b").c_str(), &what) == 0);
    CHECK(what.st_uid == ::geteuid());
  }
}

TEST_CASE("no way to the network or to sockets of the host; the loopback is its own") {
  if (!full_can_be_had())
    return;
  const Trees trees(fs::current_path().string());
  const int tcp = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(tcp, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(tcp, 8) == 0);
  ::getsockname(tcp, reinterpret_cast<sockaddr*>(&address), &size);
  const int local = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string abstract = "plumb-test-" + std::to_string(::getpid());
  abstract.copy(name.sun_path + 1, abstract.size());
  REQUIRE(::bind(local, reinterpret_cast<sockaddr*>(&name),
                 static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract.size())) == 0);
  REQUIRE(::listen(local, 8) == 0);

  const std::string python =
      "import socket, sys\n"
      "def to(kind, where):\n"
      "    try:\n"
      "        s = socket.socket(kind); s.settimeout(3); s.connect(where); print('reached', where)\n"
      "    except OSError as e: print('no')\n"
      "to(socket.AF_INET, ('127.0.0.1', " +
      std::to_string(ntohs(address.sin_port)) +
      "))\n"
      "to(socket.AF_UNIX, '\\0" +
      abstract +
      "')\n"
      "own = socket.socket(); own.bind(('127.0.0.1', 0)); own.listen(); to(socket.AF_INET, own.getsockname())\n";
  Command command = trees.sh("python3 -c \"$SCRIPT\"");
  command.environment.emplace_back("SCRIPT", python);
  command.least = Isolation::full;
  const std::string out = run(command).value().out.text();
  CHECK(out.substr(0, 6) == "no\nno\n");
  CHECK(out.find("reached ('127.0.0.1'", 6) != std::string::npos);

  command.network = true;
  const std::string open = run(command).value().out.text();
  CHECK(open.substr(0, 8) == "reached ");
  ::close(tcp);
  ::close(local);
}

TEST_CASE("what a command may read of hidden folders is what it is given") {
  if (!full_can_be_had())
    return;
  const Trees trees;
  write(trees.top / "other/tool.conf", "conf");
  write(trees.top / "home/kept", "kept");
  Command command = trees.sh("cat " + trees.in("other/tool.conf") + " ; ls " + trees.in("") + "; echo x > " +
                             trees.in("other/tool.conf"));
  command.least = Isolation::full;
  CHECK(run(command).value().out.text().find("conf") == std::string::npos);
  command.readable = {trees.in("other/tool.conf")};
  const Outcome outcome = run(command).value();
  CHECK(outcome.out.text().substr(0, 4) == "conf");
  CHECK(outcome.exit_code != 0);
  CHECK(read(trees.top / "other/tool.conf") == "conf");
  command = trees.sh("ls " + trees.in("tree"));
  command.hidden = {trees.in("tree")};
  command.writable = {trees.in("home")};
  write(trees.top / "tree/secret", "x");
  command.folder = "/";
  CHECK(run(command).value().out.text().empty());
}

TEST_CASE("commands at once do not share a bound on processes") {
  const Trees trees;
  std::vector<std::thread> threads;
  std::vector<std::string> said(4);
  for (std::size_t i = 0; i < said.size(); ++i) {
    threads.emplace_back([&trees, &said, i] {
      Command command = trees.sh("for i in $(seq 40); do sleep 0.2 & done; wait; echo fine");
      command.limits.processes_max = 64;
      const Result<Outcome> outcome = run(command);
      said[i] = outcome ? outcome.value().out.text() + outcome.value().err.text() : outcome.error().message;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& text : said)
    CHECK(text == "fine\n");
}

TEST_SUITE_END();
