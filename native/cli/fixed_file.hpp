// A file that is written again with edits: beside the original, then in its place in one step, so that nobody ever sees
// half of it. What is not committed leaves no trace. "-" is standard output, written as it comes.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb::cli {

class FixedFile {
 public:
  static Result<FixedFile> begin(const std::string& path);
  FixedFile(FixedFile&& other) noexcept;
  FixedFile& operator=(FixedFile&& other) noexcept;
  FixedFile(const FixedFile&) = delete;
  FixedFile& operator=(const FixedFile&) = delete;
  ~FixedFile();

  Result<bool> add(std::string_view text);
  // The text takes the original's place, with its mode. A symbolic link stays one.
  Result<bool> commit();

 private:
  FixedFile(int descriptor, std::string path, std::string beside)
      : descriptor_(descriptor), path_(std::move(path)), beside_(std::move(beside)) {}
  void drop();
  int descriptor_ = -1;
  std::string path_;
  std::string beside_;  // empty: standard output
};

}  // namespace plumb::cli
