// Exact decimal numbers, read from the text of a JSON number. Nothing is rounded: 1e400, 0.1 and integers of 40 digits
// are what they say. Equal numbers are equal whatever their spelling: 1 = 1.0 = 10e-1, and -0 = 0.
//
//   Decimal price, step;
//   Decimal::read("19.99", exponent_max, price);          // DecimalStatus::ok
//   Decimal::read("0.01", exponent_max, step);
//   compare(price, step) > 0;  price.is_multiple_of(step);  price.canonical() == "19.99"
//
// Limits, so that no text costs more than it is long:
//  - the power of ten of the first significant digit is at most `exponent_max` in magnitude, however the number is
//    written (1e10000 and 10e9999 have the same power); zero has no such power and is always fine;
//  - at most 100,000 significant digits.
// Up to 19 significant digits nothing is allocated and every operation takes constant time. Beyond that, comparing and
// hashing are linear in the digits. is_multiple_of is linear for a divisor of up to 19 digits; for a longer one it is a
// long division whose quotient has at most 2 * exponent_max + 1 digits, in limbs of nine digits: with exponents of up
// to 10,000 at most 2.5e7 steps (a tenth of a second), reached only when dividend and divisor have some 100,000 digits
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::json {

enum class DecimalStatus : std::uint8_t {
  ok,
  exponent_limit,  // too large or too close to zero for `exponent_max`
  digits_limit,    // more than Decimal::digits_max significant digits
};

class Decimal {
 public:
  static constexpr std::uint32_t digits_max = 100'000;
  // The default of Limits::exponent_max, for callers without limits of their own.
  static constexpr std::uint32_t exponent_max_default = 10'000;

  // Zero.
  Decimal() = default;

  // Reads what is already known to be a JSON number (RFC 8259 section 6); other text gives an unspecified number, never
  // undefined behaviour. `exponent_max` is taken as at most 1,000,000. `out` is zero unless the status is ok.
  static DecimalStatus read(std::string_view json_number, std::uint32_t exponent_max, Decimal& out);
  static Decimal from_int64(std::int64_t number);
  static Decimal from_uint64(std::uint64_t number);

  // -1, 0 or 1.
  int sign() const { return is_zero() ? 0 : (negative_ ? -1 : 1); }
  bool is_zero() const { return count_ == 0; }
  // Has no fraction: 1.0, 10e-1 and 1e400 have none.
  bool is_integer() const { return exponent_ >= 0; }
  // There is an integer that gives this number when multiplied by `divisor`. Zero is a multiple of everything; nothing
  // but zero is a multiple of zero. Signs do not matter.
  bool is_multiple_of(const Decimal& divisor) const;

  // Puts the number into `out` when it is an integer from 0 to 2^64 - 1, else returns false and leaves `out`.
  bool to_uint64(std::uint64_t& out) const;

  // This number plus `other`, exactly, into `out` (which may be either of them). The same limits as for read().
  DecimalStatus add(const Decimal& other, std::uint32_t exponent_max, Decimal& out) const;

  // One text for each number, exact, and in the form of ECMAScript where that is exact too: `3`, `-2.5`, `0.000001`,
  // `1e-7`, `100000000000000000000`, `1e400`. Plain digits are used up to 21 places before the point, and beyond them
  // when no zeros have to be made up; an exponent has no plus sign.
  std::string canonical() const;

  // Equal numbers have equal hashes under the same seed.
  std::uint64_t hash(std::uint64_t seed) const;

  // Negative, zero or positive as a < b, a = b, a > b. Exact.
  friend int compare(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) {
    return a.count_ == b.count_ && a.exponent_ == b.exponent_ && a.negative_ == b.negative_ && a.small_ == b.small_ &&
           a.digits_ == b.digits_;
  }

 private:
  static constexpr std::uint32_t small_digits_max = 19;  // 10^19 - 1 fits in 64 bits

  bool is_small() const { return count_ <= small_digits_max; }
  // The power of ten of the first digit. Not for zero.
  std::int32_t leading_power() const { return exponent_ + static_cast<std::int32_t>(count_) - 1; }
  void append_digits(std::string& out) const;
  static DecimalStatus from_digits(bool negative, std::string digits, std::int64_t exponent, std::int64_t power_max,
                                   Decimal& out);
  bool divides_evenly(const Decimal& divisor, std::uint32_t zeros) const;

  // The number is digits * 10^exponent_, where the digits neither begin nor end with 0. Up to 19 of them are in small_
  // as an integer and digits_ is empty; more are in digits_ as text and small_ is 0. Zero has no digits, exponent 0 and
  // is not negative. So each number has one form, and equality compares forms.
  std::uint64_t small_ = 0;
  std::int32_t exponent_ = 0;
  std::uint32_t count_ = 0;  // significant digits
  bool negative_ = false;
  std::string digits_;
};

int compare(const Decimal& a, const Decimal& b);

}  // namespace plumb::json
