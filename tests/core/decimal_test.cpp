#include "core/json/decimal.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/equality.hpp"
#include "core/json/number_text.hpp"
#include "tests/law_step.hpp"

using plumb::json::compare;
using plumb::json::Decimal;
using plumb::json::DecimalStatus;

namespace {

__extension__ using Wide = __int128;

Decimal decimal(std::string_view text) {
  Decimal out;
  const DecimalStatus status = Decimal::read(text, Decimal::exponent_max_default, out);
  REQUIRE_MESSAGE(status == DecimalStatus::ok, std::string(text));
  return out;
}

DecimalStatus status_of(std::string_view text, std::uint32_t exponent_max = Decimal::exponent_max_default) {
  Decimal out;
  return Decimal::read(text, exponent_max, out);
}

std::string canonical(std::string_view text) { return decimal(text).canonical(); }

bool multiple(std::string_view a, std::string_view b) { return decimal(a).is_multiple_of(decimal(b)); }

// mantissa * 10^exponent in a few spellings.
std::vector<std::string> spellings(int mantissa, int exponent) {
  const std::string digits = std::to_string(mantissa);
  std::vector<std::string> all = {digits + "e" + std::to_string(exponent), digits + ".00E" + std::to_string(exponent),
                                  digits + "00e" + std::to_string(exponent - 2)};
  const bool negative = mantissa < 0;
  const std::string bare = negative ? digits.substr(1) : digits;
  all.push_back((negative ? "-0.0" : "0.0") + bare + "e" +
                std::to_string(exponent + 1 + static_cast<int>(bare.size())));
  if (exponent == 0) {
    all.push_back(digits);
  } else if (exponent > 0) {
    all.push_back(digits + std::string(mantissa == 0 ? 0 : static_cast<std::size_t>(exponent), '0'));
  } else {
    const auto places = static_cast<std::size_t>(-exponent);
    const std::string padded = std::string(bare.size() <= places ? places + 1 - bare.size() : 0, '0') + bare;
    all.push_back((negative ? "-" : "") + padded.substr(0, padded.size() - places) + "." +
                  padded.substr(padded.size() - places));
  }
  return all;
}

// The same number as a whole number of 10^-6.
Wide millionths(int mantissa, int exponent) {
  Wide value = mantissa;
  for (int i = -6; i < exponent; ++i) {
    value *= 10;
  }
  return value;
}

std::string wide_text(Wide number) {
  const bool negative = number < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(number % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    number /= 10;
  } while (number != 0);
  return negative ? "-" + digits : digits;
}

// A fixed sequence of numbers that looks random.
struct Sequence {
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  std::uint64_t next() {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
  }
};

std::string random_digits(Sequence& sequence, std::size_t count) {
  std::string digits;
  digits.push_back(static_cast<char>('1' + sequence.next() % 9));
  while (digits.size() < count) {
    // Runs of 0 and 9 are what long division gets wrong.
    const std::uint64_t kind = sequence.next() % 4;
    digits.push_back(kind == 0 ? '0' : kind == 1 ? '9' : static_cast<char>('0' + sequence.next() % 10));
  }
  return digits;
}

// Schoolbook product of two digit strings.
std::string product(const std::string& a, const std::string& b) {
  std::vector<int> sums(a.size() + b.size(), 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      sums[i + j + 1] += (a[i] - '0') * (b[j] - '0');
    }
    for (std::size_t k = sums.size() - 1; k > 0; --k) {
      sums[k - 1] += sums[k] / 10;
      sums[k] %= 10;
    }
  }
  std::string digits;
  for (const int sum : sums) {
    digits.push_back(static_cast<char>('0' + sum));
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

}  // namespace

TEST_CASE("decimal: every spelling of a small number is the same number, and compares as exact integers do") {
  struct Entry {
    Decimal value;
    Wide exact = 0;
  };
  std::vector<Entry> entries;
  for (int mantissa = -34; mantissa <= 34; ++mantissa) {
    for (int exponent = -3; exponent <= 3; ++exponent) {
      const Wide exact = millionths(mantissa, exponent);
      const std::vector<std::string> texts = spellings(mantissa, exponent);
      const Decimal first = decimal(texts[0]);
      for (const std::string& text : texts) {
        CAPTURE(text);
        const Decimal other = decimal(text);
        CHECK(other == first);
        CHECK(other.hash(7) == first.hash(7));
        CHECK(other.canonical() == first.canonical());
        CHECK(decimal(other.canonical()) == other);
        CHECK(other.is_integer() == (exact % 1'000'000 == 0));
        CHECK(other.sign() == (exact > 0 ? 1 : exact < 0 ? -1 : 0));
      }
      entries.push_back({first, exact});
    }
  }
  std::size_t wrong = 0;
  for (const Entry& a : entries) {
    for (const Entry& b : entries) {
      const int order = a.exact < b.exact ? -1 : a.exact > b.exact ? 1 : 0;
      const bool divides = a.exact == 0 || (b.exact != 0 && a.exact % b.exact == 0);
      Decimal sum;
      const bool added = a.value.add(b.value, 100, sum) == DecimalStatus::ok;
      const bool right = compare(a.value, b.value) == order && (a.value == b.value) == (order == 0) &&
                         a.value.is_multiple_of(b.value) == divides && added &&
                         sum == decimal(wide_text(a.exact + b.exact) + "e-6");
      wrong += right ? 0 : 1;
      if (!right) {
        CAPTURE(a.value.canonical());
        CAPTURE(b.value.canonical());
        CHECK(right);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("decimal: numbers of 17 to 38 digits compare, add and divide as 128-bit integers do") {
  constexpr std::size_t rounds = 20'000 / plumb::test::law_step;
  Sequence sequence;
  std::size_t divisible = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto small = static_cast<Wide>(sequence.next() >> (sequence.next() % 60));
    const auto wide = static_cast<Wide>(sequence.next() >> (1 + sequence.next() % 40));
    Wide a = small * wide;
    const Wide b = sequence.next() % 2 == 0 ? wide : static_cast<Wide>(sequence.next() >> 2U) * 1'000'003;
    if (sequence.next() % 3 == 0) {
      a += static_cast<Wide>(sequence.next() % 3) - 1;
    }
    CAPTURE(wide_text(a));
    CAPTURE(wide_text(b));
    const Decimal x = decimal(wide_text(a));
    const Decimal y = decimal(wide_text(b));
    const bool divides = a == 0 || (b != 0 && a % b == 0);
    divisible += divides ? 1 : 0;
    REQUIRE(x.is_multiple_of(y) == divides);
    REQUIRE(compare(x, y) == (a < b ? -1 : a > b ? 1 : 0));
    REQUIRE(compare(decimal(wide_text(-a)), decimal(wide_text(-b))) == (a < b ? 1 : a > b ? -1 : 0));
    Decimal sum;
    REQUIRE(x.add(decimal(wide_text(-b)), 100, sum) == DecimalStatus::ok);
    REQUIRE(sum == decimal(wide_text(a - b)));
  }
  CHECK(divisible > rounds * 3 / 20);  // the sequence has both kinds
  CHECK(divisible < rounds * 17 / 20);
}

TEST_CASE("decimal: products of long numbers are multiples of both, and their neighbours are not") {
  Sequence sequence;
  for (int round = 0; round < 600; ++round) {
    const std::string a = random_digits(sequence, 1 + sequence.next() % 60);
    std::string b = random_digits(sequence, 20 + sequence.next() % 60);
    if (b.back() == '0') {
      b.back() = '2';
    }
    CAPTURE(a);
    CAPTURE(b);
    const std::string c = product(a, b);
    const Decimal whole = decimal(c);
    REQUIRE(whole.is_multiple_of(decimal(b)));
    REQUIRE(whole.is_multiple_of(decimal(a)));
    for (const char* const by : {"1", "-1"}) {
      Decimal beside;
      REQUIRE(whole.add(decimal(by), 1000, beside) == DecimalStatus::ok);
      REQUIRE(!beside.is_multiple_of(decimal(b)));
    }
    REQUIRE(decimal(c + "e-7").is_multiple_of(decimal(b + "e-7")));
    REQUIRE(decimal(c + "e5").is_multiple_of(decimal("-" + b + "e-300")));
    REQUIRE(!decimal(c + "1e-8").is_multiple_of(decimal(b + "e-7")));
  }
}

TEST_CASE("decimal: a power of ten cancels the factors 2 and 5 of a long divisor, and no others") {
  std::string power_of_two = "1";
  std::string power_of_five = "1";
  for (int i = 0; i < 120; ++i) {
    power_of_two = product(power_of_two, "2");
    power_of_five = product(power_of_five, "5");
  }
  for (const std::string& divisor : {power_of_two, power_of_five}) {
    CAPTURE(divisor);
    CHECK(decimal("1e120").is_multiple_of(decimal(divisor)));
    CHECK(!decimal("1e119").is_multiple_of(decimal(divisor)));
    CHECK(decimal("1e10000").is_multiple_of(decimal(divisor)));
    CHECK(!decimal("1e10000").is_multiple_of(decimal(product(divisor, "3"))));
    CHECK(decimal("3e10000").is_multiple_of(decimal(product(divisor, "3"))));
  }
}

TEST_CASE("decimal: multiples are exact at any magnitude") {
  CHECK(multiple("1e308", "1e-8"));
  CHECK(multiple("1e10000", "1e-10000"));
  CHECK(!multiple("1e-10000", "1e10000"));
  CHECK(multiple("0.3", "0.1"));
  CHECK(multiple("19.99", "0.01"));
  CHECK(!multiple("19.995", "0.01"));
  CHECK(multiple("4.02", "0.67"));
  CHECK(!multiple("1e400", "3"));
  CHECK(multiple("3e400", "3"));
  CHECK(multiple("0", "7"));
  CHECK(multiple("-0.0", "7"));
  CHECK(multiple("-9", "-3"));
  CHECK(!multiple("5", "0"));
  CHECK(multiple("0", "0"));
  CHECK(multiple("9999999999999999999", "9999999999999999999"));
  CHECK(multiple("9999999999999999999" + std::string(30, '0') + "9999999999999999999", "9999999999999999999"));
  CHECK(!multiple("9999999999999999999" + std::string(30, '0') + "9999999999999999998", "9999999999999999999"));
  CHECK(multiple("12345678901234567890123456789", "1"));
  CHECK(!multiple("12345678901234567890123456789.5", "1"));
}

TEST_CASE("decimal: the canonical form is exact and reads as people write numbers") {
  CHECK(canonical("3") == "3");
  CHECK(canonical("3.0") == "3");
  CHECK(canonical("-0") == "0");
  CHECK(canonical("-0.000e55") == "0");
  CHECK(canonical("2.50") == "2.5");
  CHECK(canonical("40e-1") == "4");
  CHECK(canonical("-12.5e1") == "-125");
  CHECK(canonical("0.000001") == "0.000001");
  CHECK(canonical("0.0000001") == "1e-7");
  CHECK(canonical("0.00000012") == "1.2e-7");
  CHECK(canonical("1e20") == "100000000000000000000");
  CHECK(canonical("1e21") == "1e21");
  CHECK(canonical("123e20") == "1.23e22");
  CHECK(canonical("1e400") == "1e400");
  CHECK(canonical("-1e-400") == "-1e-400");
  CHECK(canonical("1234567890123456789012345") == "1234567890123456789012345");
  CHECK(canonical("1234567890123456789012345.25") == "1234567890123456789012345.25");
  CHECK(canonical("0.1000000000000000055511151231257827") == "0.1000000000000000055511151231257827");
}

TEST_CASE("decimal: comparing looks at every digit") {
  CHECK(compare(decimal("9007199254740993"), decimal("9007199254740992")) == 1);
  CHECK(compare(decimal("12345678901234567890"), decimal("12345678901234567891")) == -1);
  CHECK(compare(decimal("1e400"), decimal("1e399")) == 1);
  CHECK(compare(decimal("-1e400"), decimal("1e-400")) == -1);
  CHECK(compare(decimal("9999999999999999999"), decimal("1e19")) == -1);
  CHECK(compare(decimal("99999999999999999999"), decimal("1e20")) == -1);
  CHECK(compare(decimal("100000000000000000000000001"), decimal("1e26")) == 1);
  CHECK(compare(decimal("-100000000000000000000000001"), decimal("-1e26")) == -1);
  CHECK(compare(decimal("0." + std::string(9000, '3')), decimal("0." + std::string(9001, '3'))) == -1);
  CHECK(compare(decimal("1.10"), decimal("1.1")) == 0);
}

TEST_CASE("decimal: exponents are bounded by the power of the first digit, in any spelling") {
  CHECK(status_of("1e10000") == DecimalStatus::ok);
  CHECK(status_of("1e10001") == DecimalStatus::exponent_limit);
  CHECK(status_of("10e9999") == DecimalStatus::ok);
  CHECK(status_of("10e10000") == DecimalStatus::exponent_limit);
  CHECK(status_of("0.001e10003") == DecimalStatus::ok);
  CHECK(status_of("0.001e10004") == DecimalStatus::exponent_limit);
  CHECK(status_of("1e-10000") == DecimalStatus::ok);
  CHECK(status_of("-1e-10001") == DecimalStatus::exponent_limit);
  CHECK(status_of("1" + std::string(10000, '0')) == DecimalStatus::ok);
  CHECK(status_of("1" + std::string(10001, '0')) == DecimalStatus::exponent_limit);
  CHECK(status_of("0e99999999999999999999999999") == DecimalStatus::ok);
  CHECK(status_of("1e99999999999999999999999999") == DecimalStatus::exponent_limit);
  CHECK(status_of("1e-99999999999999999999999999") == DecimalStatus::exponent_limit);
  CHECK(status_of("1e+00000000000000000000000000000000005") == DecimalStatus::ok);
  CHECK(status_of("1e5", 5) == DecimalStatus::ok);
  CHECK(status_of("1e6", 5) == DecimalStatus::exponent_limit);
  CHECK(status_of("1e1000001", std::numeric_limits<std::uint32_t>::max()) == DecimalStatus::exponent_limit);
}

TEST_CASE("decimal: significant digits are bounded, zeros at the ends do not count") {
  CHECK(status_of("0." + std::string(100'000, '7')) == DecimalStatus::ok);
  CHECK(status_of("0." + std::string(100'001, '7')) == DecimalStatus::digits_limit);
  CHECK(status_of("0." + std::string(100'000, '7') + std::string(50'000, '0')) == DecimalStatus::ok);
  CHECK(status_of("0." + std::string(9'000, '0') + std::string(100'000, '7')) == DecimalStatus::ok);
  const Decimal refused = [] {
    Decimal out = Decimal::from_int64(5);
    CHECK(Decimal::read("1e99999", 10, out) == DecimalStatus::exponent_limit);
    return out;
  }();
  CHECK(refused.is_zero());
}

TEST_CASE("decimal: 64-bit integers go in and out") {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1000}, std::int64_t{-120},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    CHECK(Decimal::from_int64(number) == decimal(std::to_string(number)));
  }
  const std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{10'000'000'000'000'000'000U},
                                     std::uint64_t{9'999'999'999'999'999'999U}, max - 5, max}) {
    CHECK(Decimal::from_uint64(number) == decimal(std::to_string(number)));
    std::uint64_t back = 1;
    CHECK(decimal(std::to_string(number)).to_uint64(back));
    CHECK(back == number);
  }
  std::uint64_t untouched = 42;
  for (const char* const text :
       {"-1", "0.5", "18446744073709551616", "18446744073709551620", "1e20", "2e19", "1e400"}) {
    CAPTURE(text);
    CHECK(!decimal(text).to_uint64(untouched));
  }
  CHECK(untouched == 42);
  CHECK(decimal("3.0e2").to_uint64(untouched));
  CHECK(untouched == 300);
}

TEST_CASE("decimal: sums are exact and keep the limits") {
  Decimal sum;
  for (int i = 0; i < 10; ++i) {
    CHECK(sum.add(decimal("0.1"), 100, sum) == DecimalStatus::ok);
  }
  CHECK(sum.canonical() == "1");
  CHECK(decimal("1e400").add(decimal("-1e400"), 1000, sum) == DecimalStatus::ok);
  CHECK(sum.is_zero());
  CHECK(sum.sign() == 0);
  CHECK(decimal("9e100").add(decimal("1e100"), 100, sum) == DecimalStatus::exponent_limit);
  const std::string nines(25, '9');
  CHECK(decimal(nines).add(decimal("-" + nines), 100, sum) == DecimalStatus::ok);
  CHECK(sum == Decimal());
  CHECK(decimal(nines).add(decimal("1"), 24, sum) == DecimalStatus::exponent_limit);
  CHECK(sum.is_zero());
  CHECK(decimal(nines).add(decimal("1"), 25, sum) == DecimalStatus::ok);
  CHECK(sum.canonical() == "1e25");
  CHECK(decimal("1e40").add(decimal("1"), 100, sum) == DecimalStatus::ok);
  CHECK(sum.canonical() == "1" + std::string(39, '0') + "1");
  CHECK(sum.add(sum, 100, sum) == DecimalStatus::ok);
  CHECK(sum.canonical() == "2" + std::string(39, '0') + "2");
  CHECK(decimal("9999999999999999999").add(decimal("9999999999999999999"), 100, sum) == DecimalStatus::ok);
  CHECK(sum.canonical() == "19999999999999999998");
  Decimal large;
  Decimal tiny;
  REQUIRE(Decimal::read("1e60000", 60'000, large) == DecimalStatus::ok);
  REQUIRE(Decimal::read("1e-60000", 60'000, tiny) == DecimalStatus::ok);
  CHECK(large.add(tiny, 60'000, sum) == DecimalStatus::digits_limit);
}

TEST_CASE("decimal: text that is no number never does harm") {
  for (const char* const text : {"", "-", ".", "e", "1e", "1e+", "--1", "1.2.3", "abc", "-.e-"}) {
    Decimal out;
    static_cast<void>(Decimal::read(text, 10'000, out));
    CHECK(compare(out, out) == 0);
    CHECK(!out.canonical().empty());
  }
}

TEST_CASE("numbers_equal: numbers beyond all limits are equal when their texts are") {
  using plumb::json::hash_number;
  using plumb::json::numbers_equal;
  CHECK(numbers_equal("1", "1.0"));
  CHECK(numbers_equal("1", "10e-1"));
  CHECK(!numbers_equal("1", "1.0000000000000000000000000001"));
  CHECK(numbers_equal("1e99999999", "1e99999999"));
  CHECK(!numbers_equal("1e99999999", "1e99999998"));
  CHECK(!numbers_equal("1e99999999", "1"));
  CHECK(hash_number("1", 3) == hash_number("1.00", 3));
  CHECK(hash_number("1e99999999", 3) == hash_number("1e99999999", 3));
  CHECK(hash_number("1", 3) != hash_number("1", 4));
}

TEST_CASE("number text: whole numbers are written and read exactly") {
  using namespace plumb::json;
  std::string out;
  append_uint(out, 0);
  out += ' ';
  append_uint(out, std::numeric_limits<std::uint64_t>::max());
  out += ' ';
  append_int(out, std::numeric_limits<std::int64_t>::min());
  out += ' ';
  append_int(out, 10);
  CHECK(out == "0 18446744073709551615 -9223372036854775808 10");
  std::uint64_t number = 9;
  CHECK(read_uint("0", number));
  CHECK(number == 0);
  CHECK(read_uint("18446744073709551615", number));
  CHECK(number == std::numeric_limits<std::uint64_t>::max());
  for (const char* const text : {"", "00", "01", "-1", "+1", "1 ", " 1", "1.0", "1e0", "a", "18446744073709551616",
                                 "99999999999999999999", "100000000000000000000"}) {
    CAPTURE(text);
    CHECK(!read_uint(text, number));
  }
  CHECK(number == std::numeric_limits<std::uint64_t>::max());
}
