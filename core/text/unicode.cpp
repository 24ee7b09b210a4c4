#include "core/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "core/ascii.hpp"
#include "core/require.hpp"
#include "core/text/unicode_packing.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {

namespace {

using tables::RunMark;

constexpr std::uint32_t code_points_size = 0x110000;
constexpr std::uint32_t case_pairs = 30;  // the category value for Lu and Ll by turns

struct Table {
  const std::uint8_t* runs;
  const RunMark* marks;
  std::uint32_t marks_size;
};

struct Run {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t value;
};

Run run_of(const Table& table, char32_t c) {
  const std::uint32_t code = std::min(static_cast<std::uint32_t>(c), code_points_size - 1);
  const RunMark* mark = mark_before(table.marks, table.marks_size, code);
  const std::uint8_t* at = table.runs + mark->offset;
  std::uint32_t first = mark->first;
  while (true) {
    const std::uint32_t length = read_varint(at);
    const std::uint32_t value = *at++;
    if (code - first < length) {
      return {first, first + length - 1, value};
    }
    first += length;
  }
}

// Calls visit(first, last, value) for all runs in order.
template <class Visit>
void each_run(const Table& table, Visit visit) {
  const std::uint8_t* at = table.runs;
  for (std::uint32_t first = 0; first < code_points_size;) {
    const std::uint32_t length = read_varint(at);
    const std::uint32_t value = *at++;
    visit(first, first + length - 1, value);
    first += length;
  }
}

Table category_table() { return {tables::category_runs, tables::category_marks, tables::category_marks_size}; }
Table script_table() { return {tables::script_runs, tables::script_marks, tables::script_marks_size}; }
Table extension_table() { return {tables::extension_runs, tables::extension_marks, tables::extension_marks_size}; }

constexpr std::uint32_t bit(Category c) { return std::uint32_t{1} << static_cast<std::uint32_t>(c); }
constexpr std::uint32_t unassigned_mask = bit(Category::cn) | bit(Category::co) | bit(Category::cs);

using Ranges = std::vector<CodePointRange>;

// Appends a range that begins after the end of the last one, joining the two where they touch.
void append_range(Ranges& out, std::size_t base, std::uint32_t first, std::uint32_t last) {
  if (out.size() > base && static_cast<std::uint32_t>(out.back().last) + 1 == first) {
    out.back().last = static_cast<char32_t>(last);
  } else {
    out.push_back({static_cast<char32_t>(first), static_cast<char32_t>(last)});
  }
}

void append_categories(std::uint32_t mask, Ranges& out) {
  const std::size_t base = out.size();
  const bool upper = (mask & bit(Category::lu)) != 0;
  const bool lower = (mask & bit(Category::ll)) != 0;
  each_run(category_table(), [&](std::uint32_t first, std::uint32_t last, std::uint32_t value) {
    if (value != case_pairs) {
      if ((mask >> value & 1U) != 0) {
        append_range(out, base, first, last);
      }
    } else if (upper && lower) {
      append_range(out, base, first, last);
    } else if (upper || lower) {
      for (std::uint32_t code = upper ? first : first + 1; code <= last; code += 2) {
        append_range(out, base, code, code);
      }
    }
  });
}

// Appends the symmetric difference of two sorted lists.
void append_difference(const Ranges& a, const Ranges& b, Ranges& out) {
  // Every border of one of the two turns membership; two borders at one place turn it twice.
  const std::size_t base = out.size();
  std::size_t i = 0;
  std::size_t j = 0;
  const auto border = [](const Ranges& ranges, std::size_t k) {
    if (k >= ranges.size() * 2) {
      return code_points_size;
    }
    const CodePointRange& range = ranges[k / 2];
    return k % 2 == 0 ? static_cast<std::uint32_t>(range.first) : static_cast<std::uint32_t>(range.last) + 1;
  };
  bool inside = false;
  std::uint32_t from = 0;
  while (true) {
    const std::uint32_t next = std::min(border(a, i), border(b, j));
    if (next == code_points_size) {
      break;
    }
    bool turned = false;
    if (border(a, i) == next) {
      ++i;
      turned = !turned;
    }
    if (border(b, j) == next) {
      ++j;
      turned = !turned;
    }
    if (turned) {
      if (inside) {
        append_range(out, base, from, next - 1);
      }
      inside = !inside;
      from = next;
    }
  }
  if (inside) {
    append_range(out, base, from, code_points_size - 1);
  }
}

void append_binary(std::uint32_t property, Ranges& out) {
  const tables::BinaryProperty& entry = tables::binary_properties[property];
  Ranges wrong;
  const std::uint8_t* at = tables::binary_ranges + entry.from;
  const std::uint8_t* const end = tables::binary_ranges + entry.to;
  std::uint32_t code = 0;
  while (at != end) {
    const std::uint32_t first = code + read_varint(at);
    const std::uint32_t last = first + read_varint(at);
    wrong.push_back({static_cast<char32_t>(first), static_cast<char32_t>(last)});
    code = last + 1;
  }
  Ranges categories;
  if (entry.categories != 0) {
    append_categories(entry.categories, categories);
  }
  append_difference(categories, wrong, out);
}

bool extension_holds(std::uint32_t set, Script s) {
  const std::uint8_t* at = tables::extension_sets;
  for (std::uint32_t i = 1; i < set; ++i) {
    at += 1 + *at;
  }
  const std::uint32_t size = *at++;
  return std::find(at, at + size, static_cast<std::uint8_t>(s)) != at + size;
}

// Cuts out of `ranges` (sorted) what has no assigned character: packed runs go on over those.
void append_assigned(const Ranges& ranges, Ranges& out) {
  Ranges none;
  append_categories(unassigned_mask, none);
  const std::size_t base = out.size();
  std::size_t j = 0;
  for (const CodePointRange& range : ranges) {
    std::uint32_t first = range.first;
    while (j < none.size() && none[j].last < first) {
      ++j;
    }
    std::size_t k = j;
    while (first <= range.last) {
      if (k >= none.size() || none[k].first > range.last) {
        append_range(out, base, first, range.last);
        break;
      }
      if (none[k].first > first) {
        append_range(out, base, first, static_cast<std::uint32_t>(none[k].first) - 1);
      }
      first = static_cast<std::uint32_t>(none[k].last) + 1;
      ++k;
    }
  }
}

void append_script(Script s, bool extensions, Ranges& out) {
  if (s == Script::unknown) {
    append_categories(unassigned_mask, out);
    return;
  }
  Ranges by_script;
  each_run(script_table(), [&](std::uint32_t first, std::uint32_t last, std::uint32_t value) {
    if (value == static_cast<std::uint32_t>(s)) {
      append_range(by_script, 0, first, last);
    }
  });
  if (!extensions) {
    append_assigned(by_script, out);
    return;
  }
  // What has a set of its own belongs to the scripts of the set, everything else to its script: turn those ranges in
  // which a set and the script disagree.
  Ranges turned;
  each_run(extension_table(), [&](std::uint32_t first, std::uint32_t last, std::uint32_t value) {
    if (value == 0) {
      return;
    }
    const bool holds = extension_holds(value, s);
    for (std::uint32_t code = first; code <= last;) {
      const Run run = run_of(script_table(), static_cast<char32_t>(code));
      const std::uint32_t to = std::min(last, run.last);
      if ((run.value == static_cast<std::uint32_t>(s)) != holds) {
        append_range(turned, 0, code, to);
      }
      code = to + 1;
    }
  });
  Ranges all;
  append_difference(by_script, turned, all);
  append_assigned(all, out);
}

// The number of the line of `names` that has `name` among its words.
std::optional<std::uint32_t> find_name(const char* names, std::uint32_t size, std::string_view name) {
  std::string_view rest(names, size);
  for (std::uint32_t line = 0; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    std::string_view words = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    while (!words.empty()) {
      const std::size_t blank = words.find(' ');
      if (words.substr(0, blank) == name) {
        return line;
      }
      words = blank == std::string_view::npos ? std::string_view() : words.substr(blank + 1);
    }
  }
  return std::nullopt;
}

bool append_category_named(std::string_view name, Ranges& out) {
  if (const auto found = find_name(tables::category_names, tables::category_names_size, name)) {
    append_categories(std::uint32_t{1} << *found, out);
    return true;
  }
  if (const auto found = find_name(tables::group_names, tables::group_names_size, name)) {
    append_categories(tables::group_masks[*found], out);
    return true;
  }
  return false;
}

}  // namespace

std::uint32_t to_lower(char32_t c, char32_t (&out)[2]) {
  out[0] = c;
  if (c < 0x80) {
    if (ascii::is_upper(c)) {
      out[0] = c + 0x20;
    }
    return 1;
  }
  if (c == 0x130) {
    out[0] = 'i';
    out[1] = 0x307;
    return 2;
  }
  const tables::LowerRange* const begin = tables::lower_ranges;
  const tables::LowerRange* found =
      std::upper_bound(begin, begin + tables::lower_ranges_size, static_cast<std::uint32_t>(c),
                       [](std::uint32_t code, const tables::LowerRange& range) { return code < range.first; });
  if (found != begin) {
    --found;
    const std::uint32_t distance = static_cast<std::uint32_t>(c) - found->first;
    if (distance <= static_cast<std::uint32_t>(found->count - 1) * found->stride &&
        (found->stride == 1 || distance % 2 == 0)) {
      out[0] = static_cast<char32_t>(static_cast<std::int32_t>(c) + found->delta);
    }
  }
  return 1;
}

Category category(char32_t c) {
  const Run run = run_of(category_table(), c);
  if (run.value == case_pairs) {
    return (static_cast<std::uint32_t>(c) - run.first) % 2 == 0 ? Category::lu : Category::ll;
  }
  return static_cast<Category>(run.value);
}

Script script(char32_t c) {
  if ((bit(category(c)) & unassigned_mask) != 0) {
    return Script::unknown;
  }
  return static_cast<Script>(run_of(script_table(), c).value);
}

bool has_script_extension(char32_t c, Script s) {
  if ((bit(category(c)) & unassigned_mask) != 0) {
    return s == Script::unknown;
  }
  const std::uint32_t set = run_of(extension_table(), c).value;
  return set == 0 ? script(c) == s : extension_holds(set, s);
}

bool has_property(char32_t c, Property property) {
  const tables::BinaryProperty& entry = tables::binary_properties[static_cast<std::uint32_t>(property)];
  bool holds = entry.categories != 0 && (bit(category(c)) & entry.categories) != 0;
  const std::uint8_t* at = tables::binary_ranges + entry.from;
  const std::uint8_t* const end = tables::binary_ranges + entry.to;
  std::uint32_t code = 0;
  while (at != end) {
    const std::uint32_t first = code + read_varint(at);
    const std::uint32_t last = first + read_varint(at);
    if (c <= last) {
      return c >= first ? !holds : holds;
    }
    code = last + 1;
  }
  return holds;
}

bool append_property(std::string_view expression, std::vector<CodePointRange>& out) {
  const std::size_t equals = expression.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view name = expression.substr(0, equals);
    const std::string_view value = expression.substr(equals + 1);
    if (name == "General_Category" || name == "gc") {
      return append_category_named(value, out);
    }
    const bool extensions = name == "Script_Extensions" || name == "scx";
    if (!extensions && name != "Script" && name != "sc") {
      return false;
    }
    const auto found = find_name(tables::script_names, tables::script_names_size, value);
    if (!found) {
      return false;
    }
    append_script(static_cast<Script>(*found), extensions, out);
    return true;
  }
  if (expression == "Any") {
    out.push_back({0, code_point_last});
    return true;
  }
  if (expression == "ASCII") {
    out.push_back({0, 0x7F});
    return true;
  }
  if (expression == "Assigned") {
    append_categories(~bit(Category::cn), out);
    return true;
  }
  if (append_category_named(expression, out)) {
    return true;
  }
  const auto found = find_name(tables::binary_names, tables::binary_names_size, expression);
  if (!found) {
    return false;
  }
  append_binary(*found, out);
  return true;
}

std::uint8_t combining_class(char32_t c) {
  if (c < 0x300 || (bit(category(c)) & unassigned_mask) != 0) {
    return 0;
  }
  return static_cast<std::uint8_t>(
      run_of({tables::combining_runs, tables::combining_marks, tables::combining_marks_size}, c).value);
}

// --- Internationalised domain names ---

JoiningType joining_type(char32_t c) {
  if ((bit(category(c)) & unassigned_mask) != 0) {
    return JoiningType::u;
  }
  return static_cast<JoiningType>(
      run_of({tables::joining_runs, tables::joining_marks, tables::joining_marks_size}, c).value);
}

BidiClass bidi_class(char32_t c) {
  return static_cast<BidiClass>(run_of({tables::bidi_runs, tables::bidi_marks, tables::bidi_marks_size}, c).value);
}

namespace {

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// RFC 5892, section 2.6. BackwardCompatible (2.7) is empty.
std::optional<IdnaClass> idna_exception(char32_t c) {
  switch (c) {
    case 0xDF:
    case 0x3C2:
    case 0x6FD:
    case 0x6FE:
    case 0xF0B:
    case 0x3007:
      return IdnaClass::pvalid;
    case 0xB7:
    case 0x375:
    case 0x5F3:
    case 0x5F4:
    case 0x30FB:
      return IdnaClass::contexto;
    case 0x640:
    case 0x7FA:
    case 0x302E:
    case 0x302F:
    case 0x303B:
      return IdnaClass::disallowed;
    default:
      break;
  }
  if (within(c, 0x660, 0x669) || within(c, 0x6F0, 0x6F9)) {
    return IdnaClass::contexto;
  }
  if (within(c, 0x3031, 0x3035)) {
    return IdnaClass::disallowed;
  }
  return std::nullopt;
}

}  // namespace

IdnaClass idna_class(char32_t c) {
  if (const auto exception = idna_exception(c)) {
    return *exception;
  }
  const Category general = category(c);
  if (general == Category::cn && !has_property(c, Property::noncharacter_code_point)) {
    return IdnaClass::unassigned;
  }
  if (c == '-' || within(c, '0', '9') || within(c, 'a', 'z')) {
    return IdnaClass::pvalid;
  }
  if (c == 0x200C || c == 0x200D) {
    return IdnaClass::contextj;
  }
  // Unstable: NFKC(casefold(NFKC(c))) is not c. That is Changes_When_NFKC_Casefolded, which besides takes away the
  // default ignorable code points, and those are refused just the same.
  constexpr std::uint32_t letter_digits = bit(Category::ll) | bit(Category::lu) | bit(Category::lo) |
                                          bit(Category::nd) | bit(Category::lm) | bit(Category::mn) | bit(Category::mc);
  const bool refused = (bit(general) & letter_digits) == 0 || has_property(c, Property::changes_when_nfkc_casefolded) ||
                       has_property(c, Property::default_ignorable_code_point) || is_white_space(c) ||
                       within(c, 0x20D0, 0x20FF) || within(c, 0x1D100, 0x1D1FF) || within(c, 0x1D200, 0x1D24F) ||
                       // OldHangulJamo
                       within(c, 0x1100, 0x11FF) || within(c, 0xA960, 0xA97C) || within(c, 0xD7B0, 0xD7C6) ||
                       within(c, 0xD7CB, 0xD7FB);
  return refused ? IdnaClass::disallowed : IdnaClass::pvalid;
}

}  // namespace plumb::text
