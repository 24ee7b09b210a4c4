// Commits between the private repository and the user's.
#include "native/git/operations.hpp"

namespace plumb::git {

Result<bool> bring(Operation& what, const std::string& commit) {
  const std::string ref = "refs/bases/" + commit;
  const Result<std::string> known = commit_of(what.git_dir, ref, false);
  if (!known) {
    return known.error();
  }
  if (known.value() == commit) {
    return true;
  }
  Call call;
  call.git_dir = what.git_dir;
  call.writable = {what.users.common_dir};  // a shallow one's lock
  // As a pack, which is there whole or not at all: of loose objects the commit comes before its files, and one that is
  // killed between them leaves a commit that seems to be there (Operation::commit).
  call.words = {"-c",
                "fetch.unpackLimit=1",
                "-c",
                "safe.directory=*",
                "-c",
                "protocol.version=2",
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-auto-gc",
                "--update-shallow",
                "--no-recurse-submodules",
                "--upload-pack",
                "git -c safe.directory=* -c core.hooksPath=/dev/null -c core.fsmonitor=false upload-pack",
                what.users.common_dir,
                commit + ":" + ref};
  const Result<Done> done = run_git(call);
  if (!done) {
    return done.error();
  }
  if (!done.value().ok()) {
    return git_failed("fetch", done.value());
  }
  what.remembered.bases.clear();  // they are asked for again
  return true;
}

Result<bool> give(Operation& what, const std::string& commit, const std::string& has) {
  // What the user's repository had when it was fetched from need not be sent.
  std::unordered_set<std::string>& bases = what.remembered.bases;
  if (bases.empty()) {
    Call known;
    known.git_dir = what.git_dir;
    known.words = {"for-each-ref", "--format=%(objectname)", "refs/bases/"};
    const Result<Done> told = run_git(known);
    if (!told) {
      return told.error();
    }
    const std::string& text = told.value().out;
    for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
      bases.insert(text.substr(from, end - from));
    }
  }
  if (bases.count(commit) != 0 || commit == has) {
    return true;
  }
  // A pack, written where it is to lie, of objects that are read in the private repository.
  Call pack;
  pack.git_dir = what.users.common_dir;
  pack.users = true;
  pack.also = what.git_dir + "/objects";
  pack.words = {"pack-objects",
                "--quiet",
                "--revs",
                "--non-empty",
                "--delta-base-offset",
                what.users.common_dir + "/objects/pack/pack"};
  pack.input = commit + "\n";
  for (const std::string& base : bases) {
    pack.input += "^" + base + "\n";
  }
  if (!has.empty()) {
    pack.input += "^" + has + "\n";
  }
  const Result<Done> packed = run_git(pack);
  if (!packed) {
    return packed.error();
  }
  return packed.value().ok() ? Result<bool>(true) : Result<bool>(git_failed("pack-objects", packed.value()));
}

}  // namespace plumb::git
