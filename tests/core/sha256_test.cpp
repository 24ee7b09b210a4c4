#include "core/json/sha256.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using plumb::json::Sha256;
using plumb::json::sha256_hex;

TEST_CASE("sha256: the examples of the standard") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: every length around the block's end has its own hash, however the bytes are cut") {
  std::string last;
  for (std::size_t size = 0; size <= 200; ++size) {
    const std::string text(size, 'x');
    const std::string whole = sha256_hex(text);
    CHECK(whole.size() == 64);
    CHECK(whole != last);
    last = whole;
    for (std::size_t cut = 0; cut <= size; cut += 7) {
      Sha256 hash;
      hash.update(std::string_view(text).substr(0, cut));
      hash.update(std::string_view(text).substr(cut, 3));
      hash.update("");
      hash.update(std::string_view(text).substr(std::min(size, cut + 3)));
      CHECK(hash.hex() == whole);
    }
  }
}

// Hashes made with another implementation (coreutils' sha256sum).
TEST_CASE("sha256: padding fills up one block or needs another") {
  CHECK(sha256_hex(std::string(55, 'p')) == "5a7b6ea1348c83fa6285b381ed9102bb6054a33faae557d6aa691c01a330119f");
  CHECK(sha256_hex(std::string(56, 'p')) == "dd6175fc1d862e5fafd58f095ef0f133f2f1f0cc537e3bdb4b546c8a783148d3");
  CHECK(sha256_hex(std::string(63, 'p')) == "ca6d4758c24f13ecca91ea1b58a419a446e8799c98f4779b25d527d24c1ebb65");
  CHECK(sha256_hex(std::string(64, 'p')) == "153ac90a80490199ae3d9587c40d8d9c069ae1c569af629d68a165af5a72d3af");
  CHECK(sha256_hex(std::string(65, 'p')) == "6da5603b5b9c4acef685bd2821360836a88e9e293fcbe28dea5583816e5a3fd3");
  CHECK(sha256_hex(std::string(119, 'p')) == "12c065019000c64644d10563ff4aef77465a103d22fa88825143edb2f69cc9d8");
  CHECK(sha256_hex(std::string(120, 'p')) == "da9d66c683d4f6da5df077d23fe58b4d22a843d666263d254cb676b22fa27625");
  CHECK(sha256_hex(std::string(128, 'p')) == "59c6e1959791649ab87e4d3b85bf11e3ca7cedce42786b8fa1b188bfa0225717");
}

TEST_CASE("sha256: after reset a hash begins anew") {
  Sha256 hash;
  hash.update("something");
  hash.hex();
  hash.reset();
  hash.update("abc");
  CHECK(hash.digest()[0] == 0xba);
}
