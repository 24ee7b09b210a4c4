// The keys of a command, and of an agent that is a developer.
#include "native/command/agent_presets.hpp"
#include "native/command/declared_command.hpp"

namespace plumb::command {

const SettingTable& command_settings() {
  static const DeclaredCommand usual;
  static const SettingTable table = {
      {"commands.NAME", "map", "", "a command that runs may name"},
      {"commands.NAME.run", "text or list of texts", "", "the program and its arguments (required)"},
      {"commands.NAME.shell", "true or false", "false", "whether `run` is a text for `/bin/sh`"},
      {"commands.NAME.env", "list of texts", "", "environment variables that the command gets"},
      {"commands.NAME.home", "list of files", "", "paths in your HOME, or absolute ones, that it may read"},
      {"commands.NAME.writable", "list of folders", "", "more folders that it may write, absolute or below `~/`"},
      {"commands.NAME.path", "list of folders", "", "folders that come first in its PATH"},
      {"commands.NAME.git", "true or false", "false", "whether a developer's tree is a git repository"},
      {"commands.NAME.network", "true or false", "false", "whether it may use the network"},
      {"commands.NAME.repeatable", "true or false", "false", "whether it may run again if its process was lost"},
      {"commands.NAME.time", "duration", text_of_ms(usual.time_ms), "time limit, at most " + text_of_ms(time_ms_max)},
      {"commands.NAME.processes", "number", std::to_string(usual.processes_max), "most processes at once"},
      {"workflow.developers.NAME", "like commands.NAME", "", "a command that develops", "workflow.md"},
      {"workflow.developers.NAME.preset", one_of_type(agent_presets()), "",
       "a coding agent, whose settings the other keys override"},
  };
  return table;
}

}  // namespace plumb::command
