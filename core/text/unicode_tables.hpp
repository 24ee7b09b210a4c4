// The tables of core/text/unicode_tables.cpp. Only unicode.cpp and unicode_normal_form.cpp of this folder read them.
#pragma once

#include <cstdint>

namespace plumb::text::tables {

// The place of the run that begins at code point `first` in the bytes of a table.
struct RunMark {
  std::uint32_t first;
  std::uint32_t offset;
};

// A union of categories, and the part of binary_ranges in which that union is wrong.
struct BinaryProperty {
  std::uint32_t categories;
  std::uint16_t from;
  std::uint16_t to;
};

// first, first + stride, ... (count of them) have the lower case `delta` further on.
struct LowerRange {
  std::uint32_t first;
  std::int32_t delta;
  std::uint16_t count;
  std::uint16_t stride;
};

extern const std::uint8_t category_runs[];
extern const RunMark category_marks[];
extern const std::uint32_t category_marks_size;
extern const std::uint8_t script_runs[];
extern const RunMark script_marks[];
extern const std::uint32_t script_marks_size;
extern const std::uint8_t extension_runs[];
extern const RunMark extension_marks[];
extern const std::uint32_t extension_marks_size;
extern const std::uint8_t extension_sets[];
extern const std::uint8_t combining_runs[];
extern const RunMark combining_marks[];
extern const std::uint32_t combining_marks_size;
extern const std::uint8_t bidi_runs[];
extern const RunMark bidi_marks[];
extern const std::uint32_t bidi_marks_size;
extern const std::uint8_t joining_runs[];
extern const RunMark joining_marks[];
extern const std::uint32_t joining_marks_size;

extern const std::uint8_t binary_ranges[];
extern const BinaryProperty binary_properties[];

extern const LowerRange lower_ranges[];
extern const std::uint32_t lower_ranges_size;

extern const std::uint8_t decompositions[];
extern const std::uint32_t decompositions_size;
extern const RunMark decomposition_marks[];
extern const std::uint32_t decomposition_marks_size;
extern const char32_t decomposition_seconds[];
extern const std::uint32_t decomposition_seconds_size;

// One line for each value: its names with a blank between.
extern const char category_names[];
extern const std::uint32_t category_names_size;
extern const char group_names[];
extern const std::uint32_t group_names_size;
extern const std::uint32_t group_masks[];
extern const char script_names[];
extern const std::uint32_t script_names_size;
extern const char binary_names[];
extern const std::uint32_t binary_names_size;

}  // namespace plumb::text::tables
