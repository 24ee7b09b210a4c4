#include "core/extract/chunks.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/extract/blocks.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

Error error(ErrorCode code, std::string message) {
  Error out;
  out.code = code;
  out.message = std::move(message);
  return out;
}

// What keeps `source` from being read as text, or an empty message.
Error refuse(std::string_view source) {
  if (source.empty()) {
    return error(ErrorCode::invalid_argument,
                 "The source is empty; give the text that the artifact is to be made from.");
  }
  if (source.size() > source_bytes_max) {
    return error(ErrorCode::limit, "The source has " + json::uint_text(source.size()) + " bytes; at most " +
                                       json::uint_text(source_bytes_max) + " are read. Give it in parts.");
  }
  const std::size_t broken = text::utf8_error(source);
  if (broken != text::utf8_valid) {
    return error(ErrorCode::invalid_argument, "The source is not UTF-8 text: byte " + json::uint_text(broken) +
                                                  " is invalid; convert it to UTF-8 first.");
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto byte = static_cast<unsigned char>(source[i]);
    if (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != 0x0C && byte != 0x0B && byte != 0x1B) {
      return error(ErrorCode::invalid_argument,
                   "The source is not text: byte " + json::uint_text(i) +
                       " is a control character; a PDF or another binary file must be made text first.");
    }
  }
  if (text::Words(source, 1).size() == 0) {
    return error(ErrorCode::invalid_argument, "The source has no words; give a text.");
  }
  return error(ErrorCode::invalid_argument, {});
}

class Cutter {
 public:
  Cutter(std::string_view source, const ChunkBounds& bounds) : source_(source), bounds_(bounds) {}

  // False: there are too many passages.
  bool run() {
    for (const Block& block : blocks(source_)) {
      if (block.kind == BlockKind::heading) {
        heading(block);
      } else if (size(block.where.from, block.where.to) > max_for(block)) {
        cut_up(block);
      } else {
        if (from_ != none && !only_headings_ && size_with(block.where) > bounds_.usual) {
          flush();
        }
        take(block.where);
        only_headings_ = false;
      }
      if (chunks_.size() > chunks_max) {
        return false;
      }
    }
    flush();
    return chunks_.size() <= chunks_max;
  }

  std::vector<Chunk> take_chunks() { return std::move(chunks_); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t max_for(const Block& block) const {
    return block.kind == BlockKind::other ? bounds_.code_max : bounds_.paragraph_max;
  }

  std::size_t size(std::size_t from, std::size_t to) const {
    return bounds_.size ? bounds_.size(source_.substr(from, to - from)) : to - from;
  }
  // Of the open passage with what comes next; each byte is measured once.
  std::size_t size_with(TextSpan next) const {
    return from_ == none ? size(next.from, next.to) : size_ + size(to_, next.to);
  }

  void take(TextSpan where) {
    size_ = size_with(where);
    from_ = from_ == none ? where.from : from_;
    to_ = where.to;
  }

  void flush(bool in_code = false) {
    while (from_ != none && to_ > from_ && ascii::is_blank(source_[to_ - 1])) {
      --to_;
    }
    if (from_ != none && to_ > from_) {
      Chunk chunk;
      chunk.index = chunks_.size();
      for (const Heading& heading : path_) {
        chunk.headings.push_back(heading.title);
      }
      chunk.where = {from_, to_};
      chunk.text = std::string(piece(source_, chunk.where));
      chunk.in_code = in_code;
      chunks_.push_back(std::move(chunk));
    }
    from_ = none;
    only_headings_ = false;
  }

  void heading(const Block& block) {
    if (!only_headings_) {
      flush();
    }
    while (!path_.empty() && path_.back().level >= block.level) {
      path_.pop_back();
    }
    std::string title = plain_text(piece(source_, block.content)).text;
    if (!title.empty() && path_.size() < 8) {
      path_.push_back({block.level, std::move(title)});
    }
    if (from_ != none && size_with(block.where) > bounds_.usual) {
      flush();
    }
    take(block.where);
    only_headings_ = true;
  }

  // A block longer than a passage: at the ends of sentences, of lines in code, else at a space or between characters.
  void cut_up(const Block& block) {
    if (!only_headings_) {
      flush();
    }
    const bool code = block.kind == BlockKind::other;
    // The bytes that come near to what is usual here.
    const std::size_t bytes = block.where.to - block.where.from;
    const std::size_t wanted = code ? bounds_.code_max : bounds_.usual;
    const std::size_t usual =
        bounds_.size ? std::max<std::size_t>(bytes * wanted / size(block.where.from, block.where.to), 40) : wanted;
    std::size_t at = block.where.from;
    bool first = true;
    std::vector<TextSpan> ends;
    if (!code) {
      ends = text::sentences(piece(source_, block.where));
    }
    std::size_t next = 0;
    while (at < block.where.to) {
      std::size_t to = at;
      while (next < ends.size() && block.where.from + ends[next].to <= at + usual) {
        to = std::max(to, block.where.from + ends[next++].to);
      }
      if (to == at) {
        to = block.where.to - at <= usual ? block.where.to : cut_before(at, at + usual, code ? '\n' : ' ');
      }
      while (bounds_.size && !code && to - at > 80 && size(at, to) > bounds_.paragraph_max) {
        to = cut_before(at, at + (to - at) / 2, ' ');
        while (next > 0 && block.where.from + ends[next - 1].to > to) {
          --next;
        }
      }
      if (block.where.to - to < 40) {
        to = block.where.to;
      }
      take({at, to});
      flush(code && !first && block.kind == BlockKind::other);
      first = false;
      at = to;
      while (at < block.where.to && (source_[at] == ' ' || source_[at] == '\n' || source_[at] == '\r')) {
        ++at;
      }
    }
  }

  std::size_t cut_before(std::size_t from, std::size_t to, char at_character) const {
    const std::size_t found = source_.rfind(at_character, to);
    if (found != std::string_view::npos && found > from) {
      return found;
    }
    while (to > from + 1 && text::is_continuation(source_[to])) {
      --to;
    }
    return to;
  }

  struct Heading {
    unsigned level;
    std::string title;
  };

  std::string_view source_;
  const ChunkBounds& bounds_;
  std::vector<Chunk> chunks_;
  std::vector<Heading> path_;
  std::size_t from_ = none;
  std::size_t to_ = 0;
  std::size_t size_ = 0;  // of the open passage
  bool only_headings_ = false;
};

// Passages that are too small go together with the next one, the last with the one before.
std::vector<Chunk> joined(std::vector<Chunk> chunks, std::string_view source, const ChunkBounds& bounds) {
  const auto size = [&bounds](std::string_view text) { return bounds.size ? bounds.size(text) : text.size(); };
  std::vector<Chunk> out;
  std::size_t open = 0;  // the size of the last one
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Chunk& next = chunks[i];
    const std::size_t more = size(next.text);
    const bool small = !out.empty() && (open < bounds.min || (more < bounds.min && i + 1 == chunks.size()));
    if (small && open + more <= bounds.max && !next.in_code) {
      out.back().where.to = next.where.to;
      out.back().text = std::string(piece(source, out.back().where));
      open += more;
      continue;
    }
    next.index = out.size();
    out.push_back(std::move(next));
    open = more;
  }
  return out;
}

}  // namespace

Result<std::vector<Chunk>> chunks(std::string_view source, const ChunkBounds& bounds) {
  if (source.starts_with("\xEF\xBB\xBF")) {
    Result<std::vector<Chunk>> rest = chunks(source.substr(3), bounds);
    if (rest) {
      for (Chunk& chunk : rest.value()) {
        chunk.where = {chunk.where.from + 3, chunk.where.to + 3};
      }
    }
    return rest;
  }
  Error refused = refuse(source);
  if (!refused.message.empty()) {
    return refused;
  }
  Cutter cutter(source, bounds);
  if (!cutter.run()) {
    return error(ErrorCode::limit, "The source has more than " + json::uint_text(chunks_max) +
                                       " passages (headings and paragraphs). Give it in parts.");
  }
  return bounds.min == 0 ? cutter.take_chunks() : joined(cutter.take_chunks(), source, bounds);
}

std::string chunks_json(std::span<const Chunk> chunks) {
  std::string out;
  json::Writer writer(out);
  writer.begin_array();
  for (const Chunk& chunk : chunks) {
    writer.begin_object().member_uint("chunk", chunk.index);
    writer.key("headings").begin_array();
    for (const std::string& heading : chunk.headings) {
      writer.string(heading);
    }
    writer.end_array().member("text", chunk.text);
    writer.member_uint("from", chunk.where.from).member_uint("to", chunk.where.to);
    if (chunk.in_code) {
      writer.member_boolean("in_code", true);
    }
    writer.end_object();
  }
  writer.end_array();
  return out;
}

namespace {

std::size_t number_or(const json::Value* value, std::size_t otherwise) {
  std::uint64_t number = 0;
  return value != nullptr && value->is(json::Kind::number) && json::read_uint(value->str(), number)
             ? static_cast<std::size_t>(number)
             : otherwise;
}

}  // namespace

Result<std::vector<Chunk>> read_chunks(const json::Value& array) {
  if (!array.is(json::Kind::array)) {
    return error(ErrorCode::invalid_argument, "Passages are given as a JSON array.");
  }
  if (array.size > chunks_max) {
    return error(ErrorCode::limit, "There are " + json::uint_text(array.size) + " passages; at most " +
                                       json::uint_text(chunks_max) + " are read.");
  }
  std::vector<Chunk> out;
  std::size_t bytes = 0;
  bool any_word = false;
  for (const json::Value& item : array.array()) {
    const json::Value* const body = item.is(json::Kind::string) ? &item : item.find("text");
    if (body == nullptr || !body->is(json::Kind::string)) {
      return error(ErrorCode::invalid_argument,
                   "Passage " + json::uint_text(out.size()) + " has no 'text', which must be a string.");
    }
    Chunk chunk;
    chunk.text = std::string(body->str());
    chunk.index = number_or(item.find("chunk"), out.size());
    chunk.where = {number_or(item.find("from"), 0), number_or(item.find("to"), chunk.text.size())};
    if (const json::Value* const headings = item.find("headings")) {
      for (const json::Value& heading : headings->array()) {
        chunk.headings.emplace_back(heading.str());
      }
    }
    const json::Value* const in_code = item.find("in_code");
    chunk.in_code = in_code != nullptr && in_code->is(json::Kind::boolean) && in_code->boolean;
    bytes += chunk.text.size();
    if (bytes > source_bytes_max) {
      return error(ErrorCode::limit, "The passages have more than " + json::uint_text(source_bytes_max) + " bytes.");
    }
    any_word = any_word || text::Words(chunk.text, 1).size() > 0;
    out.push_back(std::move(chunk));
  }
  if (!any_word) {
    return error(ErrorCode::invalid_argument, "The passages have no words.");
  }
  return out;
}

}  // namespace plumb::extract
