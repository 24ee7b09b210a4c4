// What a child needs between its making and its program, worked out beforehand: from there on only what is safe after a
// fork of a process with threads may be called, so no memory is asked for and every text is here already.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/result.hpp"
#include "native/process/command.hpp"

namespace plumb::process {

// A file or folder that is shown in the child's view of the files.
struct Shown {
  std::string path;  // without links
  bool writable = false;
};

// Made in the memory that hides a folder, so that something can be shown there.
struct MadePlace {
  std::string path;
  bool folder = true;
};

struct ChildPlan {
  std::string program;
  std::string folder;
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<Shown> shown;  // what holds another before it
  std::vector<std::string> hidden;
  std::vector<MadePlace> made;
  bool network = false;
  bool no_reaper = false;
  bool as_root = false;  // the host is root: its files are shown as `user`'s
  uid_t user = 0;        // who the program is, as the host counts
  std::string user_map, group_map;
  Limits limits;
  // The child's ends; the highest, and so all beyond it are closed.
  int in = -1, out = -1, err = -1, told = -1, life = -1;
};

// The errors are those of run() that need no process.
Result<ChildPlan> plan_of(const Command& command);

// What a child tells, in this form, through `told`.
enum class Step : int {
  begins,  // `value`: what is in force, as bits of Force
  ended,   // `value`: the status of wait
  no_program,
  no_folder,
  process,
  user,
  mounts,
  proc,
  devices,
  shown,
  id_map,
  network,
  limits,
  privileges,
  landlock,
};
enum Force : int { force_landlock = 1, force_landlock_tcp = 2, force_landlock_scope = 4, force_left_alive = 8 };
struct ChildReport {
  int step = 0;
  int error = 0;
  int value = 0;
};

// The first process of a namespace of its own: makes the view, starts the program, reaps. Does not return.
[[noreturn]] void be_isolated(const ChildPlan& plan);
// A sub-reaper that starts the program and ends what it left. Does not return.
[[noreturn]] void be_reaper(const ChildPlan& plan);
// The program itself, in a child of vfork().
[[noreturn]] void be_program(const ChildPlan& plan);

}  // namespace plumb::process
