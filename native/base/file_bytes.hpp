// Bytes of files, read with read(2) in pieces: regular files, pipes and standard input alike, and never more in memory
// than the piece. Errors are sentences with what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace plumb {

// "no such file", "permission denied; ..." for errno after an operation on a path.
std::string reason_of(int error_number);

class FileReader {
 public:
  // "-" is standard input. A directory is refused.
  static Result<FileReader> open(const std::string& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  // The next bytes, as soon as there are any; at most `size`. 0 at the end.
  Result<std::size_t> read(char* into, std::size_t size);

 private:
  FileReader(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::string path_;
};

// The whole file; refused when it has more than `bytes_max`.
Result<std::string> read_file(const std::string& path, std::uint64_t bytes_max);

// The text becomes the file, new or in the place of what was there, in one step: nobody ever sees half of it. With a
// mode (0600 for what nobody else may read) the file has it, and the text is on the disk when this returns. Written by
// root, the file keeps its owner, and a new one with a mode belongs to the owner of its folder.
Result<bool> write_file(const std::string& path, std::string_view text, std::optional<unsigned> mode = std::nullopt);

// Gives a file that root has just made at this path to the owner of its folder, so that a service can read what root
// has made for it. Does nothing for other users, who may not give files away.
void give_to_folder_owner(int descriptor, const std::string& path);

// Whether write_file() will be able to, before what is to be written has cost anything. Empty: standard output. What is
// there stays as it is.
Result<bool> can_be_written(const std::string& path);

}  // namespace plumb
