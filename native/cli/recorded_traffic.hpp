// Files of recorded calls (`plumb check --from`): records, a line each or all in one JSON document, become the texts
// that models answered, each with the line and the name of its record.
//
//   RecordedFile file = RecordedFile::open(path).value();
//   for (piece = file.next(); piece is not the end; piece = file.next()) {      // on one thread
//     RecordedTexts texts = recorded_texts(reading, piece, contract_name);      // on any
//   }
//
// core/wire/recorded.hpp reads a record; this is about files, and about what of an answer is wanted: its text, or the
// arguments of calls of one tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/render.hpp"
#include "core/result.hpp"
#include "core/wire/recorded.hpp"
#include "native/cli/line_batches.hpp"

namespace plumb::cli {

struct RecordedReading {
  wire::RecordedBy by = wire::RecordedBy::openai;
  std::string tool;  // the arguments of its calls are wanted; empty: texts
};

struct RecordedPiece {
  enum class Kind : std::uint8_t {
    lines,     // whole lines, each a record
    document,  // the whole file: JSON over several lines, or a journal
    too_long,  // a record of more bytes than are held: `bytes` is empty
    end,
  };
  Kind kind = Kind::end;
  std::string bytes;
  std::uint64_t first_line = 1;
  std::uint64_t consumed = 0;  // bytes of the file
};

class RecordedFile {
 public:
  static constexpr std::size_t record_bytes_max = std::size_t{64} << 20;
  static constexpr std::size_t document_bytes_max = std::size_t{256} << 20;

  static Result<RecordedFile> open(const std::string& path, wire::RecordedBy by);
  // The error is one of reading, or a document that is too large.
  Result<RecordedPiece> next();

 private:
  RecordedFile(LineBatches lines, wire::RecordedBy by) : lines_(std::move(lines)), by_(by) {}
  Result<RecordedPiece> document(LineBatches::Batch batch);
  Result<RecordedPiece> long_line(LineBatches::Batch batch);

  LineBatches lines_;
  wire::RecordedBy by_;
  bool begun_ = false;  // something that is not blank has come
};

struct RecordedText {
  std::uint64_t line = 1;
  contract::RecordName record;
  std::string text;
  std::string unanswered;  // why there is none
};

struct RecordedTexts {
  std::vector<RecordedText> texts;
  std::uint64_t calls_left = 0;   // answers that call tools, none of them the one that is wanted
  std::uint64_t texts_left = 0;   // answers without a call, where calls are wanted
  std::uint64_t others_left = 0;  // records of something else than a call of a model, or under another contract
  std::string problem;            // of the whole file
};

// Of a journal the replies are taken that were asked for under a contract of this name.
RecordedTexts recorded_texts(const RecordedReading& reading, const RecordedPiece& piece,
                             std::string_view contract_name);

}  // namespace plumb::cli
