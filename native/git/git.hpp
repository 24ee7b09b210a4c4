// Git, run by its plumbing: in private bare repositories with our own configuration, and in a user's repository only
// for what must be done there.
//
// Nothing that a repository brings is run: no hook, filter, merge or diff driver, textconv, fsmonitor, ssh command or
// promisor remote; no lazy fetch, no replace refs; no alternates are set. Who the user is to git decides on dubious
// ownership: a repository that git would refuse to them is refused here, with git's words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace plumb::git {

// Whose commits are.
inline constexpr std::string_view identity_name = "Plumbline";
inline constexpr std::string_view identity_mail = "plumbline@localhost";

struct Done {
  int code = -1;
  std::string out;
  std::string err;  // its first line, without "fatal: "
  bool ok() const { return code == 0; }
};

struct Call {
  std::vector<std::string> words;  // after `git` and what every call has
  std::string git_dir;
  std::string work_tree = {};
  std::string index = {};
  std::string input = {};
  int input_file = -1;
  std::string also = {};                   // a folder of objects that are read too
  std::uint64_t date_ms = 0;               // of a commit
  std::vector<std::string> writable = {};  // beside git_dir, work_tree and the folder of the index
  bool users = false;                      // git_dir is the user's: what its configuration could run is off
  std::string objects = {};                // new objects go there, not into git_dir
  std::string alternates = {};             // further folders of objects, as GIT_ALTERNATE_OBJECT_DIRECTORIES lists them
  // The variables of a person's own git: with them their configuration holds too. Empty: it does not.
  std::vector<std::pair<std::string, std::string>> person = {};
};
// The error: git is not there, or did not end. How it ended is in `code`.
Result<Done> run_git(const Call& call);

// A user's repository, as git finds it from a folder with the user's own configuration.
struct Users {
  std::string git_dir;     // of this work tree: HEAD
  std::string common_dir;  // objects and refs
  std::string format;      // "sha1", "sha256"
};
Result<Users> find_repository(const std::string& folder);

// A private bare repository at `git_dir`, made when it is not there.
Result<bool> make_private(const std::string& git_dir, const std::string& format);

// Whether a repository can have a ref of that name, without git being asked: false where it lies neither in a file nor
// among the packed ones. True is no promise.
bool may_have_ref(const std::string& git_dir, const std::string& ref);
// What a ref that lies in a file of its own names; empty: it does not lie so, or names no hash.
std::string plain_ref(const std::string& git_dir, const std::string& ref);
// A ref of a private repository is set, or removed where `to` is empty, in its file. False: git is to do it.
bool put_ref(const std::string& git_dir, const std::string& ref, const std::string& to);
// The commit that a name stands for, in full; empty: there is none.
Result<std::string> commit_of(const std::string& git_dir, const std::string& name, bool users);
bool is_hash(const std::string& text);

Error git_failed(const std::string& what, const Done& done);
// How a folder with no repository in it, or one that git refuses to work in, is reported.
Error no_repository(const std::string& folder, const Done& done);
// Any git command, as a checkout of a person's needs it: their configuration, their environment.
Result<Done> run_persons_git(const std::string& folder, std::vector<std::string> words,
                             std::vector<std::pair<std::string, std::string>> environment);

}  // namespace plumb::git
