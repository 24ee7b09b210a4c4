#include "native/search/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace plumb::search {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18U;

Error damaged(const char* how) {
  return Error{ErrorCode::invalid_argument, std::string("is not a whole gzip file: ") + how, "", 0, 0};
}

class Inflation {
 public:
  Inflation() { begun_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
  ~Inflation() {
    if (begun_) {
      inflateEnd(&stream_);
    }
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  bool begun() const { return begun_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool begun_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

Result<std::string> gunzip(std::string_view bytes, std::uint64_t bytes_max) {
  Inflation inflation;
  if (!inflation.begun()) {
    return Error{ErrorCode::unavailable, "there is no memory to unpack it", "", 0, 0};
  }
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    return Error{ErrorCode::limit, "is too large to unpack", "", 0, 0};
  }
  z_stream& stream = inflation.stream();
  // zlib takes what it reads from as not const.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  for (;;) {
    const std::size_t before = out.size();
    out.resize(before + piece_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);  // NOLINT
    stream.avail_out = static_cast<uInt>(piece_bytes);
    const int how = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + piece_bytes - stream.avail_out);
    if (out.size() > bytes_max) {
      return Error{ErrorCode::limit, "has more than " + std::to_string(bytes_max) + " bytes when unpacked", "", 0, 0};
    }
    if (how == Z_STREAM_END) {
      if (stream.avail_in == 0 || !is_gzip({bytes.data() + (bytes.size() - stream.avail_in), stream.avail_in})) {
        return out;
      }
      inflateReset(&stream);
    } else if (how == Z_BUF_ERROR || (how == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)) {
      return damaged("it is cut off");
    } else if (how != Z_OK) {
      return damaged(stream.msg == nullptr ? "its bytes are damaged" : stream.msg);
    }
  }
}

}  // namespace plumb::search
