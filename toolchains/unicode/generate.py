#!/usr/bin/env python3
"""Writes core/text/unicode_tables.cpp and core/text/unicode_scripts.hpp from the Unicode Character Database.

    python3 toolchains/unicode/generate.py [--ucd /usr/share/unicode] [--check]

The database is Debian's package unicode-data. --check writes nothing and fails when the files differ from what would
be written. How the tables are packed is told at the top of core/text/unicode_packing.hpp.
"""
import argparse
import gzip
import os
import re
import sys

LIMIT = 0x110000
CATEGORIES = ['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po',
              'Sm', 'Sc', 'Sk', 'So', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Cs', 'Co', 'Cn']
BIDI = ['L', 'R', 'AL', 'AN', 'EN', 'ES', 'CS', 'ET', 'ON', 'BN', 'NSM', 'B', 'S', 'WS', 'LRE', 'LRO', 'RLE', 'RLO', 'PDF',
        'LRI', 'RLI', 'FSI', 'PDI']
JOINING = ['U', 'L', 'R', 'D', 'C', 'T']
# The binary properties that ECMA-262 allows in \p{}, but for ASCII, Any and Assigned, which need no table.
BINARY = ['ASCII_Hex_Digit', 'Alphabetic', 'Bidi_Control', 'Bidi_Mirrored', 'Case_Ignorable', 'Cased',
          'Changes_When_Casefolded', 'Changes_When_Casemapped', 'Changes_When_Lowercased',
          'Changes_When_NFKC_Casefolded', 'Changes_When_Titlecased', 'Changes_When_Uppercased', 'Dash',
          'Default_Ignorable_Code_Point', 'Deprecated', 'Diacritic', 'Emoji', 'Emoji_Component', 'Emoji_Modifier',
          'Emoji_Modifier_Base', 'Emoji_Presentation', 'Extended_Pictographic', 'Extender', 'Grapheme_Base',
          'Grapheme_Extend', 'Hex_Digit', 'IDS_Binary_Operator', 'IDS_Trinary_Operator', 'ID_Continue', 'ID_Start',
          'Ideographic', 'Join_Control', 'Logical_Order_Exception', 'Lowercase', 'Math', 'Noncharacter_Code_Point',
          'Pattern_Syntax', 'Pattern_White_Space', 'Quotation_Mark', 'Radical', 'Regional_Indicator',
          'Sentence_Terminal', 'Soft_Dotted', 'Terminal_Punctuation', 'Unified_Ideograph', 'Uppercase',
          'Variation_Selector', 'White_Space', 'XID_Continue', 'XID_Start']
MARK_EVERY = 32


def rows(path):
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.split('#')[0].strip()
            if line:
                yield [field.strip() for field in line.split(';')]


def span(text):
    first, _, last = text.partition('..')
    return range(int(first, 16), int(last or first, 16) + 1)


class Database:
    def __init__(self, folder):
        def at(name):
            return os.path.join(folder, name)

        with open(at('PropList.txt'), encoding='utf-8') as file:
            self.version = re.match(r'# PropList-(\S+)\.txt', file.readline()).group(1)
        self.category = ['Cn'] * LIMIT
        self.mirrored = set()
        self.lower = {}
        self.canonical = {}
        first = 0
        for row in rows(at('UnicodeData.txt')):
            code = int(row[0], 16)
            if row[1].endswith(', First>'):
                first = code
                continue
            for c in range(first if row[1].endswith(', Last>') else code, code + 1):
                self.category[c] = row[2]
            if row[9] == 'Y':
                self.mirrored.add(code)
            if row[13]:
                self.lower[code] = int(row[13], 16)
            if row[5] and not row[5].startswith('<'):
                self.canonical[code] = [int(x, 16) for x in row[5].split()]
        self.combining = [0] * LIMIT
        for row in rows(at('extracted/DerivedCombiningClass.txt')):
            for c in span(row[0]):
                self.combining[c] = int(row[1])
        self.bidi = [None] * LIMIT
        for row in rows(at('extracted/DerivedBidiClass.txt')):
            for c in span(row[0]):
                self.bidi[c] = row[1]
        self.joining = ['U'] * LIMIT
        for row in rows(at('extracted/DerivedJoiningType.txt')):
            for c in span(row[0]):
                self.joining[c] = row[1]

        self.sets = {name: set() for name in BINARY}
        for name in ['PropList.txt', 'DerivedCoreProperties.txt', 'DerivedNormalizationProps.txt', 'emoji/emoji-data.txt']:
            for row in rows(at(name)):
                if row[1] in self.sets:
                    self.sets[row[1]].update(span(row[0]))
        self.sets['Bidi_Mirrored'] = self.mirrored
        self.excluded = set()
        for row in rows(at('DerivedNormalizationProps.txt')):
            if row[1] == 'Full_Composition_Exclusion':
                self.excluded.update(span(row[0]))

        self.special_lower = {}
        for row in rows(at('SpecialCasing.txt')):
            if row[4] == '':      # no condition
                target = [int(x, 16) for x in row[1].split()]
                if len(target) > 1:
                    self.special_lower[int(row[0], 16)] = target

        self.property_names = {}
        for row in rows(at('PropertyAliases.txt')):
            self.property_names[row[1]] = [row[1], row[0]] + row[2:]
        self.category_names = []    # (short, aliases)
        self.script_names = []      # (long, aliases)
        for row in rows(at('PropertyValueAliases.txt')):
            if row[0] == 'gc':
                self.category_names.append((row[1], row[2:]))
            elif row[0] == 'sc':
                self.script_names.append((row[2], [row[1]] + row[3:]))
        self.script_names.sort()
        self.script_id = {}
        for i, (name, aliases) in enumerate(self.script_names):
            for alias in [name] + aliases:
                self.script_id[alias] = i
        self.script = ['Unknown'] * LIMIT
        for row in rows(at('Scripts.txt')):
            for c in span(row[0]):
                self.script[c] = row[1]
        self.extensions = [()] * LIMIT
        for row in rows(at('ScriptExtensions.txt')):
            for c in span(row[0]):
                self.extensions[c] = tuple(sorted(self.script_id[x] for x in row[1].split()))


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def runs_of(values):
    """[(first, length, value)] over all code points; None takes the value before it, whatever that is."""
    out = []
    for code, value in enumerate(values):
        if out and (value is None or out[-1][2] == value):
            out[-1][1] += 1
        else:
            out.append([code, 1, 0 if value is None else value])
    return out


class Packed:
    """Runs as (varint length, value byte), and a mark (code point, byte offset) at every 32nd run."""

    def __init__(self, name, runs):
        self.name = name
        self.data = bytearray()
        self.marks = []
        for i, (first, length, value) in enumerate(runs):
            if i % MARK_EVERY == 0:
                self.marks.append((first, len(self.data)))
            self.data += varint(length)
            self.data.append(value)


def category_runs(db):
    """Runs of categories; two or more letters in the order Lu Ll Lu Ll... are one run of the value len(CATEGORIES)."""
    pair = len(CATEGORIES)
    out = []
    for first, length, value in runs_of([CATEGORIES.index(c) for c in db.category]):
        if length == 1 and value < 2 and out:
            before = out[-1]
            if before[2] == pair and (before[1] % 2 == 0) == (value == 0):
                before[1] += 1
                continue
            if before[1] == 1 and before[2] == 0 and value == 1:
                before[1], before[2] = 2, pair
                continue
        out.append([first, length, value])
    return out


def ranges_of(codes):
    out = []
    for c in sorted(codes):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def pack_ranges(codes):
    data = bytearray()
    at = 0
    for first, last in ranges_of(codes):
        data += varint(first - at) + varint(last - first)
        at = last + 1
    return bytes(data)


def pack_binary(db, by_category, name):
    """A property as a union of categories and the ranges in which that union is wrong, whichever is smallest."""
    codes = db.sets[name]
    mask = set()

    def cost(categories):
        union = set().union(*(by_category[c] for c in categories)) if categories else set()
        return len(pack_ranges(union ^ codes))

    best = cost(mask)
    for category in CATEGORIES:
        if len(by_category[category] & codes) * 2 > len(by_category[category]):
            mask.add(category)
    if cost(mask) >= best:
        mask = set()
    best = min(best, cost(mask))
    improved = True
    while improved:
        improved = False
        for category in CATEGORIES:
            if category not in mask and not by_category[category] & codes:
                continue
            changed = mask ^ {category}
            value = cost(changed)
            if value < best:
                best, mask, improved = value, changed, True
    union = set().union(*(by_category[c] for c in mask)) if mask else set()
    return sum(1 << CATEGORIES.index(c) for c in mask), pack_ranges(union ^ codes)


def lower_ranges(db):
    """[(first, count, stride, delta)] of the simple lower case mapping."""
    out = []
    for code, target in sorted(db.lower.items()):
        if code in db.special_lower:
            continue
        delta = target - code
        if out:
            first, count, stride, before = out[-1]
            last = first + (count - 1) * stride
            if before == delta and code - last in (1, 2) and (count == 1 or code - last == stride):
                out[-1] = (first, count + 1, code - last, delta)
                continue
        out.append((code, 1, 1, delta))
    return out


def snake(name):
    return re.sub(r'[^a-z0-9]+', '_', name.lower())


def byte_array(name, data, comment=''):
    lines = ['extern const std::uint8_t %s[%d] = {%s' % (name, len(data), comment)]
    line = '   '
    for value in data:
        text = ' %d,' % value
        if len(line) + len(text) > 118:
            lines.append(line)
            line = '   '
        line += text
    lines += [line, '};', '']
    return lines


def text_array(name, lines_of_names):
    out = ['extern const char %s[] =' % name]
    text = ''.join(line + '\n' for line in lines_of_names)
    chunk = ''
    for line in text.splitlines():
        piece = line + '\\n'
        if len(chunk) + len(piece) > 108:
            out.append('    "%s"' % chunk)
            chunk = ''
        chunk += piece
    out.append('    "%s";' % chunk)
    out.append('extern const std::uint32_t %s_size = %d;' % (name, len(text)))
    out.append('')
    return out, text.encode()


def table_source(db):
    by_category = {c: set() for c in CATEGORIES}
    for code, category in enumerate(db.category):
        by_category[category].add(code)

    sizes = []
    blob = bytearray()
    body = []

    def add(name, data):
        nonlocal blob
        sizes.append((name, len(data), len(gzip.compress(bytes(data), 9))))
        blob += data

    unassigned = {'Cn', 'Co', 'Cs'}
    extension_sets = sorted({e for e in db.extensions if e})
    packed = [
        Packed('category', category_runs(db)),
        Packed('script', runs_of([None if db.category[c] in unassigned else db.script_id[db.script[c]]
                                  for c in range(LIMIT)])),
        Packed('extension', runs_of([None if db.category[c] in unassigned else
                                     (extension_sets.index(db.extensions[c]) + 1 if db.extensions[c] else 0)
                                     for c in range(LIMIT)])),
        Packed('combining', runs_of([None if db.category[c] in unassigned else db.combining[c] for c in range(LIMIT)])),
        # Unassigned code points are in no label, so their class is not asked for.
        Packed('bidi', runs_of([None if db.category[c] in unassigned or db.bidi[c] is None else BIDI.index(db.bidi[c])
                                for c in range(LIMIT)])),
        Packed('joining', runs_of([None if db.category[c] in unassigned else JOINING.index(db.joining[c])
                                   for c in range(LIMIT)])),
    ]
    for table in packed:
        body += byte_array(table.name + '_runs', table.data)
        body.append('extern const RunMark %s_marks[%d] = {' % (table.name, len(table.marks)))
        line = '   '
        for first, offset in table.marks:
            text = ' {0x%X, %d},' % (first, offset)
            if len(line) + len(text) > 118:
                body.append(line)
                line = '   '
            line += text
        body += [line, '};', 'extern const std::uint32_t %s_marks_size = %d;' % (table.name, len(table.marks)), '']
        add(table.name, bytes(table.data) + b''.join(f.to_bytes(4, 'little') + o.to_bytes(4, 'little')
                                                     for f, o in table.marks))

    data = bytearray()
    for members in extension_sets:
        data.append(len(members))
        data += bytes(members)
    body += byte_array('extension_sets', data)
    add('extension_sets', data)

    data = bytearray()
    offsets = []
    for name in BINARY:
        mask, ranges = pack_binary(db, by_category, name)
        offsets.append((mask, len(data), len(data) + len(ranges)))
        data += ranges
    body += byte_array('binary_ranges', data)
    body.append('extern const BinaryProperty binary_properties[%d] = {' % len(BINARY))
    for name, (mask, first, last) in zip(BINARY, offsets):
        body.append('    {0x%08X, %d, %d},    // %s' % (mask, first, last, name))
    body += ['};', '']
    add('binary', bytes(data) + b''.join(m.to_bytes(4, 'little') + f.to_bytes(2, 'little') + t.to_bytes(2, 'little')
                                         for m, f, t in offsets))

    lower = lower_ranges(db)
    body.append('extern const LowerRange lower_ranges[%d] = {' % len(lower))
    line = '   '
    for first, count, stride, delta in lower:
        text = ' {0x%X, %d, %d, %d},' % (first, delta, count, stride)
        if len(line) + len(text) > 118:
            body.append(line)
            line = '   '
        line += text
    body += [line, '};', 'extern const std::uint32_t lower_ranges_size = %d;' % len(lower), '']
    add('lower', b''.join(f.to_bytes(4, 'little') + d.to_bytes(4, 'little', signed=True) + n.to_bytes(2, 'little')
                          + s.to_bytes(2, 'little') for f, n, s, d in lower))
    if db.special_lower != {0x130: [0x69, 0x307]}:
        sys.exit('SpecialCasing.txt has a lower case mapping of several characters that core/text/unicode.cpp does not know')

    # Canonical decompositions: varint delta of the code point, zigzag delta of the first character, index of the second
    # (0: there is none; the highest bit: not to be composed again).
    seconds = sorted({d[1] for d in db.canonical.values() if len(d) == 2})
    if len(seconds) > 126:
        sys.exit('too many second characters for one byte')
    data = bytearray()
    marks = []
    at = 0
    before = 0
    for i, (code, target) in enumerate(sorted(db.canonical.items())):
        if i % MARK_EVERY == 0:
            marks.append((code, len(data)))
            at = code
            before = code
        data += varint(code - at) + zigzag(target[0] - before)
        index = seconds.index(target[1]) + 1 if len(target) == 2 else 0
        data.append(index | (0x80 if index and code in db.excluded else 0))
        at = code
        before = target[0]
    body += byte_array('decompositions', data)
    body.append('extern const std::uint32_t decompositions_size = %d;' % len(data))
    body.append('extern const RunMark decomposition_marks[%d] = {' % len(marks))
    line = '   '
    for first, offset in marks:
        text = ' {0x%X, %d},' % (first, offset)
        if len(line) + len(text) > 118:
            body.append(line)
            line = '   '
        line += text
    body += [line, '};', 'extern const std::uint32_t decomposition_marks_size = %d;' % len(marks), '']
    body.append('extern const char32_t decomposition_seconds[%d] = {' % len(seconds))
    line = '   '
    for code in seconds:
        text = ' 0x%X,' % code
        if len(line) + len(text) > 118:
            body.append(line)
            line = '   '
        line += text
    body += [line, '};', 'extern const std::uint32_t decomposition_seconds_size = %d;' % len(seconds), '']
    add('decompositions', bytes(data) + b''.join(f.to_bytes(4, 'little') + o.to_bytes(4, 'little') for f, o in marks)
        + b''.join(s.to_bytes(4, 'little') for s in seconds))

    lines = []
    group = {}
    for short, aliases in db.category_names:
        group[short] = ' '.join([short] + aliases)
    for category in CATEGORIES:
        lines.append(group.pop(category))
    text, data = text_array('category_names', lines)
    body += text
    add('category names', data)
    # Groups of categories: the names, then the members.
    members = {'C': 'Cc Cf Cs Co Cn', 'L': 'Lu Ll Lt Lm Lo', 'LC': 'Lu Ll Lt', 'M': 'Mn Mc Me', 'N': 'Nd Nl No',
               'P': 'Pc Pd Ps Pe Pi Pf Po', 'S': 'Sm Sc Sk So', 'Z': 'Zs Zl Zp'}
    if set(group) != set(members):
        sys.exit('PropertyValueAliases.txt has a group of categories that is not known here: %s' % (set(group) ^ set(members)))
    text, data = text_array('group_names', [group[g] for g in members])
    body += text
    add('group names', data)
    body.append('extern const std::uint32_t group_masks[%d] = {%s};' % (len(members), ', '.join(
        '0x%08X' % sum(1 << CATEGORIES.index(c) for c in value.split()) for value in members.values())))
    body.append('')
    text, data = text_array('script_names', [' '.join([n] + [a for a in aliases if a != n])
                                             for n, aliases in db.script_names])
    body += text
    add('script names', data)
    names = []
    for name in BINARY:
        names.append(' '.join(dict.fromkeys(db.property_names[name])))
    text, data = text_array('binary_names', names)
    body += text
    add('binary names', data)

    head = [
        '// Unicode %s, packed. Written by `python3 toolchains/unicode/generate.py`; do not edit.' % db.version,
        '// How to read the tables is told at the top of core/text/unicode_packing.hpp.',
        '// clang-format off',
        '#include "core/text/unicode_tables.hpp"',
        '',
        'namespace plumb::text::tables {',
        '',
    ]
    tail = ['}  // namespace plumb::text::tables', '']
    return '\n'.join(head + body + tail), sizes, len(blob), len(gzip.compress(bytes(blob), 9))


def script_header(db):
    lines = [
        '// The scripts of Unicode %s, by their long names. Written by `python3 toolchains/unicode/generate.py`; do not edit.'
        % db.version,
        '// clang-format off',
        '#pragma once',
        '',
        '#include <cstdint>',
        '',
        'namespace plumb::text {',
        '',
        'enum class Script : std::uint8_t {',
    ]
    line = ' '
    for name, _ in db.script_names:
        text = ' %s,' % snake(name)
        if len(line) + len(text) > 118:
            lines.append(line)
            line = ' '
        line += text
    lines += [line, '};', '', 'constexpr std::uint32_t scripts_size = %d;' % len(db.script_names), '',
              '}  // namespace plumb::text', '']
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--ucd', default='/usr/share/unicode', help='the folder with UnicodeData.txt')
    parser.add_argument('--check', action='store_true', help='fail when the written files are out of date')
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.ucd, 'UnicodeData.txt')):
        sys.exit('%s has no UnicodeData.txt: install the Debian package unicode-data, or name its folder with --ucd'
                 % options.ucd)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'core', 'text')
    db = Database(options.ucd)
    source, sizes, raw, packed = table_source(db)
    for name, size, zipped in sizes:
        print('%-16s %6d bytes %6d gzip' % (name, size, zipped))
    print('%-16s %6d bytes %6d gzip' % ('all', raw, packed))
    for name, text in [('unicode_tables.cpp', source), ('unicode_scripts.hpp', script_header(db))]:
        path = os.path.normpath(os.path.join(root, name))
        if options.check:
            with open(path, encoding='utf-8') as file:
                if file.read() != text:
                    sys.exit('%s is out of date: run python3 toolchains/unicode/generate.py' % name)
        else:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)


if __name__ == '__main__':
    main()
