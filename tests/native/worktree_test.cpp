// Work trees with real git: what every operation gives, that it gives the same again, that nothing of a repository
// runs, and that in the user's repository nothing changes but what is promised.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "child.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/git/worktree_fulfiller.hpp"
#include "native/process/command.hpp"

using namespace plumb;
namespace fs = std::filesystem;

TEST_SUITE_BEGIN("native");

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}
std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string quoted(const std::string& text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// A folder with a user's repository in it, and what works on it.
struct Place {
  Place() {
    std::string name = (fs::temp_directory_path() / "plumb-worktree-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top = name;
    repository = top / "repo";
    fs::create_directories(repository);
    git({"init", "-q", "-b", "main"});
    git({"config", "user.name", "Somebody"});
    git({"config", "user.email", "somebody@example.org"});
    write(repository / "a.txt", "one\ntwo\nthree\n");
    write(repository / "src/b.txt", "b\n");
    write(repository / ".gitignore", "build/\n");
    git({"add", "-A"});
    git({"commit", "-q", "-m", "first"});
    open();
  }
  ~Place() {
    trees.reset();
    fs::remove_all(top);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void open(std::function<void()> between = {}, git::TreeLimits limits = {}) {
    git::WorktreeSettings settings;
    settings.repositories["here"] = repository.string();
    settings.between = std::move(between);
    settings.limits = limits;
    trees = std::make_unique<git::WorktreeFulfiller>(settings, folders());
  }
  command::WorkFolders folders() const { return command::WorkFolders((top / "runs.db.work").string()); }
  fs::path tree(const std::string& name) const { return folders().tree("r1", name); }

  std::string git(std::vector<std::string> words, bool may_fail = false) const {
    process::Command command;
    command.argv = {"git"};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    command.folder = repository.string();
    command.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", top.string()}, {"LC_ALL", "C"}};
    command.most = process::Isolation::partial;
    command.writable = {top.string()};
    const Result<process::Outcome> done = process::run(command);
    REQUIRE(done);
    if (!may_fail) {
      REQUIRE_MESSAGE(done.value().ok(), words.front(), ": ", done.value().err.text());
    }
    std::string out = done.value().out.text();
    return !out.empty() && out.back() == '\n' ? out.substr(0, out.size() - 1) : out;
  }

  run::Reply ask(const std::string& operation, const std::string& members) const {
    host::EffectCall call;
    call.run = "r1";
    call.key = ":0";
    call.kind = run::EffectKind::worktree;
    call.request = run::Data::written("{\"operation\":\"" + operation + "\",\"repository\":\"here\"" +
                                      (members.empty() ? "" : ",") + members + "}");
    std::promise<run::Reply> promise;
    std::future<run::Reply> future = promise.get_future();
    trees->begin(std::move(call), [&](run::Reply reply) { promise.set_value(std::move(reply)); });
    REQUIRE(future.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
    return future.get();
  }
  run::Reply good(const std::string& operation, const std::string& members) const {
    run::Reply reply = ask(operation, members);
    REQUIRE_MESSAGE(reply.ok(), operation, ": ", reply.error);
    return reply;
  }
  // The commit that it gives.
  std::string commit(const std::string& operation, const std::string& members) const {
    return std::string(json::text_of(good(operation, members).value.value(), "commit"));
  }
  std::string take(const std::string& name, const std::string& from, const std::string& more = "") const {
    return commit("take", "\"tree\":\"" + name + "\",\"from\":\"" + from +
                              "\",\"message\":\"Work\",\"date_ms\":1700000000000" + more);
  }

  fs::path top;
  fs::path repository;
  std::unique_ptr<git::WorktreeFulfiller> trees;
};

// All files of a repository but objects and what is promised to change, with their bytes, times and modes.
std::map<std::string, std::string> state_of(const fs::path& repository) {
  std::map<std::string, std::string> out;
  for (fs::recursive_directory_iterator at(repository), end; at != end; ++at) {
    const std::string name = fs::relative(at->path(), repository).string();
    if (name.rfind(".git/objects", 0) == 0 || name.rfind(".git/refs/plumb", 0) == 0 ||
        name.rfind(".git/refs/heads/plumb", 0) == 0)
      continue;
    struct stat about {};
    REQUIRE(::lstat(at->path().c_str(), &about) == 0);
    // Folders that hold refs get and lose entries.
    const bool holder = name == ".git/refs" || name == ".git/refs/heads" || name == ".git";
    out[name] = std::to_string(about.st_mode) + " " +
                (holder ? "" : std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec)) +
                " " + (at->is_regular_file() ? read(at->path()) : "");
  }
  return out;
}

}  // namespace

TEST_CASE("worktree: opened, changed, taken, compared, merged, landed and closed; the user's repository is as it was") {
  const Place place;
  write(place.repository / "a.txt", "changed by the user, and not committed\n");
  write(place.repository / "untracked.txt", "the user's\n");
  write(place.repository / "staged.txt", "staged\n");
  place.git({"add", "staged.txt"});
  place.git({"stash", "push", "-q", "--", "staged.txt"});
  write(place.repository / "staged.txt", "staged again\n");
  place.git({"add", "staged.txt"});
  const auto before = state_of(place.repository);
  const std::string head = place.git({"rev-parse", "HEAD"});

  const run::Reply opened = place.good("open", R"("tree":"T1")");
  CHECK(json::text_of(opened.value.value(), "commit") == head);
  CHECK(json::number_of(opened.value.value(), "files") == 3);
  CHECK(read(place.tree("T1") / "a.txt") == "one\ntwo\nthree\n");
  CHECK_FALSE(fs::exists(place.tree("T1") / ".git"));
  place.good("open", R"("tree":"T2")");

  const run::Reply changed = place.good(
      "change", "\"tree\":\"T1\",\"from\":\"" + head +
                    R"(","edits":[{"path":"a.txt","find":"two\n","replace":"2\n"},{"path":"new/c.txt","text":"c\n"},)"
                    R"({"path":"src/b.txt","delete":true},{"path":"run.sh","text":"#!/bin/sh\n","executable":true}])");
  CHECK(changed.value.text() == R"({"changed":["a.txt","new/c.txt","src/b.txt","run.sh"],"findings":[]})");
  const std::string one = place.take("T1", head);
  CHECK(one != head);
  const run::Reply diff = place.good("diff", "\"from\":\"" + head + "\",\"to\":\"" + one + "\"");
  CHECK(diff.value.text().find(R"(-two\n+2\n)") != std::string_view::npos);
  CHECK(diff.value.text().find(R"({"path":"new/c.txt","status":"A","added":1,"removed":0})") != std::string_view::npos);
  CHECK(diff.value.text().find(R"({"path":"src/b.txt","status":"D","added":0,"removed":1})") != std::string_view::npos);

  // Another tree of the same run, changed by whoever works in its folder.
  write(place.tree("T2") / "d.txt", "d\n");
  write(place.tree("T2") / "build/out.o", "ignored");
  const std::string two = place.take("T2", head);
  const std::string merged = place.commit(
      "merge", "\"ours\":\"" + one + "\",\"theirs\":\"" + two + R"(","message":"Both","date_ms":1700000000000)");
  // Both changed the same line.
  write(place.tree("T2") / "a.txt", "one\nzwei\nthree\n");
  const std::string clash = place.take("T2", two);
  CHECK(place.good("merge", "\"ours\":\"" + one + "\",\"theirs\":\"" + clash + "\"").value.text() ==
        R"({"merged":false,"conflicts":["a.txt"]})");
  CHECK(place.good("read", "\"at\":\"" + merged + "\"").value.text() ==
        "{\"commit\":\"" + merged + R"(","paths":[".gitignore","a.txt","d.txt","new/c.txt","run.sh"]})");
  CHECK(place.good("read", "\"at\":\"" + merged + "\",\"path\":\"a.txt\"").value.text() ==
        R"({"text":"one\n2\nthree\n"})");
  CHECK(place.good("read", R"("tree":"T2","path":"d.txt")").value.text() == R"({"text":"d\n"})");

  CHECK(state_of(place.repository) == before);
  CHECK(place.good("land", "\"commit\":\"" + merged + R"(","branch":"plumb/work")").value.text() ==
        R"({"landed":true,"was":""})");
  CHECK(place.git({"rev-parse", "plumb/work"}) == merged);
  CHECK(place.git({"show", "plumb/work:a.txt"}) == "one\n2\nthree");
  CHECK(place.git({"log", "-1", "--format=%an %ae %at", "plumb/work"}) == "Plumbline plumbline@localhost 1700000000");
  place.git({"fsck", "--full", "--strict"});
  place.good("close", R"("tree":"T1")");
  place.good("close", R"("tree":"T1")");
  CHECK_FALSE(fs::exists(place.tree("T1")));
  CHECK(state_of(place.repository) == before);
}

TEST_CASE("worktree: every operation gives the same when it is repeated, also by another process at another time") {
  const Place place;
  const std::string head = place.git({"rev-parse", "HEAD"});
  const auto twice = [&](const std::string& operation, const std::string& members) {
    const std::string first(place.good(operation, members).value.text());
    const std::string again(place.good(operation, members).value.text());
    CHECK_MESSAGE(first == again, operation);
    return first;
  };
  twice("open", R"("tree":"T")");
  // HEAD goes on between the two: what was opened stays what it was.
  const std::string first(place.good("open", R"("tree":"H")").value.text());
  write(place.repository / "later.txt", "later\n");
  place.git({"add", "-A"});
  place.git({"commit", "-q", "-m", "later"});
  CHECK(std::string(place.good("open", R"("tree":"H")").value.text()) == first);
  const std::string edits =
      "\"tree\":\"T\",\"from\":\"" + head + R"(","edits":[{"path":"a.txt","find":"one","replace":"1"}])";
  twice("change", edits);
  const std::string taken = twice("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","message":"m","date_ms":1000)");
  // The folder is lost after it was taken: the ref has it.
  fs::remove_all(place.tree("T"));
  CHECK(std::string(place.good("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","message":"m","date_ms":1000)")
                        .value.text()) == taken);
  CHECK(read(place.tree("T") / "a.txt") == "1\ntwo\nthree\n");
  const std::string one = place.take("T", head);
  const std::string main = place.git({"rev-parse", "HEAD"});
  twice("merge", "\"ours\":\"" + main + "\",\"theirs\":\"" + one + R"(","message":"m","date_ms":5000)");
  twice("reset", "\"tree\":\"T\",\"to\":\"" + main + "\"");
  place.good("land", "\"commit\":\"" + one + R"(","branch":"plumb/x")");
  CHECK(place.good("land", "\"commit\":\"" + one + R"(","branch":"plumb/x")").value.text() ==
        "{\"landed\":true,\"was\":\"" + one + "\"}");
  twice("close", R"("tree":"T")");
}

TEST_CASE("worktree: killed between object and ref, it is done again, to the same object") {
  Place place;
  const std::string head = place.git({"rev-parse", "HEAD"});
  place.good("open", R"("tree":"A")");
  write(place.tree("A") / "n.txt", "n\n");
  const std::string one = place.take("A", head);
  place.good("open", R"("tree":"B")");
  write(place.tree("B") / "m.txt", "m\n");
  const std::string two = place.take("B", head);
  place.good("open", R"("tree":"C")");
  write(place.tree("C") / "o.txt", "o\n");
  const std::vector<std::pair<std::string, std::string>> operations = {
      {"open", R"("tree":"D")"},
      {"take", "\"tree\":\"C\",\"from\":\"" + head + R"(","message":"m","date_ms":1)"},
      {"merge", "\"ours\":\"" + one + "\",\"theirs\":\"" + two + R"(","date_ms":1)"},
      {"land", "\"commit\":\"" + one + R"(","branch":"plumb/work")"}};
  for (const auto& one_of : operations) {
    const auto& operation = one_of.first;
    const auto& members = one_of.second;
    place.trees.reset();
    const pid_t child = test::fork_when_quiet();
    if (child == 0) {
      place.open([] { ::kill(::getpid(), SIGKILL); });
      (void)place.ask(operation, members);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK_MESSAGE(WIFSIGNALED(status), operation);
    place.open();
    const std::string again(place.good(operation, members).value.text());
    CHECK(std::string(place.good(operation, members).value.text()).substr(0, 20) == again.substr(0, 20));
    if (operation != "land") {
      CHECK(std::string(place.good(operation, members).value.text()) == again);
    }
  }
  CHECK(place.git({"rev-parse", "plumb/work"}) == one);
}

// A commit that is there is taken for complete. Of loose objects, those of a commit that is fetched are written before
// its files, and a kill between them would leave one that is not.
TEST_CASE("worktree: what is brought from the user's repository is there whole or not at all") {
  const Place place;
  place.good("open", R"("tree":"A")");
  const fs::path objects = place.folders().repository((place.repository / ".git").string()) + "/objects";
  std::size_t packs = 0;
  for (const fs::directory_entry& one : fs::directory_iterator(objects)) {
    const std::string name = one.path().filename().string();
    CHECK_MESSAGE((name == "pack" || name == "info"), name, ": a loose object");
    if (name == "pack")
      packs = static_cast<std::size_t>(std::distance(fs::directory_iterator(one.path()), fs::directory_iterator()));
  }
  CHECK(packs >= 2);
}

TEST_CASE("worktree: a tree that was closed begins the next one, and nothing of what was done in it is left") {
  Place place;
  write(place.repository / "d/x.txt", "same\n");
  write(place.repository / "d/y.txt", "same\n");
  write(place.repository / "d/z.txt", "same\n");
  write(place.repository / "e/run.sh", "#!/bin/sh\n");
  write(place.repository / "stays.txt", "as it is\n");
  write(place.repository / ".gitignore", "built/\n");
  place.git({"add", "-A"});
  place.git({"commit", "-q", "-m", "more"});
  const std::string base = place.git({"rev-parse", "HEAD"});
  const auto about = [](const fs::path& path) {
    struct stat is {};
    REQUIRE(::lstat(path.c_str(), &is) == 0);
    return is;
  };
  for (const std::string& more : {std::string(), R"(,"since":")" + base + "\""}) {
    CAPTURE(more);
    place.good("open", R"("tree":"A","at":")" + base + "\"" + more);
    const fs::path tree = place.tree("A");
    const auto inode = about(tree / "stays.txt").st_ino;
    // The same size and time; a second name outside, through which it could be changed later; a mode; links in place of
    // a file and of a folder; what git ignores; an empty folder; a repository.
    const struct stat before = about(tree / "d/x.txt");
    write(tree / "d/x.txt", "evil\n");
    const timespec times[2] = {before.st_atim, before.st_mtim};
    REQUIRE(::utimensat(AT_FDCWD, (tree / "d/x.txt").c_str(), times, 0) == 0);
    fs::create_hard_link(tree / "d/y.txt", place.top / ("outside" + std::to_string(more.size())));
    fs::permissions(tree / "e", fs::perms::owner_all | fs::perms::others_all);
    fs::remove(tree / "d/z.txt");
    fs::create_symlink("/etc/hostname", tree / "d/z.txt");
    write(tree / "built/left", "left\n");
    fs::create_directory(tree / "empty");
    write(tree / ".git/config", "[core]\n");
    fs::permissions(tree, fs::perms::owner_all | fs::perms::others_all);
    place.good("close", R"("tree":"A")");
    CHECK_FALSE(fs::exists(tree));

    place.good("open", R"("tree":"B","at":")" + base + "\"" + more);
    const fs::path next = place.tree("B");
    CHECK(about(next / "stays.txt").st_ino == inode);  // not written again
    std::size_t files = 0;
    for (const auto& one : fs::recursive_directory_iterator(next)) {
      const std::string name = fs::relative(one.path(), next).string();
      CAPTURE(name);
      const struct stat is = about(one.path());
      CHECK((S_ISDIR(is.st_mode) || S_ISREG(is.st_mode)));
      if (S_ISDIR(is.st_mode)) {
        CHECK((is.st_mode & 07777) == 0755);
        continue;
      }
      ++files;
      CHECK(is.st_nlink == 1);
      CHECK(read(one.path()) == read(place.repository / name));
      CHECK((is.st_mtim.tv_sec == 946'684'800) == !more.empty());
    }
    CHECK(files == 8);
    CHECK((about(next).st_mode & 07777) == 0700);
    // Work in it is taken as in any other.
    write(next / "d/x.txt", "work\n");
    if (more.empty()) {
      fs::create_hard_link(next / "d/x.txt", place.top / "also");
    } else {
      write(next / "wide/x.txt", "for all to write\n");
      fs::permissions(next / "wide/x.txt", fs::perms::owner_all | fs::perms::others_all);
      fs::permissions(next / "wide", fs::perms::owner_all | fs::perms::others_all);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::string work = place.take("B", base);
    CHECK(place.good("diff", R"("from":")" + base + R"(","to":")" + work + "\"").value.text().find("+work") !=
          std::string::npos);
    place.good("close", R"("tree":"B")");
    place.good("open", R"("tree":"C","at":")" + work + "\"" + more);
    CHECK(read(place.tree("C") / "d/x.txt") == "work\n");
    CHECK(about(place.tree("C") / "stays.txt").st_ino == inode);
    CHECK(about(place.tree("C") / "d/x.txt").st_nlink == 1);
    if (!more.empty()) {
      CHECK((about(place.tree("C") / "wide/x.txt").st_mode & 07777) == 0755);
      CHECK((about(place.tree("C") / "wide").st_mode & 07777) == 0755);
    }
    CHECK((about(place.tree("C") / "d/x.txt").st_mtim.tv_sec == 946'684'800) == false);
    place.good("close", R"("tree":"C")");
  }
  place.trees.reset();
  CHECK_FALSE(fs::exists(place.top / "runs.db.work/spare"));
}

TEST_CASE("worktree: what is taken is the same whether it is known what lay in the tree or git looks at all of it") {
  Place place;
  write(place.repository / "d/x.txt", "same\n");
  write(place.repository / "d/inner/y.txt", "y\n");
  write(place.repository / "e/run.sh", "#!/bin/sh\n");
  write(place.repository / ".gitignore", "built/\n*.log\n!kept.log\n");
  write(place.repository / "e/.gitignore", "only-here\n");
  write(place.repository / "built/tracked.txt", "though ignored\n");
  fs::create_symlink("a.txt", place.repository / "link");
  place.git({"add", "-A", "-f"});
  place.git({"commit", "-q", "-m", "more"});
  const std::string base = place.commit("open", R"("tree":"T")");
  const fs::path tree = place.tree("T");
  const std::vector<std::pair<std::string, std::function<void()>>> works = {
      {"nothing", [] {}},
      {"the same size, with its time put back",
       [&] {
         struct stat before {};
         REQUIRE(::lstat((tree / "d/x.txt").c_str(), &before) == 0);
         std::ofstream(tree / "d/x.txt") << "evil\n";
         const timespec times[2] = {before.st_atim, before.st_mtim};
         REQUIRE(::utimensat(AT_FDCWD, (tree / "d/x.txt").c_str(), times, 0) == 0);
       }},
      {"written anew, as it was",
       [&] {
         fs::remove(tree / "a.txt");
         write(tree / "a.txt", "one\ntwo\nthree\n");
       }},
      {"new, in new folders", [&] { write(tree / "n/m/o.txt", std::string("bytes\0and more", 14)); }},
      {"a name with blanks", [&] { write(tree / "with blanks in it.txt", "x"); }},
      {"names that git is asked about",
       [&] {
         write(tree / "qu\"ote\n.txt", "x");
         write(tree / "\xC3\xA4.txt", "x");
       }},
      {"gone", [&] { fs::remove(tree / "a.txt"); }},
      {"a folder gone", [&] { fs::remove_all(tree / "d"); }},
      {"the last of a folder gone, the folder left", [&] { fs::remove(tree / "d/inner/y.txt"); }},
      {"a file in the place of a folder",
       [&] {
         fs::remove_all(tree / "d");
         write(tree / "d", "a file\n");
       }},
      {"a folder in the place of a file",
       [&] {
         fs::remove(tree / "a.txt");
         write(tree / "a.txt/b", "inside\n");
       }},
      {"a link in the place of a folder",
       [&] {
         fs::remove_all(tree / "d");
         fs::create_symlink("e", tree / "d");
       }},
      {"links",
       [&] {
         fs::create_symlink("../a.txt", tree / "e/new-link");
         fs::remove(tree / "link");
         fs::create_symlink("e/run.sh", tree / "link");
       }},
      {"modes",
       [&] {
         fs::permissions(tree / "e/run.sh", fs::perms::owner_all);
         fs::permissions(tree / "a.txt", fs::perms::owner_read);
       }},
      {"the mode of a folder",
       [&] {
         fs::permissions(tree / "d", fs::perms::owner_all);
         write(tree / "d/x.txt", "changed\n");
       }},
      {"ignored and not",
       [&] {
         write(tree / "built/new.txt", "ignored\n");
         write(tree / "built/tracked.txt", "tracked, so taken\n");
         write(tree / "d/x.log", "ignored\n");
         write(tree / "d/kept.log", "taken\n");
         write(tree / "e/only-here", "ignored\n");
         write(tree / "d/only-here", "taken\n");
       }},
      {"what is ignored is changed",
       [&] {
         write(tree / "d/.gitignore", "/inner/\n/z\n");
         write(tree / "d/inner/new.txt", "ignored\n");
         write(tree / "d/z", "ignored\n");
         write(tree / ".gitignore", "nothing\n");
         write(tree / "x.log", "taken\n");
       }},
      {"empty folders, and what is no file",
       [&] {
         fs::create_directories(tree / "none/inside");
         REQUIRE((::mkfifo((tree / "pipe").c_str(), 0600) == 0 || errno == EEXIST));  // git cleans none
       }},
      {"more than is done by paths",
       [&] {
         for (int i = 0; i < 1001; ++i)
           write(tree / "many" / std::to_string(i), std::to_string(i));
       }},
      {"larger than is done by paths", [&] { write(tree / "large", std::string(std::size_t{9} << 20U, 'x')); }},
  };
  bool again = false;
  for (const auto& one : works) {
    CAPTURE(one.first);
    place.good("close", R"("tree":"T")");
    place.good("open", R"("tree":"T","at":")" + base + "\"");
    std::string from = base;
    again = !again;  // from the commit that the tree was opened at, and from one that was taken of it
    if (again) {
      write(tree / "before.txt", "before\n");
      from = place.take("T", base);
    }
    one.second();
    const std::string members = R"("tree":"T","from":")" + from + R"(","message":"Work","date_ms":1700000000000)";
    const std::string whole = R"("tree":"T","from":")" + base + R"(","message":"All","date_ms":1700000000000)";
    const std::string known(place.good("take", members).value.text());
    const std::string all(again ? place.good("take", whole).value.text() : "");
    place.open();
    CHECK(std::string(place.good("take", members).value.text()) == known);
    CHECK((!again || std::string(place.good("take", whole).value.text()) == all));
  }
}

TEST_CASE("worktree: a change begins with its commit, whoever worked in the tree, whether that is known or not") {
  Place place;
  write(place.repository / "d/x.txt", "same\n");
  place.git({"add", "-A"});
  place.git({"commit", "-q", "-m", "more"});
  const std::string base = place.commit("open", R"("tree":"T")");
  const fs::path tree = place.tree("T");
  const std::string edit =
      R"(,"edits":[{"path":"a.txt","find":"two","replace":"2"},{"path":"n/new.txt","text":"n\n"}])";
  const auto change = [&](const std::string& at) {
    CHECK(place.good("change", R"("tree":"T","from":")" + at + "\"" + edit).value.text() ==
          R"({"changed":["a.txt","n/new.txt"],"findings":[]})");
  };
  change(base);
  const std::string one = place.take("T", base);
  const std::vector<std::function<void()>> works = {
      [] {},
      [&] { write(tree / "d/x.txt", "evil\n"); },
      [&] { fs::remove(tree / "a.txt"); },
      [&] { fs::remove_all(tree / "d"); },
      [&] { write(tree / "other.txt", "left\n"); },
      [&] { write(tree / "d/other/deep.txt", "left\n"); },
      [&] { fs::permissions(tree / "src", fs::perms::owner_all | fs::perms::others_all); },
      [&] {
        fs::remove_all(tree / "d");
        fs::create_symlink("/etc", tree / "d");
      },
  };
  for (std::size_t i = 0; i < works.size(); ++i) {
    for (const bool restarted : {false, true}) {
      CAPTURE(i);
      CAPTURE(restarted);
      works[i]();
      if (restarted)
        place.open();
      change(base);
      CHECK_FALSE(fs::exists(tree / "other.txt"));
      CHECK_FALSE(fs::exists(tree / "d/other"));
      CHECK(read(tree / "d/x.txt") == "same\n");
      CHECK_FALSE(fs::is_symlink(tree / "d"));
      CHECK(place.take("T", base) == one);
      works[i]();
      place.good("reset", R"("tree":"T","to":")" + base + "\"");
      CHECK(read(tree / "a.txt") == "one\ntwo\nthree\n");
      CHECK_FALSE(fs::exists(tree / "n"));
      CHECK(read(tree / "d/x.txt") == "same\n");
    }
  }
  // What git ignores stays, as it does where git cleans; what an edit wrote and git ignores is no part of the commit.
  write(tree / "build/kept.o", "kept\n");
  change(base);
  CHECK(read(tree / "build/kept.o") == "kept\n");
  CHECK(place.take("T", base) == one);
  CHECK(place.good("change", R"("tree":"T","from":")" + base + R"(","edits":[{"path":"build/x.txt","text":"x"}])")
            .value.text() == R"({"changed":["build/x.txt"],"findings":[]})");
  CHECK(place.good("take", R"("tree":"T","from":")" + base + R"(","date_ms":1)").value.text().find("\"empty\":true") !=
        std::string::npos);
}

TEST_CASE("worktree: a task whose tree is known starts git for what it writes, and for nothing else") {
  Place place;
  const fs::path bin = place.top / "bin";
  // Each start is written where it may be written: in the repository that it is about.
  write(bin / "git", "#!/bin/sh\necho \"$*\" >> \"${1#--git-dir=}/starts\"\nexec /usr/bin/git \"$@\"\n");
  ::chmod((bin / "git").c_str(), 0755);
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  ::setenv("PATH", (bin.string() + ":" + path).c_str(), 1);
  const std::string base = place.commit("open", R"("tree":"gates","since":"HEAD")");
  place.good("close", R"("tree":"gates")");
  std::string at = base;
  std::vector<std::string> starts;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "T" + std::to_string(i);
    const std::string file = "src/n" + std::to_string(i) + ".txt";
    for (const auto& one : fs::recursive_directory_iterator(place.top)) {
      if (one.path().filename() == "starts")
        fs::remove(one.path());
    }
    place.good("open", "\"tree\":\"" + name + R"(","at":")" + at + R"(","lands":"plumb/work")");
    CHECK(place.ask("read", R"("at":")" + at + "\",\"path\":\"" + file + "\"").error.find("is not in that commit") !=
          std::string::npos);
    place.good("change", "\"tree\":\"" + name + R"(","from":")" + at + R"(","edits":[{"path":")" + file +
                             R"(","text":"new\n"},{"path":"a.txt","text":")" + name + "\"}]");
    const std::string taken = place.take(name, at);
    place.good("open", R"("tree":"gates","at":")" + taken + R"(","since":")" + base + "\"");
    CHECK(read(place.tree("gates") / file) == "new\n");
    place.good("close", R"("tree":"gates")");
    place.good("diff", R"("from":")" + at + R"(","to":")" + taken + "\"");
    place.good("land", R"("commit":")" + taken + R"(","branch":"plumb/work")");
    place.good("close", "\"tree\":\"" + name + "\"");
    at = taken;
    starts.clear();
    for (const auto& one : fs::recursive_directory_iterator(place.top)) {
      if (one.path().filename() != "starts")
        continue;
      std::ifstream lines(one.path());
      for (std::string line; std::getline(lines, line);)
        starts.push_back(line);
    }
  }
  ::setenv("PATH", path.c_str(), 1);
  std::string all;
  for (const std::string& one : starts)
    all += one + "\n";
  // Where a file was changed in the very tick before it was taken, one more: it is written again.
  CHECK_MESSAGE(starts.size() <= 8, all);
  CHECK_MESSAGE(starts.size() >= 4, all);
  CHECK(place.git({"rev-parse", "plumb/work"}) == at);
  CHECK(place.git({"rev-list", "--count", base + ".." + at}) == "4");
  place.git({"fsck", "--strict", "--no-dangling"});
}

TEST_CASE("worktree: nothing that a repository brings is run: hooks, filters, drivers, textconv, fsmonitor, ssh") {
  Place place;
  const fs::path ran = place.top / "ran";
  const std::string program = (place.top / "evil.sh").string();
  write(program, "#!/bin/sh\necho \"$0 $*\" >> " + ran.string() + "\ncat\nexit 0\n");
  ::chmod(program.c_str(), 0755);
  write(place.repository / ".gitattributes", "*.txt filter=evil diff=evil merge=evil ident\n");
  write(place.repository / "a.txt", "one\ntwo\nthree\n$Id$\n");
  place.git({"add", "-A"});
  place.git({"commit", "-q", "-m", "attributes"});
  const std::vector<std::string> keys = {"filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
                                         "diff.evil.command", "diff.evil.textconv", "merge.evil.driver",
                                         "core.fsmonitor",    "core.sshCommand",    "diff.external",
                                         "core.editor",       "core.pager",         "credential.helper",
                                         "core.askPass",      "gpg.program",        "uploadpack.packObjectsHook",
                                         "merge.tool",        "sequence.editor",    "core.alternateRefsCommand"};
  for (const std::string& key : keys)
    place.git({"config", key, program});
  place.git({"config", "commit.gpgSign", "true"});
  // A promisor: what is missing would be fetched through ssh.
  place.git({"config", "remote.origin.url", "ssh://nowhere.invalid/x"});
  place.git({"config", "remote.origin.promisor", "true"});
  place.git({"config", "remote.origin.partialclonefilter", "blob:none"});
  place.git({"config", "extensions.partialClone", "origin"});
  fs::create_directories(place.top / "hooks");
  place.git({"config", "core.hooksPath", (place.top / "hooks").string()});
  for (const char* hook :
       {"post-checkout", "reference-transaction", "pre-receive", "update", "post-receive", "post-update", "pre-commit",
        "post-index-change", "fsmonitor-watchman", "pre-auto-gc", "post-merge", "proc-receive", "sendemail-validate"}) {
    for (const fs::path& folder : {place.top / "hooks", place.repository / ".git/hooks"}) {
      write(folder / hook, read(program));
      ::chmod((folder / hook).c_str(), 0755);
    }
  }
  fs::remove(ran);
  const std::string head = place.commit("open", R"("tree":"T")");
  CHECK(read(place.tree("T") / "a.txt") == "one\ntwo\nthree\n$Id$\n");
  place.good("change",
             "\"tree\":\"T\",\"from\":\"" + head + R"(","edits":[{"path":"a.txt","find":"one","replace":"1"}])");
  const std::string one = place.take("T", head, R"(,"publish":true)");
  place.good("reset", "\"tree\":\"T\",\"to\":\"" + head + "\"");
  place.good("change",
             "\"tree\":\"T\",\"from\":\"" + head + R"(","edits":[{"path":"a.txt","find":"three","replace":"3"}])");
  const std::string two = place.take("T", head);
  place.good("diff", "\"from\":\"" + one + "\",\"to\":\"" + two + "\"");
  const run::Reply merged = place.good("merge", "\"ours\":\"" + one + "\",\"theirs\":\"" + two + R"(","date_ms":1)");
  CHECK(json::flag_of(merged.value.value(), "merged"));
  place.good("land", "\"commit\":\"" + two + R"(","branch":"plumb/work")");
  CHECK(place.git({"--no-replace-objects", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "rev-parse",
                   "plumb/work"}) == two);
  place.good("close", R"("tree":"T")");
  // A blob that is not there is not fetched, by nobody: the repository is refused.
  const std::string blob = place.git({"rev-parse", "HEAD:src/b.txt"});
  fs::remove(place.repository / ".git/objects" / blob.substr(0, 2) / blob.substr(2));
  fs::remove_all(place.top / "runs.db.work");
  place.open();
  const run::Reply refused = place.ask("open", R"("tree":"T")");
  CHECK(refused.status == run::Status::failed);
  CHECK_MESSAGE(!fs::exists(ran), read(ran));
}

TEST_CASE(
    "worktree: land moves a branch by fast-forward, never one that is checked out, and says what to run instead") {
  const Place place;
  const std::string head = place.commit("open", R"("tree":"T")");
  write(place.tree("T") / "n.txt", "n\n");
  const std::string one = place.take("T", head);
  const auto land = [&](const std::string& branch, const std::string& commit, const std::string& more = "") {
    return std::string(
        place.good("land", "\"commit\":\"" + commit + "\",\"branch\":" + quoted(branch) + more).value.text());
  };
  CHECK(land("main", one) ==
        R"({"landed":false,"why":"the branch 'main' is checked out, and nobody's work tree is touched",)"
        R"("command":"git merge --ff-only )" +
            one + "\"}");
  CHECK(place.git({"rev-parse", "main"}) == head);
  // The command that it names works: the objects are there.
  place.git({"merge", "-q", "--ff-only", one});
  CHECK(place.git({"rev-parse", "main"}) == one);
  // Checked out in another work tree of the repository.
  place.git({"branch", "other", head});
  place.git({"worktree", "add", "-q", (place.top / "second").string(), "other"});
  CHECK(land("other", one).find("is checked out") != std::string::npos);
  place.git({"branch", "free", head});
  CHECK(land("free", one, ",\"expect\":\"" + one + "\"").find("not where it was expected") != std::string::npos);
  CHECK(land("free", one, ",\"expect\":\"" + head + "\"") == "{\"landed\":true,\"was\":\"" + head + "\"}");
  CHECK(place.git({"rev-parse", "free"}) == one);
  CHECK(land("nowhere", one).find("there is no branch 'nowhere'") != std::string::npos);
  // Beside it: no fast-forward.
  place.good("reset", "\"tree\":\"T\",\"to\":\"" + head + "\"");
  write(place.tree("T") / "beside.txt", "x\n");
  const std::string beside = place.take("T", head);
  CHECK(land("free", beside).find("only a fast-forward lands") != std::string::npos);
  land("plumb/work", one);
  CHECK(land("plumb/work", beside).find("only a fast-forward lands") != std::string::npos);
  for (const std::string bad : {"refs/heads/main", "refs/tags/x", "-d", "a..b", ""}) {
    const run::Reply reply = place.ask("land", "\"commit\":\"" + one + "\",\"branch\":" + quoted(bad));
    const bool landed = reply.ok() && json::flag_of(reply.value.value(), "landed");
    CHECK_FALSE_MESSAGE(landed, bad);
  }
  place.git({"branch", "-m", "plumb/work", "was"});
  place.git({"branch", "plumb", head});
  CHECK(land("plumb/work", one).find("\"landed\":false") != std::string::npos);
  CHECK(place.good("open", R"("tree":"N")").value.text().find("a branch named 'plumb'") != std::string_view::npos);
}

TEST_CASE(
    "worktree: links that leave, .git in any case and repositories in the tree are found; ordinary links are kept") {
  Place place;
  fs::create_symlink("a.txt", place.repository / "inside");
  fs::create_symlink("/etc/passwd", place.repository / "was-there");
  place.git({"add", "-A"});
  place.git({"commit", "-q", "-m", "links"});
  const std::string head = place.commit("open", R"("tree":"T")");
  CHECK(fs::read_symlink(place.tree("T") / "inside") == "a.txt");
  fs::create_symlink("../../../../etc/passwd", place.tree("T") / "src/out");
  fs::create_symlink("../a.txt", place.tree("T") / "src/fine");
  write(place.tree("T") / ".GitAttributes", "* filter=x\n");
  const run::Reply taken = place.good("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","message":"m","date_ms":1)");
  std::vector<std::string> found;
  for (const json::Value& one : json::list_of(taken.value.value(), "findings"))
    found.push_back(std::string(json::text_of(one, "rule")) + " " + std::string(json::text_of(one, "path")));
  CHECK(found == std::vector<std::string>{"git-file .GitAttributes", "link-leaves src/out"});
  for (const std::string name : {".git", ".GIT", ".git ", "git~1", ".gi\xE2\x80\x8Ct"}) {
    place.good("reset", "\"tree\":\"T\",\"to\":\"" + head + "\"");
    write(place.tree("T") / "src" / name / "config", "[core]\n\tfsmonitor = /bin/false\n");
    const run::Reply refused = place.good("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","date_ms":1)");
    CHECK_MESSAGE(refused.value.value().find("commit")->is(json::Kind::null), name);
    CHECK(json::text_of(json::list_of(refused.value.value(), "findings")[0], "rule") == "git-folder");
    fs::remove_all(place.tree("T") / "src" / name);
  }
  // An edit goes through no link and out of no tree.
  for (const std::string path :
       {"../x", "/etc/x", "was-there/x", ".git/config", ".Git/hooks/x", "inside/x", "a//b", ""}) {
    const run::Reply refused =
        place.good("change", "\"tree\":\"T\",\"from\":\"" + head + "\",\"edits\":[{\"path\":" + quoted(path) +
                                 ",\"text\":\"x\"},{\"path\":\"n\",\"text\":\"x\"}]");
    CHECK_MESSAGE(json::list_of(refused.value.value(), "findings").size() == 1, path);
    CHECK_FALSE(fs::exists(place.tree("T") / "n"));
  }
  const run::Reply reading = place.ask("read", R"("tree":"T","path":"was-there")");
  CHECK(reading.status == run::Status::failed);
}

TEST_CASE("worktree: an edit that does not stand exactly once is a finding, and then nothing is changed") {
  const Place place;
  const std::string head = place.commit("open", R"("tree":"T")");
  const run::Reply reply = place.good(
      "change",
      "\"tree\":\"T\",\"from\":\"" + head +
          R"(","edits":[{"path":"a.txt","find":"one","replace":"1"},{"path":"a.txt","find":"t","replace":"0"},)"
          R"({"path":"none.txt","find":"x","replace":"y"},{"path":"a.txt"}])");
  CHECK(json::list_of(reply.value.value(), "findings").size() == 3);
  CHECK(json::list_of(reply.value.value(), "changed").empty());
  CHECK(read(place.tree("T") / "a.txt") == "one\ntwo\nthree\n");
}

TEST_CASE("worktree: what cannot be worked on is told in words") {
  Place place;
  const auto error = [&](const std::string& operation, const std::string& members) {
    const run::Reply reply = place.ask(operation, members);
    CHECK(reply.status == run::Status::failed);
    return reply.error;
  };
  CHECK(error("open", R"("tree":"../x")").find("needs a `tree`") != std::string::npos);
  CHECK(error("open", R"("tree":"T","at":"nowhere")") == "open in 'here': there is no commit 'nowhere'");
  CHECK(error("open", R"("tree":"T","at":"--all")").find("is not a name of a commit") != std::string::npos);
  const std::string head = place.commit("open", R"("tree":"T")");
  fs::remove_all(place.tree("T"));
  CHECK(error("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","date_ms":1)").find("has vanished") !=
        std::string::npos);
  CHECK(error("take", R"("tree":"T","from":"1111111111111111111111111111111111111111","date_ms":1)")
            .find("there is no commit") != std::string::npos);
  {
    git::TreeLimits few;
    few.files_max = 2;
    place.open({}, few);
    CHECK(error("open", R"("tree":"F")").find("the tree has 3 files") != std::string::npos);
    few = {};
    few.file_max = 4;
    place.open({}, few);
    CHECK(error("open", R"("tree":"F")").find("a file may have 4") != std::string::npos);
    place.open();
  }
  fs::remove_all(place.repository);
  CHECK(error("open", R"("tree":"T")").find("is not there") != std::string::npos);
  fs::create_directories(place.repository);
  CHECK(error("open", R"("tree":"T")").find("not a git repository") != std::string::npos);
  place.git({"init", "-q", "-b", "main"});
  CHECK(error("open", R"("tree":"N")") == "open in 'here': the branch has no commit yet");
  if (::geteuid() == 0) {
    for (fs::recursive_directory_iterator at(place.repository), end; at != end; ++at)
      REQUIRE(::lchown(at->path().c_str(), 12345, 12345) == 0);
    REQUIRE(::lchown(place.repository.c_str(), 12345, 12345) == 0);
    CHECK(error("open", R"("tree":"T")").find("dubious ownership") != std::string::npos);
  }
}

TEST_CASE(
    "worktree: submodules are told and stay as they are; a sha256, a bare and a linked repository are worked on") {
  Place place;
  place.git({"update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,sub"});
  place.git({"commit", "-q", "-m", "sub"});
  const run::Reply opened = place.good("open", R"("tree":"T")");
  CHECK(json::texts_of(opened.value.value(), "submodules") == std::vector<std::string>{"sub"});
  const std::string head(json::text_of(opened.value.value(), "commit"));
  write(place.tree("T") / "n.txt", "n");
  const run::Reply taken = place.good("take", "\"tree\":\"T\",\"from\":\"" + head + R"(","date_ms":1)");
  CHECK(json::list_of(taken.value.value(), "changed").size() == 1);
  for (const std::string kind : {"sha256", "bare", "linked"}) {
    Place other;
    const fs::path base = other.repository;
    other.repository = other.top / kind;
    if (kind == "linked") {
      other.repository = base;
      other.git({"worktree", "add", "-q", "-b", "linked", (other.top / kind).string()});
    } else if (kind == "bare") {
      other.repository = base;
      other.git({"clone", "-q", "--bare", base.string(), (other.top / kind).string()});
    } else {
      fs::create_directories(other.repository);
      other.git({"init", "-q", "-b", "main", "--object-format=sha256"});
      other.git({"config", "user.name", "S"});
      other.git({"config", "user.email", "s@example.org"});
      write(other.repository / "a.txt", "a\n");
      other.git({"add", "-A"});
      other.git({"commit", "-q", "-m", "first"});
    }
    other.repository = other.top / kind;
    other.open();
    const std::string at = other.commit("open", R"("tree":"T")");
    write(other.tree("T") / "n.txt", kind);
    const std::string one = other.take("T", at);
    CHECK_MESSAGE(other.good("land", "\"commit\":\"" + one + R"(","branch":"plumb/w")").value.text() ==
                      R"({"landed":true,"was":""})",
                  kind);
    CHECK(other.git({"rev-parse", "plumb/w"}) == one);
  }
}

TEST_CASE("worktree: what is remembered of a commit that was taken is what another host reads of it") {
  Place place;
  place.git({"update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,sub"});
  place.git({"commit", "-q", "-m", "sub"});
  std::string at = place.commit("open", R"("tree":"T")");
  const fs::path tree = place.tree("T");
  const std::vector<std::function<void()>> works = {
      [&] {
        write(tree / "new/c.txt", "c and more\n");
        write(tree / "a.txt", "one\n");
        fs::remove(tree / "src/b.txt");
      },
      [&] {
        fs::create_symlink("new/c.txt", tree / "src");  // a link in the place of a folder
        fs::remove(tree / "a.txt");
        write(tree / "a.txt/b", "a folder in the place of a file");
      },
      [&] {
        fs::remove_all(tree / "sub");
        write(tree / "sub", "a file in the place of a submodule");
      },
  };
  for (const std::function<void()>& work : works) {
    work();
    const std::string to = place.take("T", at);
    const std::string opened(place.good("open", R"("tree":"G","at":")" + to + "\"").value.text());
    const std::string compared(place.good("diff", "\"from\":\"" + at + "\",\"to\":\"" + to + "\"").value.text());
    place.open();
    CHECK(place.good("open", R"("tree":"G","at":")" + to + "\"").value.text() == opened);
    CHECK(place.good("diff", "\"from\":\"" + at + "\",\"to\":\"" + to + "\"").value.text() == compared);
    at = to;
    place.good("open", R"("tree":"T","at":")" + at + "\"");
  }
}

TEST_CASE(
    "worktree: a branch that somebody is at work on is not moved, and the command that does it finds the commit") {
  const Place place;
  const std::string head = place.commit("open", R"("tree":"T")");
  write(place.tree("T") / "n.txt", "n\n");
  const std::string made = place.take("T", head);
  const auto why = [&](const std::string& branch) {
    const run::Reply reply = place.good("land", "\"commit\":\"" + made + "\",\"branch\":\"" + branch + "\"");
    CHECK_FALSE(json::flag_of(reply.value.value(), "landed"));
    return std::string(json::text_of(reply.value.value(), "why"));
  };
  CHECK(why("none") == "there is no branch 'none'");
  CHECK(place.git({"cat-file", "-t", made}) == "commit");
  CHECK(why("main").find("is checked out") != std::string::npos);
  place.git({"branch", "other"});
  place.git({"branch", "gone-on"});
  place.git({"worktree", "add", "-q", (place.top / "linked").string(), "other"});
  CHECK(why("other").find("is checked out") != std::string::npos);
  // A rebase that has stopped has no branch checked out, and comes back to it.
  write(place.repository / "a.txt", "one\n2\nthree\n");
  place.git({"commit", "-qam", "mine"});
  place.git({"branch", "rebased"});
  place.git({"reset", "-q", "--hard", "HEAD~1"});
  write(place.repository / "a.txt", "one\nzwei\nthree\n");
  place.git({"commit", "-qam", "theirs"});
  place.git({"checkout", "-q", "rebased"});
  place.git({"rebase", "-q", "main"}, true);
  CHECK(place.git({"symbolic-ref", "-q", "HEAD"}, true).empty());
  const std::string onto = place.commit("open", R"("tree":"R","at":"rebased")");
  write(place.tree("R") / "r.txt", "r\n");
  const std::string more = place.take("R", onto);
  CHECK(place.good("land", "\"commit\":\"" + more + R"(","branch":"rebased")").value.text().find("checked out") !=
        std::string_view::npos);
  place.git({"rebase", "--abort"});
  place.git({"checkout", "-q", "gone-on"});
  place.git({"bisect", "start"});
  place.git({"checkout", "-q", "--detach"});
  CHECK(why("gone-on").find("is checked out") != std::string::npos);
  place.git({"bisect", "reset"});
  CHECK(place.good("land", "\"commit\":\"" + made + R"(","branch":"plumb/w")").value.text() ==
        R"({"landed":true,"was":""})");
}

TEST_CASE("worktree: a tree is not opened for a branch that what is made in it could not land on") {
  const Place place;
  const auto open = [&](const std::string& at) {
    return place.ask("open", R"("tree":"T","lands":"plumb/w","at":")" + at + "\"");
  };
  CHECK(open("HEAD").ok());
  place.git({"branch", "plumb/w"});
  CHECK(open("HEAD").ok());
  write(place.repository / "a.txt", "more\n");
  place.git({"commit", "-qam", "more"});
  CHECK(open("HEAD").ok());  // the branch is behind
  place.git({"branch", "-f", "plumb/w"});
  const run::Reply beside = open("HEAD~1");
  CHECK_FALSE(beside.ok());
  CHECK(beside.error.find("git branch -D plumb/w") != std::string::npos);
}

TEST_SUITE_END();
