#include "native/search/document_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/sha256.hpp"
#include "core/text/utf8.hpp"
#include "native/search/gzip.hpp"

namespace plumb::search {

namespace {

constexpr std::array<std::string_view, 5> kind_names = {"text", "markdown", "html", "man", "pdf"};
constexpr std::array<std::string_view, 5> skipped_names = {"binary", "too large", "unreadable", "damaged",
                                                           "no pdftotext"};
constexpr std::size_t looked_at = 8192;  // bytes, for whether a file is text

// A name that is nothing but its ending has none.
bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && ascii::ends_in_any_case(text, end);
}

// Text has no zero byte and hardly any control characters.
bool is_binary(std::string_view bytes) {
  bytes = bytes.substr(0, looked_at);
  std::size_t controls = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) {
      return true;
    }
    controls += (byte < 0x20 && (byte < 8 || byte > 13) && byte != 0x1B) || byte == 0x7F ? 1U : 0U;
  }
  return controls * 50 > bytes.size();
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    text::append_utf8(out, static_cast<unsigned char>(c));
  }
  return out;
}

FileRead skip(FileRead read, Skipped how, std::string why) {
  read.document.reset();
  read.skipped = how;
  read.why = std::move(why);
  return read;
}

// A pipe or a device is not waited for, and a file that grows meanwhile is read no further than the bound.
FileRead bytes_of(const std::string& file, const FileLimits& limits, std::string& bytes) {
  FileRead read;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return skip(std::move(read), Skipped::unreadable, std::strerror(errno));
  }
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(descriptor);
    return skip(std::move(read), Skipped::unreadable, "is not a regular file");
  }
  read.bytes = static_cast<std::uint64_t>(about.st_size);
  if (read.bytes > limits.file_bytes_max) {
    ::close(descriptor);
    const std::string why = "has " + std::to_string(read.bytes) + " bytes, more than the " +
                            std::to_string(limits.file_bytes_max) + " that are read of a file";
    return skip(std::move(read), Skipped::too_large, why);
  }
  bytes.resize(static_cast<std::size_t>(read.bytes));
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t size = ::read(descriptor, bytes.data() + got, bytes.size() - got);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      const std::string why = std::strerror(errno);
      ::close(descriptor);
      return skip(std::move(read), Skipped::unreadable, why);
    }
    if (size == 0) {
      break;
    }
    got += static_cast<std::size_t>(size);
  }
  ::close(descriptor);
  bytes.resize(got);
  read.bytes = got;
  read.hash = json::sha256_hex(bytes);
  return read;
}

Document document_of(FileKind kind, std::string text) {
  switch (kind) {
    case FileKind::markdown:
      return markdown_document(std::move(text));
    case FileKind::html:
      return html_document(text);
    case FileKind::man:
      return man_document(text);
    case FileKind::pdf:
      return paged_document(std::move(text));
    case FileKind::plain:
      break;
  }
  return plain_document(std::move(text));
}

}  // namespace

FileKind kind_of(std::string_view name, std::string_view bytes) {
  if (bytes.starts_with("%PDF-")) {
    return FileKind::pdf;
  }
  if (const std::optional<FileKind> known = kind_of_name(name)) {
    return *known;
  }
  const std::size_t at = bytes.find_first_not_of(ascii::spaces);
  const std::string_view begin = at == std::string_view::npos ? std::string_view() : bytes.substr(at, 15);
  for (const std::string_view mark : {"<!doctype html", "<html", "<!DOCTYPE html", "<!DOCTYPE HTML", "<HTML"}) {
    if (begin.starts_with(mark)) {
      return FileKind::html;
    }
  }
  if (begin.starts_with(".TH") || begin.starts_with(".Dd") || begin.starts_with(".\\\"") ||
      begin.starts_with("'\\\"")) {
    return FileKind::man;
  }
  return FileKind::plain;
}

// Who wrote the file may have written it against its reader: pdftotext is given the bytes and sees nothing else of
// ours.
Result<std::string> pdf_text(std::string bytes, const FileLimits& limits) {
  process::Command command;
  const char* path = std::getenv("PATH");
  if (path != nullptr) {
    command.environment = {{"PATH", path}};
  }
  command.argv = {"pdftotext", "-q", "-enc", "UTF-8", "-", "-"};
  command.input = std::move(bytes);
  command.limits.time_ms = limits.pdf_ms;
  command.limits.memory_max = limits.pdf_memory_max;
  command.limits.output_max = command.limits.first_bytes = limits.text_bytes_max;
  command.limits.last_bytes = 0;
  Result<process::Outcome> outcome = process::run(command);
  if (!outcome) {
    return outcome.error();
  }
  const process::Outcome& ended = outcome.value();
  if (ended.ok()) {
    return ended.out.text();
  }
  std::string why = "pdftotext could not read it";
  const std::string said = ended.err.text();
  if (ended.end == process::End::timed_out) {
    why = "pdftotext took more than " + std::to_string(limits.pdf_ms / 1000) + " s and was stopped";
  } else if (ended.end == process::End::too_much_output) {
    why = "pdftotext wrote more than " + std::to_string(limits.text_bytes_max) + " bytes and was stopped";
  } else if (!said.empty()) {
    why += ": " + said.substr(0, said.find('\n'));
  }
  return Error{ErrorCode::unavailable, std::move(why), "", 0, 0};
}

std::string_view file_kind_name(FileKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::string_view skipped_name(Skipped why) { return skipped_names[static_cast<std::size_t>(why)]; }

std::optional<FileKind> kind_of_name(std::string_view name) {
  if (ends_with(name, ".gz")) {
    name.remove_suffix(3);
  }
  for (const std::string_view end : {".md", ".markdown"}) {
    if (ends_with(name, end)) {
      return FileKind::markdown;
    }
  }
  for (const std::string_view end : {".html", ".htm", ".xhtml"}) {
    if (ends_with(name, end)) {
      return FileKind::html;
    }
  }
  if (ends_with(name, ".pdf")) {
    return FileKind::pdf;
  }
  for (const std::string_view end : {".txt", ".rst", ".text", ".org", ".adoc"}) {
    if (ends_with(name, end)) {
      return FileKind::plain;
    }
  }
  // "apt.conf.5", "printf.3p": a section of the manual, told from a version by what the file begins with.
  return std::nullopt;
}

FileRead read_document(const std::string& file, const FileLimits& limits, std::string_view known_hash) {
  std::string bytes;
  FileRead read = bytes_of(file, limits, bytes);
  if (!read.why.empty()) {
    return read;
  }
  if (!known_hash.empty() && read.hash == known_hash) {
    read.unchanged = true;
    return read;
  }
  if (is_gzip(bytes)) {
    Result<std::string> unpacked = gunzip(bytes, limits.text_bytes_max);
    if (!unpacked) {
      const bool large = unpacked.error().code == ErrorCode::limit;
      return skip(std::move(read), large ? Skipped::too_large : Skipped::damaged, unpacked.error().message);
    }
    bytes = std::move(unpacked).value();
  }
  read.kind = kind_of(file, bytes);
  if (read.kind == FileKind::pdf) {
    Result<std::string> text = pdf_text(std::move(bytes), limits);
    if (!text) {
      const bool absent = text.error().code == ErrorCode::not_found;
      return skip(
          std::move(read), absent ? Skipped::no_pdftotext : Skipped::damaged,
          absent ? "there is no pdftotext to read it; on Debian: apt install poppler-utils" : text.error().message);
    }
    bytes = std::move(text).value();
  }
  if (is_binary(bytes)) {
    return skip(std::move(read), Skipped::binary, "is not text");
  }
  if (bytes.size() > limits.text_bytes_max) {
    return skip(
        std::move(read), Skipped::too_large,
        "has more than the " + std::to_string(limits.text_bytes_max) + " bytes of text that are read of a file");
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.erase(0, 3);
  }
  if (!text::is_utf8(bytes)) {
    bytes = from_latin1(bytes);
  }
  read.document = document_of(read.kind, std::move(bytes));
  return read;
}

}  // namespace plumb::search
