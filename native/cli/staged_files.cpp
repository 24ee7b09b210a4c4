#include "native/cli/staged_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "native/base/file_bytes.hpp"
#include "native/config/config_file.hpp"
#include "native/git/checkout.hpp"

namespace plumb::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t config_bytes_max = std::uint64_t{1} << 20U;

Error wrong(std::string why, const std::string& where) {
  return Error{ErrorCode::unavailable, std::move(why), where, 0, 0};
}

// "sub/" of "/repository/sub" below "/repository"; empty at the top.
std::string below(const std::string& folder, const std::string& top) {
  return folder.size() > top.size() && folder.starts_with(top + "/") ? folder.substr(top.size() + 1) + "/" : "";
}

}  // namespace

struct StagedFiles::Laid {
  git::View view;
};

StagedFiles::StagedFiles() = default;
StagedFiles::StagedFiles(StagedFiles&&) noexcept = default;
StagedFiles& StagedFiles::operator=(StagedFiles&&) noexcept = default;
StagedFiles::~StagedFiles() {
  if (laid_) {
    // Nobody may stay in a folder that goes.
    [[maybe_unused]] const int back = ::chdir(started_in_.c_str());
  }
}

Result<StagedFiles> StagedFiles::lay_out() {
  StagedFiles out;
  out.started_in_ = absolute_path(".");
  const Result<git::Checkout> checkout = git::find_checkout(out.started_in_, false);
  if (!checkout) {
    return checkout.error();
  }
  Result<git::View> view = git::View::of_index(checkout.value());
  const Result<std::string> base = view ? checkout.value().head_tree() : Result<std::string>(view.error());
  const Result<std::vector<std::string>> changed =
      base ? view.value().present_paths(base.value()) : Result<std::vector<std::string>>(base.error());
  if (!changed) {
    return changed.error();
  }
  // A plumb.yaml above the repository stays above it, so its globs mean the same files.
  const std::string& top = checkout.value().top;
  const std::string config = find_config_file();
  const std::string config_folder = config.empty() ? top : fs::path(absolute_path(config)).parent_path().string();
  const std::string above =
      (config_folder.size() < top.size() && top.starts_with(config_folder + "/")) ? config_folder : top;
  const std::string laid = view.value().scratch() + "/files";
  const std::string laid_top = laid + "/" + below(top, above);
  const std::string inside = below(out.started_in_, top);
  std::error_code failed;
  fs::create_directories(laid_top, failed);
  if (const Result<bool> done = view.value().lay_out(laid_top); !done) {
    return done.error();
  }
  if (!config.empty()) {
    const std::string name = absolute_path(config).substr(config_folder.size());
    const std::string kept = laid + "/" + below(config_folder, above) + name;
    if (config_folder.starts_with(above) && ::access(kept.c_str(), F_OK) != 0) {
      const Result<std::string> text = read_file(config, config_bytes_max);
      fs::create_directories(fs::path(kept).parent_path(), failed);
      if (const Result<bool> copied = text ? write_file(kept, text.value()) : Result<bool>(text.error()); !copied) {
        return copied.error();
      }
    }
  }
  fs::create_directories(laid_top + inside, failed);
  if (::chdir((laid_top + inside).c_str()) != 0) {
    return wrong("the staged files cannot be worked on: " + reason_of(errno), laid_top + inside);
  }
  const auto depth = std::count(inside.begin(), inside.end(), '/');
  for (const std::string& path : changed.value()) {
    std::string shown = path;
    if (path.starts_with(inside)) {
      shown = path.substr(inside.size());
    } else {
      for (auto level = depth; level > 0; --level) {
        shown.insert(0, "../");
      }
    }
    if (fs::is_regular_file(shown, failed)) {
      out.changed_.push_back(std::move(shown));
    }
  }
  out.laid_ = std::make_unique<Laid>(Laid{std::move(view).value()});
  return out;
}

std::string StagedFiles::input(const std::string& path) const {
  const std::string there = output(path);
  return !path.empty() && ::access(path.c_str(), F_OK) != 0 && ::access(there.c_str(), F_OK) == 0 ? there : path;
}

std::string StagedFiles::output(const std::string& path) const {
  return path.empty() || path.front() == '/' || path == "-" ? path : started_in_ + "/" + path;
}

}  // namespace plumb::cli
