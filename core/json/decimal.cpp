// A number is digits * 10^exponent with the zeros at both ends taken off, so that equality is equality of forms.
//
// Divisibility without division by powers of ten: for a = ma * 10^ea and b = mb * 10^eb, a is a multiple of b when mb
// divides ma * 10^(ea - eb). A negative difference settles it, as ma does not end in 0. Otherwise the power of ten can
// only cancel factors 2 and 5 of mb, and mb never has both: so the power may be cut to the number of such factors, and
// where mb fits in 64 bits they are taken out of it and one remainder is left to compute. 1e308 is a multiple of 1e-8
// after three instructions.
#include "core/json/decimal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/ascii.hpp"
#include "core/json/equality.hpp"
#include "core/json/number_text.hpp"

namespace plumb::json {

namespace {

constexpr std::uint32_t powers_count = 20;  // 10^19 is the last that fits in 64 bits

constexpr std::array<std::uint64_t, powers_count> make_powers_of_ten() {
  std::array<std::uint64_t, powers_count> powers = {1};
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = powers[i - 1] * 10;
  }
  return powers;
}

constexpr std::array<std::uint64_t, powers_count> powers_of_ten = make_powers_of_ten();

constexpr std::uint32_t exponent_max_ceiling = 1'000'000;
constexpr std::uint64_t limb_base = 1'000'000'000;
constexpr std::size_t limb_digits = 9;

// Whole numbers of any size: nine decimal digits a limb, the lowest limb first, no zero limb on top.
using Limbs = std::vector<std::uint32_t>;

// Of a number that is not 0.
std::uint32_t digit_count(std::uint64_t number) {
  std::uint32_t count = 1;
  while (count < powers_count && number >= powers_of_ten[count]) {
    ++count;
  }
  return count;
}

// `digits`, of which the first is not 0, followed by `zeros` zeros.
Limbs to_limbs(std::string_view digits, std::size_t zeros) {
  const std::size_t total = digits.size() + zeros;
  Limbs limbs((total + limb_digits - 1) / limb_digits, 0);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t power = total - 1 - i;
    std::uint32_t& limb = limbs[power / limb_digits];
    limb +=
        static_cast<std::uint32_t>(digits[i] - '0') * static_cast<std::uint32_t>(powers_of_ten[power % limb_digits]);
  }
  return limbs;
}

void multiply(Limbs& limbs, std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs) {
    const std::uint64_t product = limb * factor + carry;
    limb = static_cast<std::uint32_t>(product % limb_base);
    carry = product / limb_base;
  }
  if (carry != 0) {
    limbs.push_back(static_cast<std::uint32_t>(carry));
  }
}

// Whether `v` (at least two limbs) divides `u`: long division by limbs, Knuth volume 2, 4.3.1, algorithm D.
bool limbs_divide(Limbs u, Limbs v) {
  const std::size_t n = v.size();
  if (u.size() < n) {
    return false;
  }
  const std::uint64_t factor = limb_base / (std::uint64_t{v.back()} + 1);
  multiply(v, factor);
  multiply(u, factor);
  u.push_back(0);
  const std::uint64_t top = v[n - 1];
  const std::uint64_t second = v[n - 2];
  for (std::size_t j = u.size() - n; j-- > 0;) {
    const std::uint64_t head = u[j + n] * limb_base + u[j + n - 1];
    std::uint64_t quotient = head / top;
    std::uint64_t rest = head % top;
    while (quotient >= limb_base || quotient * second > rest * limb_base + u[j + n - 2]) {
      --quotient;
      rest += top;
      if (rest >= limb_base) {
        break;
      }
    }
    if (quotient == 0) {
      continue;
    }
    std::uint64_t carry = 0;
    std::uint32_t borrow = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t product = quotient * v[i] + carry;
      carry = product / limb_base;
      const auto low = static_cast<std::uint32_t>(product - carry * limb_base) + borrow;
      borrow = u[i + j] < low ? 1 : 0;
      u[i + j] += (borrow != 0 ? static_cast<std::uint32_t>(limb_base) : 0) - low;
    }
    const std::uint64_t low = carry + borrow;
    const bool too_much = u[j + n] < low;
    u[j + n] = too_much ? 0 : static_cast<std::uint32_t>(u[j + n] - low);
    if (too_much) {  // the guess was one too high, which is rare: add the divisor back, the carry meets the borrow
      std::uint32_t over = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t sum = std::uint64_t{u[i + j]} + v[i] + over;
        over = sum >= limb_base ? 1 : 0;
        u[i + j] = static_cast<std::uint32_t>(sum - (over != 0 ? limb_base : 0));
      }
    }
  }
  return std::all_of(u.begin(), u.end(), [](std::uint32_t limb) { return limb == 0; });
}

// At least the number of factors 2, and at least that of factors 5, in a number that does not end in 0; exact unless
// there are very many.
std::size_t cancelling_zeros(const Limbs& limbs, std::size_t digits) {
  if (limbs[0] % 2 == 0) {
    std::uint64_t low = 0;  // modulo 2^64, to which only the eight lowest limbs can add
    for (std::size_t i = std::min<std::size_t>(limbs.size(), 8); i-- > 0;) {
      low = low * limb_base + limbs[i];
    }
    if (low == 0) {
      return digits * 10 / 3 + 1;
    }
    std::size_t twos = 0;
    while (low % 2 == 0) {
      low /= 2;
      ++twos;
    }
    return twos;
  }
  if (limbs[0] % 5 == 0) {
    std::uint64_t low = (limbs.size() > 1 ? limbs[1] * limb_base : 0) + limbs[0];  // exact modulo 5^18
    std::size_t fives = 0;
    while (fives < 18 && low != 0 && low % 5 == 0) {
      low /= 5;
      ++fives;
    }
    return low == 0 || fives == 18 ? digits * 3 / 2 + 1 : fives;
  }
  return 0;
}

std::uint64_t add_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return a >= modulus - b ? a - (modulus - b) : a + b;
}

std::uint64_t remainder(std::string_view digits, std::uint64_t modulus) {
  std::uint64_t rest = 0;
  if (modulus <= std::numeric_limits<std::uint32_t>::max()) {
    for (const char c : digits) {
      rest = (rest * 10 + static_cast<std::uint64_t>(c - '0')) % modulus;
    }
    return rest;
  }
  for (const char c : digits) {  // the same where 10 * rest need not fit: 10 r = 2 (4 r + r)
    const std::uint64_t twice = add_modulo(rest, rest, modulus);
    const std::uint64_t four_times = add_modulo(twice, twice, modulus);
    const std::uint64_t five_times = add_modulo(four_times, rest, modulus);
    rest = add_modulo(five_times, five_times, modulus);
    rest = add_modulo(rest, static_cast<std::uint64_t>(c - '0'), modulus);
  }
  return rest;
}

}  // namespace

DecimalStatus Decimal::read(std::string_view json_number, std::uint32_t exponent_max, Decimal& out) {
  out.small_ = 0;
  out.exponent_ = 0;
  out.count_ = 0;
  out.negative_ = false;
  out.digits_.clear();

  const char* p = json_number.data();
  const char* const end = p + json_number.size();
  bool negative = false;
  if (p != end && *p == '-') {
    negative = true;
    ++p;
  }
  std::uint64_t small = 0;
  std::size_t count = 0;        // digits from the first to the last that is not 0
  std::size_t zeros = 0;        // zeros since that last one
  const char* first = nullptr;  // the first digit that is not 0
  const char* last = nullptr;   // the last one
  const char* point = nullptr;
  for (; p != end; ++p) {
    const char c = *p;
    if (ascii::is_digit(c)) {
      if (c == '0') {
        zeros += count != 0 ? 1 : 0;
        continue;
      }
      if (count == 0) {
        first = p;
      }
      count += zeros + 1;
      if (count <= small_digits_max) {
        small = small * powers_of_ten[zeros + 1] + static_cast<std::uint64_t>(c - '0');
      }
      zeros = 0;
      last = p;
    } else if (c == '.' && point == nullptr) {
      point = p;
    } else {
      break;
    }
  }
  if (count == 0) {
    return DecimalStatus::ok;
  }
  const char* const digits_end = p;
  std::int64_t exponent = static_cast<std::int64_t>(zeros);
  if (point != nullptr) {
    exponent -= digits_end - point - 1;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool down = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) {
      ++p;
    }
    constexpr std::int64_t far = 1'000'000'000'000;  // beyond what the digits of any text could make up for
    std::int64_t written = 0;
    for (; p != end && ascii::is_digit(*p); ++p) {
      written = written < far ? written * 10 + (*p - '0') : written;
    }
    exponent += down ? -written : written;
  }

  const std::int64_t power_max = std::min(exponent_max, exponent_max_ceiling);
  const std::int64_t power = exponent + static_cast<std::int64_t>(count) - 1;
  if (power > power_max || power < -power_max) {
    return DecimalStatus::exponent_limit;
  }
  if (count > digits_max) {
    return DecimalStatus::digits_limit;
  }
  if (count <= small_digits_max) {
    out.small_ = small;
  } else {
    out.digits_.reserve(count);
    if (point != nullptr && point > first && point < last) {
      out.digits_.append(first, point);
      out.digits_.append(point + 1, last + 1);
    } else {
      out.digits_.append(first, last + 1);
    }
  }
  out.count_ = static_cast<std::uint32_t>(count);
  out.exponent_ = static_cast<std::int32_t>(exponent);
  out.negative_ = negative;
  return DecimalStatus::ok;
}

Decimal Decimal::from_uint64(std::uint64_t number) {
  Decimal out;
  if (number == 0) {
    return out;
  }
  while (number % 10 == 0) {
    number /= 10;
    ++out.exponent_;
  }
  out.count_ = digit_count(number);
  if (out.is_small()) {
    out.small_ = number;
  } else {
    append_uint(out.digits_, number);
  }
  return out;
}

Decimal Decimal::from_int64(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  Decimal out = from_uint64(number < 0 ? 0 - bits : bits);
  out.negative_ = number < 0;
  return out;
}

void Decimal::append_digits(std::string& out) const {
  if (is_small()) {
    append_uint(out, small_);
  } else {
    out += digits_;
  }
}

bool Decimal::to_uint64(std::uint64_t& out) const {
  if (is_zero()) {
    out = 0;
    return true;
  }
  if (negative_ || exponent_ < 0 || leading_power() > 19) {
    return false;
  }
  if (!is_small()) {
    return read_uint(digits_, out);  // 20 digits, so no zeros follow
  }
  const std::uint64_t scale = powers_of_ten[static_cast<std::uint32_t>(exponent_)];
  if (small_ > std::numeric_limits<std::uint64_t>::max() / scale) {
    return false;
  }
  out = small_ * scale;
  return true;
}

bool Decimal::is_multiple_of(const Decimal& divisor) const {
  if (is_zero()) {
    return true;
  }
  if (divisor.is_zero() || exponent_ < divisor.exponent_) {
    return false;
  }
  auto zeros = static_cast<std::uint32_t>(exponent_ - divisor.exponent_);
  if (!divisor.is_small()) {
    return divides_evenly(divisor, zeros);
  }
  std::uint64_t modulus = divisor.small_;
  for (std::uint32_t left = zeros; left > 0 && modulus % 2 == 0; --left) {
    modulus /= 2;
  }
  for (std::uint32_t left = zeros; left > 0 && modulus % 5 == 0; --left) {
    modulus /= 5;
  }
  if (modulus == 1) {
    return true;
  }
  return (is_small() ? small_ % modulus : remainder(digits_, modulus)) == 0;
}

bool Decimal::divides_evenly(const Decimal& divisor, std::uint32_t zeros) const {
  Limbs v = to_limbs(divisor.digits_, 0);
  const std::size_t kept = std::min<std::size_t>(zeros, cancelling_zeros(v, divisor.count_));
  if (count_ + kept < divisor.count_) {
    return false;
  }
  std::string digits;
  append_digits(digits);
  return limbs_divide(to_limbs(digits, kept), std::move(v));
}

// `digits` may begin and end with zeros.
DecimalStatus Decimal::from_digits(bool negative, std::string digits, std::int64_t exponent, std::int64_t power_max,
                                   Decimal& out) {
  out = Decimal();
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    return DecimalStatus::ok;
  }
  const std::size_t last = digits.find_last_not_of('0');
  const std::size_t count = last - first + 1;
  exponent += static_cast<std::int64_t>(digits.size() - 1 - last);
  const std::int64_t power = exponent + static_cast<std::int64_t>(count) - 1;
  if (power > power_max || power < -power_max) {
    return DecimalStatus::exponent_limit;
  }
  if (count > digits_max) {
    return DecimalStatus::digits_limit;
  }
  out.negative_ = negative;
  out.exponent_ = static_cast<std::int32_t>(exponent);
  out.count_ = static_cast<std::uint32_t>(count);
  if (count <= small_digits_max) {
    for (std::size_t i = first; i <= last; ++i) {
      out.small_ = out.small_ * 10 + static_cast<std::uint64_t>(digits[i] - '0');
    }
  } else {
    out.digits_ = digits.substr(first, count);
  }
  return DecimalStatus::ok;
}

DecimalStatus Decimal::add(const Decimal& other, std::uint32_t exponent_max, Decimal& out) const {
  if (other.is_zero() || is_zero()) {
    out = Decimal(is_zero() ? other : *this);
    return DecimalStatus::ok;
  }
  // Both as digits over the same powers of ten, as long as the two together reach.
  const std::int32_t low = std::min(exponent_, other.exponent_);
  const std::int32_t top = std::max(leading_power(), other.leading_power());
  const auto length = static_cast<std::size_t>(std::int64_t{top} - low + 1);
  const std::int64_t power_max = std::min(exponent_max, exponent_max_ceiling);
  if (length <= 18) {
    const auto scaled = [low](const Decimal& number) {
      const auto magnitude =
          static_cast<std::int64_t>(number.small_ * powers_of_ten[static_cast<std::uint32_t>(number.exponent_ - low)]);
      return number.negative_ ? -magnitude : magnitude;
    };
    Decimal sum = from_int64(scaled(*this) + scaled(other));
    if (!sum.is_zero()) {
      sum.exponent_ += low;
      if (sum.leading_power() > power_max || sum.leading_power() < -power_max) {
        out = Decimal();
        return DecimalStatus::exponent_limit;
      }
    }
    out = std::move(sum);
    return DecimalStatus::ok;
  }
  const auto spread = [&](const Decimal& number) {
    std::string digits(static_cast<std::size_t>(top - number.leading_power()), '0');
    digits.reserve(length);
    number.append_digits(digits);
    digits.append(length - digits.size(), '0');
    return digits;
  };
  std::string larger = spread(*this);
  std::string smaller = spread(other);
  bool negative = negative_;
  if (larger < smaller) {
    std::swap(larger, smaller);
    negative = other.negative_;
  }
  const bool subtract = negative_ != other.negative_;
  int carry = 0;
  for (std::size_t i = length; i-- > 0;) {
    const int digit = smaller[i] - '0' + carry;
    int sum = larger[i] - '0' + (subtract ? -digit : digit);
    carry = 0;
    if (sum < 0 || sum > 9) {
      sum += subtract ? 10 : -10;
      carry = 1;
    }
    larger[i] = static_cast<char>('0' + sum);
  }
  if (carry != 0) {
    larger.insert(larger.begin(), '1');
  }
  return from_digits(negative, std::move(larger), low, power_max, out);
}

std::string Decimal::canonical() const {
  std::string out;
  if (is_zero()) {
    out = "0";
    return out;
  }
  if (negative_) {
    out.push_back('-');
  }
  std::string digits;
  append_digits(digits);
  const std::int64_t before_point = std::int64_t{leading_power()} + 1;
  const std::int64_t count = count_;
  if (before_point > 0 && (before_point <= 21 || before_point <= count)) {
    if (before_point >= count) {
      out += digits;
      out.append(static_cast<std::size_t>(before_point - count), '0');
    } else {
      out.append(digits, 0, static_cast<std::size_t>(before_point));
      out.push_back('.');
      out.append(digits, static_cast<std::size_t>(before_point));
    }
  } else if (before_point > -6 && before_point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-before_point), '0');
    out += digits;
  } else {
    out.push_back(digits[0]);
    if (count > 1) {
      out.push_back('.');
      out.append(digits, 1);
    }
    out.push_back('e');
    append_int(out, before_point - 1);
  }
  return out;
}

std::uint64_t Decimal::hash(std::uint64_t seed) const {
  const auto shape = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(exponent_)) << 1U) | (negative_ ? 1U : 0U);
  const std::uint64_t digits = is_small() ? hash_combine(seed, small_) : hash_text(digits_, seed);
  return hash_combine(digits, shape);
}

int compare(const Decimal& a, const Decimal& b) {
  const int sign_a = a.sign();
  const int sign_b = b.sign();
  if (sign_a != sign_b) {
    return sign_a < sign_b ? -1 : 1;
  }
  if (sign_a == 0) {
    return 0;
  }
  // From here the order of magnitudes, turned round for negative numbers.
  if (a.leading_power() != b.leading_power()) {
    return (a.leading_power() < b.leading_power()) ? -sign_a : sign_a;
  }
  if (a.is_small() && b.is_small()) {
    // The shorter one is filled up with zeros: both then have as many digits as the longer one, at most 19.
    std::uint64_t digits_a = a.small_;
    std::uint64_t digits_b = b.small_;
    if (a.count_ < b.count_) {
      digits_a *= powers_of_ten[b.count_ - a.count_];
    } else {
      digits_b *= powers_of_ten[a.count_ - b.count_];
    }
    return digits_a == digits_b ? 0 : (digits_a < digits_b ? -sign_a : sign_a);
  }
  // At least one has 20 digits or more. Neither ends in 0, so text order is the order of numbers.
  std::string short_a;
  std::string short_b;
  if (a.is_small()) {
    a.append_digits(short_a);
  }
  if (b.is_small()) {
    b.append_digits(short_b);
  }
  const int order = (a.is_small() ? short_a : a.digits_).compare(b.is_small() ? short_b : b.digits_);
  return order == 0 ? 0 : (order < 0 ? -sign_a : sign_a);
}

}  // namespace plumb::json
