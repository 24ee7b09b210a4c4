#include "core/text/token_scripts.hpp"

namespace plumb::text::features {

namespace {

struct Block {
  char32_t first;
  char32_t last;
  Kind kind;
  std::uint8_t index;
};

// Sorted. What is in no block is a symbol of the last kind.
constexpr Block blocks[] = {
    {0x80, 0x9F, Kind::symbol, 0},        {0xA0, 0xA0, Kind::symbol, 17},        {0xA1, 0xA9, Kind::symbol, 0},
    {0xAA, 0xAA, Kind::latin, 0},         {0xAB, 0xB4, Kind::symbol, 0},         {0xB5, 0xB5, Kind::latin, 0},
    {0xB6, 0xB9, Kind::symbol, 0},        {0xBA, 0xBA, Kind::latin, 0},          {0xBB, 0xBF, Kind::symbol, 0},
    {0xC0, 0xD6, Kind::latin, 0},         {0xD7, 0xD7, Kind::symbol, 1},         {0xD8, 0xF6, Kind::latin, 0},
    {0xF7, 0xF7, Kind::symbol, 1},        {0xF8, 0x2AF, Kind::latin, 0},         {0x2B0, 0x2FF, Kind::symbol, 2},
    {0x300, 0x36F, Kind::mark, 0},        {0x370, 0x3FF, Kind::letter, 1},       {0x400, 0x481, Kind::letter, 2},
    {0x482, 0x489, Kind::mark, 2},        {0x48A, 0x52F, Kind::letter, 2},       {0x530, 0x58F, Kind::letter, 3},
    {0x591, 0x5C7, Kind::mark, 4},        {0x5D0, 0x5FF, Kind::letter, 4},       {0x600, 0x61F, Kind::symbol, 3},
    {0x620, 0x64A, Kind::letter, 5},      {0x64B, 0x65F, Kind::mark, 5},         {0x660, 0x66D, Kind::symbol, 3},
    {0x66E, 0x6D5, Kind::letter, 5},      {0x6D6, 0x6ED, Kind::mark, 5},         {0x6EE, 0x6EF, Kind::letter, 5},
    {0x6F0, 0x6F9, Kind::symbol, 3},      {0x6FA, 0x6FF, Kind::letter, 5},       {0x700, 0x89F, Kind::letter, 23},
    {0x8A0, 0x8FF, Kind::letter, 5},      {0x900, 0x903, Kind::mark, 6},         {0x904, 0x939, Kind::letter, 6},
    {0x93A, 0x94F, Kind::mark, 6},        {0x950, 0x963, Kind::letter, 6},       {0x964, 0x96F, Kind::symbol, 4},
    {0x970, 0x97F, Kind::letter, 6},      {0x980, 0x9BD, Kind::letter, 7},       {0x9BE, 0x9D7, Kind::mark, 7},
    {0x9D8, 0x9FF, Kind::letter, 7},      {0xA00, 0xA3B, Kind::letter, 8},       {0xA3C, 0xA51, Kind::mark, 8},
    {0xA52, 0xA7F, Kind::letter, 8},      {0xA80, 0xABD, Kind::letter, 9},       {0xABE, 0xACF, Kind::mark, 9},
    {0xAD0, 0xAFF, Kind::letter, 9},      {0xB00, 0xB3D, Kind::letter, 10},      {0xB3E, 0xB57, Kind::mark, 10},
    {0xB58, 0xB7F, Kind::letter, 10},     {0xB80, 0xBBD, Kind::letter, 11},      {0xBBE, 0xBD7, Kind::mark, 11},
    {0xBD8, 0xBFF, Kind::letter, 11},     {0xC00, 0xC3D, Kind::letter, 12},      {0xC3E, 0xC57, Kind::mark, 12},
    {0xC58, 0xC7F, Kind::letter, 12},     {0xC80, 0xCBD, Kind::letter, 13},      {0xCBE, 0xCD7, Kind::mark, 13},
    {0xCD8, 0xCFF, Kind::letter, 13},     {0xD00, 0xD3D, Kind::letter, 14},      {0xD3E, 0xD57, Kind::mark, 14},
    {0xD58, 0xD7F, Kind::letter, 14},     {0xD80, 0xDC9, Kind::letter, 15},      {0xDCA, 0xDDF, Kind::mark, 15},
    {0xDE0, 0xDFF, Kind::letter, 15},     {0xE00, 0xE30, Kind::letter, 16},      {0xE31, 0xE31, Kind::mark, 16},
    {0xE32, 0xE33, Kind::letter, 16},     {0xE34, 0xE3A, Kind::mark, 16},        {0xE3F, 0xE46, Kind::letter, 16},
    {0xE47, 0xE4E, Kind::mark, 16},       {0xE4F, 0xE7F, Kind::letter, 16},      {0xE80, 0xEFF, Kind::letter, 17},
    {0xF00, 0xFFF, Kind::letter, 18},     {0x1000, 0x109F, Kind::letter, 19},    {0x10A0, 0x10FF, Kind::letter, 20},
    {0x1100, 0x11FF, Kind::letter, 25},   {0x1200, 0x139F, Kind::letter, 21},    {0x13A0, 0x177F, Kind::letter, 23},
    {0x1780, 0x17FF, Kind::letter, 22},   {0x1800, 0x1C8F, Kind::letter, 23},    {0x1C90, 0x1CBF, Kind::letter, 20},
    {0x1CC0, 0x1DFF, Kind::letter, 23},   {0x1E00, 0x1EFF, Kind::latin, 0},      {0x1F00, 0x1FFF, Kind::letter, 1},
    {0x2000, 0x200F, Kind::symbol, 5},    {0x2010, 0x2015, Kind::symbol, 6},     {0x2016, 0x201F, Kind::symbol, 7},
    {0x2020, 0x206F, Kind::symbol, 8},    {0x2070, 0x20CF, Kind::symbol, 2},     {0x20D0, 0x20FF, Kind::mark, 0},
    {0x2100, 0x218F, Kind::symbol, 2},    {0x2190, 0x22FF, Kind::symbol, 9},     {0x2300, 0x24FF, Kind::symbol, 10},
    {0x2500, 0x257F, Kind::symbol, 11},   {0x2580, 0x259F, Kind::symbol, 16},    {0x25A0, 0x2BFF, Kind::symbol, 10},
    {0x2C00, 0x2DFF, Kind::letter, 23},   {0x2E80, 0x2FFF, Kind::symbol, 15},    {0x3000, 0x3000, Kind::symbol, 18},
    {0x3001, 0x303F, Kind::symbol, 12},   {0x3040, 0x309F, Kind::letter, 26},    {0x30A0, 0x30FF, Kind::letter, 27},
    {0x3100, 0x312F, Kind::letter, 28},   {0x3130, 0x318F, Kind::letter, 25},    {0x3190, 0x33FF, Kind::symbol, 15},
    {0x3400, 0x4DBF, Kind::letter, 29},   {0x4E00, 0x9FFF, Kind::han, 0},        {0xA000, 0xABFF, Kind::letter, 23},
    {0xAC00, 0xD7A3, Kind::letter, 24},   {0xE000, 0xF8FF, Kind::letter, 23},    {0xF900, 0xFAFF, Kind::letter, 29},
    {0xFB1D, 0xFB4F, Kind::letter, 4},    {0xFB50, 0xFDFF, Kind::letter, 30},    {0xFE00, 0xFE0F, Kind::mark, 29},
    {0xFE70, 0xFEFC, Kind::letter, 30},   {0xFF00, 0xFF60, Kind::symbol, 13},    {0xFF61, 0xFF9F, Kind::letter, 28},
    {0x10000, 0x1EFFF, Kind::letter, 23}, {0x1F000, 0x1FAFF, Kind::symbol, 14},  {0x1FB00, 0x1FFFF, Kind::letter, 23},
    {0x20000, 0x3FFFF, Kind::letter, 29}, {0x40000, 0x10FFFF, Kind::letter, 23},
};

// Letters beyond those of Russian, modern Greek, Arabic and the first thousand of Korean.
bool is_rare(char32_t c, std::uint8_t script) {
  switch (script) {
    case 1:
      return c >= 0x1F00 || c < 0x386 || c > 0x3CE;
    case 2:
      return c < 0x410 || c > 0x44F;
    case 5:
      return c > 0x64A;
    default:
      return false;
  }
}

std::uint32_t own_of(char32_t c) {
  switch (c >> 7U) {
    case 0xD80 >> 7U:
      return 0;
    case 0xE80 >> 7U:
      return 1;
    case 0x1000 >> 7U:
      return 2;
    case 0x1780 >> 7U:
      return 3;
    default:
      return 255;
  }
}

}  // namespace

Place place_of(char32_t c) {
  std::uint32_t from = 0;
  std::uint32_t to = sizeof(blocks) / sizeof(blocks[0]);
  while (from < to) {
    const std::uint32_t middle = from + (to - from) / 2;
    const Block& block = blocks[middle];
    if (c < block.first) {
      to = middle;
    } else if (c > block.last) {
      from = middle + 1;
    } else {
      if (block.kind == Kind::han) {
        return {Kind::han, (static_cast<std::uint32_t>(c) - 0x4E00U) >> 7U, false};
      }
      return {block.kind, block.index, block.kind == Kind::letter && is_rare(c, block.index), own_of(c)};
    }
  }
  return {Kind::symbol, 15, false};
}

}  // namespace plumb::text::features
