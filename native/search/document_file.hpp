// A file of a corpus, read: what kind it is, and the document that it holds.
//
//   FileRead read = read_document(root + "/apt/README.md.gz", limits);
//   read.document, read.kind, or read.skipped and read.why
//
// The kind follows from the name (without .gz) and, where that says nothing, from the first bytes. What is not UTF-8 is
// read as Latin-1. Nothing else than a regular file is opened, and no link is followed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "native/process/command.hpp"
#include "native/search/document.hpp"

namespace plumb::search {

enum class FileKind : std::uint8_t { plain, markdown, html, man, pdf };
std::string_view file_kind_name(FileKind kind);

// Why a file is not in the index.
enum class Skipped : std::uint8_t { binary, too_large, unreadable, damaged, no_pdftotext };
std::string_view skipped_name(Skipped why);

struct FileLimits {
  std::uint64_t file_bytes_max = std::uint64_t{32} << 20U;  // as it lies on the disk
  std::uint64_t text_bytes_max = std::uint64_t{64} << 20U;  // unpacked
  std::uint64_t pdf_ms = 30'000;                            // of pdftotext
  std::uint64_t pdf_memory_max = std::uint64_t{1} << 30U;   // address space
};

struct FileRead {
  std::optional<Document> document;
  FileKind kind = FileKind::plain;
  std::string hash;                   // of the bytes on the disk: 64 hexadecimal digits
  std::uint64_t bytes = 0;            // on the disk
  Skipped skipped = Skipped::binary;  // without a document, and without `unchanged`
  std::string why;                    // one sentence
  bool unchanged = false;             // the hash is the one that was known: nothing was read from the bytes
};

// What a file's name says, by its last suffix but .gz; nothing where it says nothing.
std::optional<FileKind> kind_of_name(std::string_view name);
// The same where the name says nothing: by the first bytes.
FileKind kind_of(std::string_view name, std::string_view bytes);
// What pdftotext makes of the bytes, a form feed after each page; not_found where there is no pdftotext.
Result<std::string> pdf_text(std::string bytes, const FileLimits& limits);
// `known_hash`: what the bytes had when the file was read last.
FileRead read_document(const std::string& file, const FileLimits& limits, std::string_view known_hash = {});

}  // namespace plumb::search
