// In place of native/cli/work_setup.cpp in the edge build: runs there work on no repository and run no commands.
#include "native/cli/command_table.hpp"
#include "native/cli/staged_files.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/work_setup.hpp"

namespace plumb::cli {

void ReadyWork::tell(pipelines::Texts&) const {}

Result<ReadyWork> ready_work(const Arguments& arguments) {
  if (arguments.has("--repository")) {
    return Error{ErrorCode::invalid_argument, left_out_text("--repository"), "", 0, 0};
  }
  const std::string path = config_path(arguments);
  if (!path.empty()) {
    const Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    if (!config.value().commands.empty() || !config.value().repositories.empty()) {
      note(path + ": `commands` and `repositories` are for the whole plumb; this is the small one for edges");
    }
  }
  return ReadyWork{};
}

void add_work(host::Routes&, ReadyWork&) {}

void sweep(const ReadyWork&, store::Store&) {}

struct StagedFiles::Laid {};
StagedFiles::StagedFiles() = default;
StagedFiles::StagedFiles(StagedFiles&&) noexcept = default;
StagedFiles& StagedFiles::operator=(StagedFiles&&) noexcept = default;
StagedFiles::~StagedFiles() = default;
Result<StagedFiles> StagedFiles::lay_out() {
  return Error{ErrorCode::invalid_argument, left_out_text("--staged"), "", 0, 0};
}
std::string StagedFiles::input(const std::string& path) const { return path; }
std::string StagedFiles::output(const std::string& path) const { return path; }

}  // namespace plumb::cli
