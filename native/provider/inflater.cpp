#include "native/provider/inflater.hpp"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "core/ascii.hpp"

namespace plumb::provider {

namespace {

constexpr int any_window = 15;
constexpr int gzip_or_zlib = 32;  // added to the window: which of them is seen by the first bytes

class InflaterOf final : public Inflater {
 public:
  explicit InflaterOf(bool deflate) : may_be_raw_(deflate), out_(piece_bytes_max) {
    good_ = ::inflateInit2(&stream_, any_window + gzip_or_zlib) == Z_OK;
  }
  ~InflaterOf() override { ::inflateEnd(&stream_); }

  void push(std::string_view bytes) override {
    waiting_.erase(0, taken_);
    taken_ = 0;
    waiting_ += bytes;
  }

  bool next(std::string_view& piece) override {
    while (good_ && taken_ < waiting_.size()) {
      if (ended_ && !begin_next_member()) {
        return false;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(waiting_.data() + taken_);
      stream_.avail_in = static_cast<uInt>(waiting_.size() - taken_);
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      const bool first = total_ == 0 && taken_ == 0;
      if (result == Z_DATA_ERROR && may_be_raw_ && first && !is_raw_) {
        // Some servers write "deflate" without zlib's frame.
        ::inflateEnd(&stream_);
        stream_ = {};
        is_raw_ = true;
        good_ = ::inflateInit2(&stream_, -any_window) == Z_OK;
        continue;
      }
      taken_ = waiting_.size() - stream_.avail_in;
      ended_ = result == Z_STREAM_END;
      good_ = ended_ || result == Z_OK || result == Z_BUF_ERROR;
      const std::size_t size = out_.size() - stream_.avail_out;
      total_ += size;
      if (size != 0) {
        piece = {reinterpret_cast<const char*>(out_.data()), size};
        return true;
      }
      if (result == Z_BUF_ERROR) {
        return false;
      }
    }
    // What fitted into the last piece exactly may have more behind it, though nothing is left to be read.
    return good_ && !ended_ && total_ != 0 && rest_of_window(piece);
  }

  bool failed() const override { return !good_; }
  bool whole() const override { return ended_; }

 private:
  // A file of gzip may be several, one behind the other.
  bool begin_next_member() {
    ended_ = false;
    good_ = !is_raw_ && ::inflateReset(&stream_) == Z_OK;
    return good_;
  }

  bool rest_of_window(std::string_view& piece) {
    stream_.next_in = nullptr;
    stream_.avail_in = 0;
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
    ended_ = ::inflate(&stream_, Z_NO_FLUSH) == Z_STREAM_END;
    const std::size_t size = out_.size() - stream_.avail_out;
    total_ += size;
    piece = {reinterpret_cast<const char*>(out_.data()), size};
    return size != 0;
  }

  bool may_be_raw_;
  bool is_raw_ = false;
  bool good_ = false;
  bool ended_ = false;
  z_stream stream_ = {};
  std::vector<Bytef> out_;
  std::string waiting_;
  std::size_t taken_ = 0;
  std::size_t total_ = 0;
};

}  // namespace

std::unique_ptr<Inflater> Inflater::for_coding(std::string_view coding) {
  if (ascii::equal_in_any_case(coding, "gzip") || ascii::equal_in_any_case(coding, "x-gzip")) {
    return std::make_unique<InflaterOf>(false);
  }
  if (ascii::equal_in_any_case(coding, "deflate")) {
    return std::make_unique<InflaterOf>(true);
  }
  return nullptr;
}

}  // namespace plumb::provider
