#include "core/extract/wanted.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace plumb::extract;

namespace {

bool supported(std::string_view question, std::string_view quote, std::string_view claim = {}) {
  return supports(wanted_by(question), quote, claim);
}
bool proved(std::string_view question, std::string_view quote, std::string_view around = {}) {
  return proves(question, wanted_by(question), quote, around);
}

}  // namespace

TEST_CASE("wanted: how many wants a number of that very thing") {
  constexpr std::string_view fields = "How many fields does a line of fstab have?";
  CHECK(supported(fields, "Each line has six fields."));
  CHECK(supported(fields, "A line has 6 fields, which are separated by blanks."));
  CHECK_FALSE(supported(fields, "Fields are separated by tabs."));
  CHECK_FALSE(supported(fields, "The fields were described in chapter 4 of the manual about other files."));
  CHECK_FALSE(supported(fields, "It came with version 12."));
  // The number of the question is no answer to it.
  CHECK_FALSE(supported("What is the exit status of xargs if the command exited with status 255?",
                        "If the command exits with status 255, xargs stops."));
  CHECK(supported("What is the exit status of xargs if the command exited with status 255?",
                  "124 if the command exited with status 255"));
  // What its author says of the very number counts; of another one it does not.
  constexpr std::string_view entries = "How many records does the tool show?";
  CHECK(supported(entries, "This prints the three most recent lines", "It shows three records."));
  CHECK_FALSE(supported(entries, "This prints the three most recent lines", "It shows four records."));
  CHECK_FALSE(supported(entries, "This prints the three most recent lines"));
}

TEST_CASE("wanted: a length of time wants its unit, a percentage its sign") {
  CHECK(supported("How long does it wait?", "The default is 60 seconds."));
  CHECK_FALSE(supported("How long does it wait?", "The default is 60 packages."));
  CHECK(supported("What percentage of blocks is reserved?", "The default percentage is 5%."));
  CHECK_FALSE(supported("What percentage of blocks is reserved?", "The default is 4096 blocks."));
  CHECK(supported("How often is the index refreshed?", "It is refreshed every minute."));
}

TEST_CASE("wanted: who wants a name that the question does not have, when a date") {
  CHECK(supported("Who wrote e2fsck?", "This version of e2fsck was written by Theodore Ts'o."));
  CHECK_FALSE(supported("Who wrote sort?", "The test command sorts using ASCII ordering."));
  CHECK_FALSE(supported("Who maintains Debian?", "Debian is maintained with care."));
  CHECK(supported("Who may mount it?", "Only the superuser can mount it."));
  CHECK(supported("When was dpkg written?", "The tool dpkg was written in 1994."));
  CHECK_FALSE(supported("When was dpkg written?", "The tool dpkg was written by Ian Murdock."));
  CHECK(supported("When is a run removed?", "A run is removed after it was shown."));
  CHECK(supported("In which year did it begin?", "It began in 1996."));
}

TEST_CASE("wanted: which file wants a path, which option an option, which variable a variable") {
  CHECK(supported("In which file is the hostname stored?", "The name is stored in \"/etc/hostname\"."));
  CHECK_FALSE(supported("In which file is the hostname stored?", "The file holds the name, and/or its alias."));
  CHECK_FALSE(supported("Which file goes before /etc/hosts?", "The file /etc/hosts is read."));
  CHECK(supported("Which option ignores case?", "-i, --ignore-case  Ignore case distinctions"));
  CHECK_FALSE(supported("Which option ignores case?", "Case is ignored by an option."));
  CHECK(supported("Which environment variable tells the address?", "Set $DEBEMAIL to it."));
  CHECK_FALSE(supported("Which environment variable tells the address?", "Set the variable to it."));
}

TEST_CASE("wanted: without a model a quote answers only where it says all that the question says") {
  CHECK(proved("Which option of gzip keeps the input files?", "-k --keep Keep (don't delete) input files.", "gzip(1)"));
  CHECK_FALSE(proved("Which option of gzip encrypts the file?", "-k --keep Keep the file.", "gzip(1)"));
  CHECK_FALSE(proved("Which option of gzip keeps the input files?", "-k --keep Keep input files.", "xz(1)"));
  // Names count as they are written.
  CHECK_FALSE(
      proved("Which option of apt-get removes files?", "--purge removes the files that apt can get.", "apt(8)"));
  CHECK(proved("Which option of apt-get removes files?", "--purge removes files.", "APT-GET(8)"));
  // A word that is a name carries the question, though it says little elsewhere.
  CHECK_FALSE(proved("What is the default timeout in seconds of the find command?",
                     "The default timeout is 60 seconds.", "start-stop-daemon(8)"));
  CHECK(proved("What is the default timeout in seconds of the find command?", "The default timeout is 60 seconds.",
               "find(1)"));
  // Words of one family, and those that mean the same.
  CHECK(proved("Which file configures encrypted filesystems?",
               "The configuration of the encrypted filesystem is set in /etc/crypttab."));
  CHECK(
      proved("Who wrote the first edition of Alpha?", "Alpha was initially written by Ada Lovelace, an edition of 9."));
  // What has no form is left to who can read.
  CHECK_FALSE(proved("How do I remove the files?", "To remove the files, run it with --purge."));
  CHECK_FALSE(proved("What happens to the files?", "The files are removed."));
  // What a thing does is said where the sentence begins with it.
  CHECK(proved("What does the noatime option do?", "noatime  Do not update access times.", "mount(8)"));
  CHECK_FALSE(proved("What does the noatime option do?", "Use the option noatime for speed.", "mount(8)"));
}

TEST_CASE("wanted: who did it stands where words say so, not where somebody is named") {
  CHECK(proved("Who wrote e2fsck?", "This version of e2fsck was written by Theodore Ts'o."));
  CHECK(proved("Who wrote sort?", "Written by Mike Haertel and Paul Eggert.", "sort(1)"));
  CHECK(proved("Who designed LZMA?", "It is the name of the algorithm designed by Igor Pavlov.", "LZMA"));
  CHECK(proved("Who wrote sed?", "Sed has no windows: Lee McMahon wrote it as a filter."));
  CHECK_FALSE(proved("Who wrote zsh?", "Paul's object in writing zsh was to produce a shell like ksh."));
  CHECK_FALSE(
      proved("Who wrote the lzma script?", "The script was written in C++ and replaced LZMA Alone by Tukaani."));
}

TEST_CASE("wanted: a value stands where a word says that it is one") {
  CHECK(proved("What is the default inode size that mke2fs uses?",
               "The inode size that mke2fs uses for most file systems by default is 256 bytes."));
  CHECK_FALSE(proved("What block size does xz use?",
                     "One can adjust block size, but to make the block smaller is a waste: using xz with 6 MiB blocks "
                     "isn't any better."));
  CHECK_FALSE(proved("How many bits is the first table that inflate uses for the code lengths tree?",
                     "For inflate, which has 286 possible codes for the literal/length tree, the size of the first "
                     "table is nine bits."));
}

TEST_CASE("wanted: what it is stands in a sentence that begins with it; so does what it is for") {
  CHECK(proved("What is a dpkg trigger?", "A dpkg trigger is a facility that allows events to be recorded."));
  CHECK_FALSE(proved("What is a dpkg trigger?", "When a dpkg trigger is activated, it becomes pending."));
  CHECK_FALSE(proved("What is a dpkg trigger?", "A package with a dpkg trigger is a special one."));
  CHECK(proved("What was the gzip format designed for?",
               "The gzip format was designed to retain the directory information about a single file."));
  CHECK(proved("How is zlib classified for export control?",
               "zlib is not subject to export controls, and so is classified as EAR99."));
}
