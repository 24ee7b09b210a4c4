// Formats, case by case. Most cases come from the documents that define the format, or sit at an edge of their grammar.
#include "core/text/format.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/format_punycode.hpp"

using namespace plumb::text;

namespace {

void check_all(Format format, bool expected, std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    CAPTURE(format_name(format));
    CAPTURE(std::string(text));
    CHECK(format_holds(format, text) == expected);
  }
}

void holds(Format format, std::initializer_list<std::string_view> texts) { check_all(format, true, texts); }
void broken(Format format, std::initializer_list<std::string_view> texts) { check_all(format, false, texts); }

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

}  // namespace

TEST_CASE("format: every format of the specification has its name, and the name gives the format") {
  unsigned known = 0;
  for (const std::string_view name : {"date-time", "date", "time", "duration", "email", "idn-email", "hostname",
                                      "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
                                      "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex"}) {
    const std::optional<Format> format = format_named(name);
    REQUIRE(format);
    CHECK(format_name(*format) == name);
    ++known;
  }
  CHECK(known == formats_count);
  CHECK_FALSE(format_named("color"));
  CHECK_FALSE(format_named("Date"));
  CHECK_FALSE(format_named(""));
}

TEST_CASE("format date: a day that the calendar has, written with four, two and two digits") {
  holds(Format::date, {"1963-06-19", "2020-01-31", "2021-02-28", "2020-02-29", "2000-02-29", "0000-01-01", "0000-02-29",
                       "9999-12-31", "2021-04-30", "2021-06-30", "2021-09-30", "2021-11-30"});
  broken(Format::date, {"",
                        "2020-01-32",
                        "2021-02-29",
                        "1900-02-29",
                        "2100-02-29",
                        "2020-02-30",
                        "2021-04-31",
                        "2021-06-31",
                        "2021-09-31",
                        "2021-11-31",
                        "2020-00-10",
                        "2020-13-01",
                        "2020-01-00",
                        "06/19/1963",
                        "2013-350",
                        "1998-1-20",
                        "1998-01-1",
                        "1998-13-01",
                        "98-01-01",
                        "1963-06-1\xE0\xA7\xAA",
                        "20230328",
                        "2023-W01",
                        "2023-W13-2",
                        "2022W527",
                        "2020-11-28T23:55:45Z",
                        "-2020-01-01",
                        "+2020-01-01",
                        "12020-01-01",
                        " 2020-01-01",
                        "2020-01-01 ",
                        "2020-01-01\n",
                        "2020_01_01",
                        "2020-01",
                        "2020",
                        "2020--01-01"});
}

TEST_CASE("format time: RFC 3339 full-time with its offset, leap seconds only at 23:59:60 UTC") {
  holds(Format::time,
        {"08:30:06Z",      "08:30:06z",        "00:00:00Z",      "23:59:59Z",
         "23:20:50.52Z",   "08:30:06.283185Z", "08:30:06.0Z",    "08:30:06.00000000000000000000000000000001Z",
         "08:30:06+00:20", "08:30:06-08:00",   "12:34:56-00:00", "12:34:56+23:59",
         "12:34:56-23:59", "23:59:60Z",        "23:59:60.5Z",    "23:59:60+00:00",
         "23:59:60-00:00", "01:29:60+01:30",   "23:29:60+23:30", "15:59:60-08:00",
         "00:29:60-23:30", "00:59:60+01:00",   "22:59:60-01:00"});
  broken(Format::time, {"",
                        "08:30:06",
                        "08:30:06 PST",
                        "8:30:06Z",
                        "008:030:006Z",
                        "8:3:6Z",
                        "24:00:00Z",
                        "00:60:00Z",
                        "00:00:61Z",
                        "22:59:60Z",
                        "23:58:60Z",
                        "23:59:60+01:00",
                        "23:59:60-01:00",
                        "23:59:60+00:30",
                        "00:59:60Z",
                        "01:02:03+24:00",
                        "01:02:03+00:60",
                        "01:02:03Z+00:30",
                        "01:01:01,1111",
                        "12:00:00.52",
                        "12:00:00.Z",
                        "12:00Z",
                        "12:00:00+0130",
                        "12:00:00+01",
                        "12:00:00+1:30",
                        "12:00:00+01:3",
                        "12:00:00#00:20",
                        "ab:cd:ef",
                        "1\xE0\xA7\xA8:00:00Z",
                        "2020-11-28T23:55:45Z",
                        "08:30:06Z\n",
                        " 08:30:06Z",
                        "24:59:00+01:00",
                        "08:30:06 Z",
                        "08:30:06--08:00"});
}

TEST_CASE("format date-time: T and Z in either case, a leap second at the end of a month in UTC") {
  holds(Format::date_time,
        {"1963-06-19T08:30:06.283185Z", "1963-06-19T08:30:06Z", "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00",
         "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00", "1937-01-01T12:00:27.87+00:20", "1998-12-31T23:59:60Z",
         "1998-12-31T15:59:60.123-08:00", "1999-01-01T00:59:60+01:00", "2015-06-30T23:59:60Z", "1963-06-19t08:30:06z",
         "2015-07-01T08:59:60+09:00", "2016-02-29T23:59:60Z", "2016-02-29T14:29:60-09:30", "2020-02-29T23:59:59Z"});
  broken(Format::date_time, {"",
                             "1998-12-31T23:59:61Z",
                             "1998-12-31T23:58:60Z",
                             "1998-12-31T22:59:60Z",
                             "1998-12-30T23:59:60Z",
                             "2015-06-15T23:59:60Z",
                             "2016-02-28T23:59:60Z",
                             "1999-01-02T00:59:60+01:00",
                             "1990-02-31T15:59:59.123-08:00",
                             "1990-12-31T15:59:59-24:00",
                             "1963-06-19T08:30:06.28123+01:00Z",
                             "06/19/1963 08:30:06 PST",
                             "2013-350T01:01:01",
                             "1963-6-19T08:30:06.283185Z",
                             "1963-06-1T08:30:06.283185Z",
                             "1963-06-1\xE0\xA7\xAAT00:00:00Z",
                             "1963-06-11T0\xE0\xA7\xAA:00:00Z",
                             "1963-06-19 08:30:06Z",
                             "1963-06-19T08:30:06",
                             "1963-06-19T08:30Z",
                             "1963-06-19T25:30:06Z",
                             "1963-06-19",
                             "08:30:06Z",
                             "+11963-06-19T08:30:06.283185Z",
                             "1963-06-19T08:30:06Z ",
                             "1963-06-19TT08:30:06Z"});
}

TEST_CASE("format duration: whole units of RFC 3339 appendix A, none skipped, weeks alone") {
  holds(Format::duration, {"P4DT12H30M5S",
                           "P4Y",
                           "PT0S",
                           "P0D",
                           "P1M",
                           "PT1M",
                           "PT36H",
                           "P1DT12H",
                           "P2W",
                           "P1Y2M3D",
                           "P1Y2M3DT4H5M6S",
                           "PT1H2M3S",
                           "P1M2D",
                           "PT1H30M",
                           "P1Y2M",
                           "PT1M2S",
                           "P01D",
                           "P0W",
                           "P99999999999999999999D",
                           "P3Y6M4DT12H30M5S",
                           "p1d",
                           "pt5s",
                           "P1YT1S",
                           "P1MT1H"});
  broken(Format::duration,
         {"",      "P",      "PT",    "PT1D",  "4DT12H30M5S", "P1YT",    "P2D1Y",          "P1D2H",  "P2S",    "P1Y2W",
          "P1W2D", "P1WT1H", "P0Y1W", "P1",    "PT1",         "P1Y2D",   "PT1H2S",         "PT0.5S", "PT0,5S", "-P1D",
          "P-1D",  "P1D ",   " P1D",  "P1D\n", "P1D2T3H",     "P1e2D",   "P\xE0\xA7\xA8Y", "P1Y1Y",  "PT1S1M", "P1DT",
          "PD",    "PTS",    "P1M1Y", "P1H",   "T1H",         "PT1HT1M", "P1DP1D"});
}

TEST_CASE("format ipv4: four decimal octets without leading zeros") {
  holds(Format::ipv4, {"192.168.0.1", "0.0.0.0", "255.255.255.255", "1.2.3.4", "10.0.0.100"});
  broken(Format::ipv4, {"",
                        "127.0.0.0.1",
                        "256.256.256.256",
                        "127.0",
                        "0x7f000001",
                        "2130706433",
                        "087.10.0.1",
                        "87.10.0.1 ",
                        " 1.2.3.4",
                        "1.2.3",
                        "1.2.3.",
                        ".1.2.3",
                        "1..2.3",
                        "1.2.3.4.",
                        "1.2.3.256",
                        "1.2.3.00",
                        "01.2.3.4",
                        "1.2.3.1000",
                        "a.b.c.d",
                        "1.2.3.-4",
                        "1.2.3.+4",
                        "1.2.3.4/24",
                        "1\xE0\xA7\xA8"
                        "7.0.0.1",
                        "1.2.3.4\n"});
}

TEST_CASE("format ipv6: RFC 4291 section 2.2") {
  holds(Format::ipv6, {"::1",
                       "::",
                       "::abef",
                       "::42:ff:1",
                       "d6::",
                       "1:d6::42",
                       "1::d6:192.168.0.1",
                       "1:2::192.168.0.1",
                       "::ffff:192.168.0.1",
                       "1:2:3:4:5:6:7:8",
                       "1000:1000:1000:1000:1000:1000:255.255.255.255",
                       "2001:DB8:0:0:8:800:200C:417A",
                       "FF01:0:0:0:0:0:0:101",
                       "2001:DB8::8:800:200C:417A",
                       "FF01::101",
                       "0:0:0:0:0:0:13.1.68.3",
                       "::13.1.68.3",
                       "::FFFF:129.144.52.38",
                       "1:2:3:4:5:6:7::",
                       "::2:3:4:5:6:7:8",
                       "1::3:4:5:6:7:8",
                       "1:2:3:4:5::1.2.3.4",
                       "abcd:ef01:2345:6789:abcd:ef01:2345:6789"});
  broken(Format::ipv6, {"",
                        "12345::",
                        "::abcef",
                        "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1",
                        "::laptop",
                        ":2:3:4:5:6:7:8",
                        "1:2:3:4:5:6:7:",
                        ":2:3:4::8",
                        "1::d6::42",
                        "1::2:192.168.256.1",
                        "1::2:192.168.ff.1",
                        "1:2:3:4:5:::8",
                        "1:2:3:4:5:6:7",
                        "1",
                        "127.0.0.1",
                        "1:2:3:4:1.2.3",
                        "  ::1",
                        "::1  ",
                        "fe80::/64",
                        "fe80::a%eth1",
                        "::1%1",
                        "100:100:100:100:100:100:255.255.255.255.255",
                        "100:100:100:100:100:100:100:255.255.255.255",
                        "1:2:3:4:5:6:7:\xE0\xA7\xAA",
                        "::ffff:256.1.1.1",
                        "1:2:3:4:5:6:7:8::",
                        "::1:2:3:4:5:6:7:8",
                        "1::2:3:4:5:6:7:8",
                        ":",
                        ":::",
                        "1:",
                        ":1",
                        "::ffff:192.168.0.01",
                        "1.2.3.4::",
                        "::1.2.3.4:5",
                        "1:2:3:4:5:6:7:8:9",
                        "[::1]",
                        "1:2:3:4:5:6:1.2.3.4:7",
                        "1:2:3:4:5:6::1.2.3.4"
                        "5",
                        "::g"});
}

TEST_CASE("format email: the Mailbox of RFC 5321") {
  holds(Format::email, {"joe.bloggs@example.com",
                        "te~st@example.com",
                        "~test@example.com",
                        "test~@example.com",
                        "\"joe bloggs\"@example.com",
                        "\"joe..bloggs\"@example.com",
                        "\"joe@bloggs\"@example.com",
                        "joe.bloggs@[127.0.0.1]",
                        "joe.bloggs@[IPv6:::1]",
                        "a@[ipv6:::1]",
                        "te.s.t@example.com",
                        "a@b",
                        "1@2",
                        "test@255.255.255.255",
                        "\"\"@iana.org",
                        "\" \"@iana.org",
                        "test@c--n.com",
                        "test@123.com",
                        "\"\\a\"@iana.org",
                        "\"\\\"\"@iana.org",
                        "\"\\\\\"@iana.org",
                        "!#$%&'*+-/=?^_`{|}~@example.org",
                        "a@[IPv6:2001:db8::1]",
                        "a@[IPv6:1:2:3:4:5:6:7:8]",
                        "a@[IPv6:1:2:3:4:5:6:1.2.3.4]",
                        "a@[IPv6:::1.2.3.4]",
                        "a@[001.002.003.004]",
                        "user+tag@sub.example.co.uk",
                        "\"Fred \\\"quota\\\" Bloggs\"@example.com",
                        "customer/department=shipping@example.com",
                        "$A12345@example.com",
                        "!def!xyz%abc@example.com",
                        "_somename@example.com"});
  broken(Format::email, {"",
                         "2962",
                         "@example.com",
                         "joe.bloggs@",
                         "joe bloggs@example.com",
                         ".test@example.com",
                         "test.@example.com",
                         "te..st@example.com",
                         "joe.bloggs@invalid=domain.com",
                         "joe.bloggs@[127.0.0.300]",
                         "user1@oceania.org, user2@oceania.org",
                         "\"W S\" <w.s@recdep.minitrue>",
                         "a\xC3\xA9@iana.org",
                         "a@\xC3\xA9.org",
                         "a\xEF\xBC\xA0iana.org",
                         "\"test\\\xC2\xA9\"@iana.org",
                         "test@iana.org\n",
                         "a@iana.org ",
                         " a@iana.org",
                         "a\tb@iana.org",
                         "\x7F@iana.org",
                         "test\"@iana.org",
                         "\"test\"test@iana.org",
                         "\"test@iana.org",
                         "a@b@c.org",
                         "test\\@test@iana.org",
                         "[1.2.3.4]@iana.org",
                         "test@-iana.org",
                         "test@iana-.com",
                         "test@.iana.org",
                         "test@iana.org.",
                         "test@iana..com",
                         "test@[1.2.3.4",
                         "a@[]",
                         "a@[1.2.3]",
                         "a@[1.2.3.4.5]",
                         "test@[RFC-5322-domain-literal]",
                         "test@a[255.255.255.255]",
                         "a@[IPv6:1:2:3:4:5:6:7::]",
                         "a@[IPv6:1.2.3.4]",
                         "a@[IPv6:1::2:3:4:5:6:7]",
                         "a@[::1]",
                         "a@[Foo:bar]",
                         "a,b@iana.org",
                         "a;b@iana.org",
                         "a:b@iana.org",
                         "test(comment)@iana.org",
                         "a@b(c).org",
                         "a@b_c.org",
                         "\"a\nb\"@iana.org",
                         "a.\"b\"@iana.org"});
  const std::string local64 = repeat("a", 64);
  const std::string label63 = repeat("b", 63);
  CHECK(format_holds(Format::email, local64 + "@example.com"));
  CHECK_FALSE(format_holds(Format::email, local64 + "a@example.com"));
  CHECK(format_holds(Format::email, "a@" + label63 + ".com"));
  CHECK_FALSE(format_holds(Format::email, "a@b" + label63 + ".com"));
  CHECK_FALSE(format_holds(Format::email, "a@" + repeat("bbbbbbbb.", 31) + "com"));
}

TEST_CASE("format idn-email: UTF-8 in the local part, U-labels in the domain") {
  holds(Format::idn_email,
        {"\xEC\x8B\xA4\xEB\xA1\x80@\xEC\x8B\xA4\xEB\xA1\x80.\xED\x85\x8C\xEC\x8A\xA4\xED\x8A\xB8",
         "joe.bloggs@example.com",
         "J\xC3\xBCrgen@b\xC3\xBC"
         "cher.example",
         "\"J\xC3\xBCrgen M\"@example.com", "a@xn--bcher-kva.example", "\xE5\x90\x8D\xE5\x89\x8D@[127.0.0.1]",
         "\"\"@iana.org", "a@\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D.example"});
  broken(Format::idn_email,
         {"", "2962",
          "@b\xC3\xBC"
          "cher.example",
          "J\xC3\xBCrgen@",
          "a@B\xC3\x9C"
          "CHER.example",
          "a@b\xC3\xBC"
          "cher..example",
          "a@-b\xC3\xBC"
          "cher.example",
          "\"a\\\xC3\xBC\"@example.com", "a\x80@example.com", "a\xED\xA0\x80@example.com", "a@\xE2\x98\x83.example"});
}

TEST_CASE("format hostname: letters, digits and hyphens, 63 a label, 253 in all, no dot at the end") {
  holds(Format::hostname, {"www.example.com",
                           "hostname",
                           "host-name",
                           "h0stn4me",
                           "1host",
                           "hostnam3",
                           "a",
                           "1",
                           "a.b.c.d",
                           "EXAMPLE.com",
                           "xn--4gbwdl.xn--wgbh1c",
                           "xn--bcher-kva.example",
                           "XN--BCHER-KVA.EXAMPLE",
                           "r3---sn-abc.example.com",
                           "a--b.c",
                           "xn--ihqwcrb4cv8a8dqg056pqjye",
                           "1.2.3",
                           "3com.com",
                           "xn--zca29lwxobi7a",
                           "127.0.0.1.example",
                           "xn--fiqs8s",
                           "xn--wgv71a119e.jp"});
  broken(Format::hostname, {"",
                            ".",
                            "example.",
                            ".example",
                            "a..b",
                            "-hostname",
                            "hostname-",
                            "_hostname",
                            "hostname_",
                            "host_name",
                            "a.-b",
                            "a.b-",
                            "-a-host-name-that-starts-with--",
                            "not_a_valid_host_name",
                            "host name",
                            "host\n",
                            "b\xC3\xBC"
                            "cher.de",
                            "1.2.3.4",
                            "999.999.999.999",
                            "xn--X",
                            "xn--",
                            "XN--aa---o47jg78q",
                            "xn--a",
                            "xn--hello-",
                            "a:80",
                            "a/b",
                            "xn--abc-",
                            "[::1]",
                            "a@b",
                            "xn--\xC3\xBC",
                            "a\xE3\x80\x82"
                            "b"});
  const std::string label63 = repeat("a", 63);
  CHECK(format_holds(Format::hostname, label63 + ".com"));
  CHECK_FALSE(format_holds(Format::hostname, label63 + "a.com"));
  const std::string long_name = label63 + "." + label63 + "." + label63 + "." + repeat("b", 61);
  REQUIRE(long_name.size() == 253);
  CHECK(format_holds(Format::hostname, long_name));
  CHECK_FALSE(format_holds(Format::hostname, long_name + "b"));
}

TEST_CASE("format idn-hostname: U-labels by RFC 5891 and RFC 5892") {
  holds(Format::idn_hostname, {"\xEC\x8B\xA4\xEB\xA1\x80.\xED\x85\x8C\xEC\x8A\xA4\xED\x8A\xB8",
                               "b\xC3\xBC"
                               "cher.example",
                               "fa\xC3\x9F.de",
                               "\xC3\x9F\xCF\x82\xE0\xBC\x8B\xE3\x80\x87",
                               "\xDB\xBD\xDB\xBE",
                               "l\xC2\xB7l",
                               "\xCE\xB1\xCD\xB5\xCE\xB2",
                               "\xD7\x90\xD7\xB3\xD7\x91",
                               "\xD7\x90\xD7\xB4\xD7\x91",
                               "\xE3\x83\xBB\xE3\x81\x81",
                               "\xE3\x83\xBB\xE3\x82\xA1",
                               "\xE3\x83\xBB\xE4\xB8\x88",
                               "\xD8\xA8\xD9\xA0\xD8\xA8",
                               "\xDB\xB0"
                               "0",
                               "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7",
                               "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8C\xE0\xA4\xB7",
                               "\xD8\xA8\xD9\x8A\xE2\x80\x8C\xD8\xA8\xD9\x8A",
                               "hostname",
                               "xn--ihqwcrb4cv8a8dqg056pqjye",
                               "a\xE3\x80\x82"
                               "b",
                               "a\xEF\xBC\x8E"
                               "b",
                               "a\xEF\xBD\xA1"
                               "b",
                               "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E.jp",
                               "a--b.example"});
  broken(Format::idn_hostname, {"",
                                ".",
                                "\xE3\x80\x82",
                                "a\xE3\x80\x82",
                                "\xE3\x80\x82"
                                "a",
                                "-> $1.00 <--",
                                "xn--X",
                                "XN--aa---o47jg78q",
                                "-hello",
                                "hello-",
                                "-hello-",
                                "\xE0\xA4\x83hello",
                                "\xCC\x80hello",
                                "\xD2\x88hello",
                                "\xE3\x80\xAE\xEC\x8B\xA4\xEB\xA1\x80",
                                "\xEC\x8B\xA4\xE3\x80\xAE\xEB\xA1\x80",
                                "\xD9\x80\xDF\xBA",
                                "\xE3\x80\xB1\xE3\x80\xB2\xE3\x80\xAE\xE3\x80\xBB",
                                "a\xC2\xB7l",
                                "\xC2\xB7l",
                                "l\xC2\xB7"
                                "a",
                                "l\xC2\xB7",
                                "\xCE\xB1\xCD\xB5S",
                                "\xCE\xB1\xCD\xB5",
                                "A\xD7\xB3\xD7\x91",
                                "\xD7\xB3\xD7\x91",
                                "A\xD7\xB4\xD7\x91",
                                "def\xE3\x83\xBB"
                                "abc",
                                "\xE3\x83\xBB",
                                "\xD8\xA8\xD9\xA0\xDB\xB0",
                                "\xE0\xA4\x95\xE2\x80\x8D\xE0\xA4\xB7",
                                "\xE2\x80\x8D\xE0\xA4\xB7",
                                "a\xE2\x80\x8C"
                                "b",
                                "B\xC3\xBC"
                                "cher.example",
                                "\xC3\x9C"
                                "ber.example",
                                "b\x75\xCC\x88"
                                "cher.example",
                                "\xE2\x98\x83.example",
                                "\xC3\xBC_b",
                                "\xC3\xBC"
                                "a--b",
                                "ab--\xC3\xBC",
                                "r3---sn.b\xC3\xBC"
                                "cher.example",
                                "\xF0\x9F\x92\xA9.la",
                                "\xED\xA0\x80",
                                "\xC3",
                                "\xEF\xBD\x81.jp"});
  CHECK_FALSE(format_holds(Format::idn_hostname, repeat("\xEC\x8B\xA4", 64)));
  CHECK(format_holds(Format::idn_hostname, repeat("\xEC\x8B\xA4", 40)) ==
        (punycode_encode(std::vector<char32_t>(40, 0xC2E4)).size() + 4 <= 63));
}

TEST_CASE("format idn-hostname: the Bidi rule holds for all labels when one is right to left") {
  const std::string hebrew = "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D";
  holds(Format::idn_hostname, {"\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D.example", "example.\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
                               "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D"
                               "1.com",
                               "a1.\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D", "\xD8\xA8\xD9\x8A\xD8\xA8", "\xD7\xA9-\xD7\xA9"});
  broken(Format::idn_hostname, {"1\xD7\xA9\xD7\x9C", "a\xD7\xA9",
                                "\xD7\xA9"
                                "a",
                                "\xD7\xA9"
                                "a\xD7\xA9",
                                "1host.\xD7\xA9\xD7\x9C",
                                "\xD7\xA9\xD9\xA1"
                                "1\xD7\xA9",
                                "\xD9\xA1\xD8\xA8"});
  // As A-labels they are judged alike.
  const std::vector<char32_t> label = {0x05E9, U'a', 0x05E9};
  CHECK_FALSE(format_holds(Format::hostname, "xn--" + punycode_encode(label)));
  const std::vector<char32_t> sound = {0x05E9, 0x05DC, 0x05D5, 0x05DD};
  CHECK(format_holds(Format::hostname, "xn--" + punycode_encode(sound)));
  CHECK_FALSE(format_holds(Format::hostname, "1host.xn--" + punycode_encode(sound)));
  CHECK(format_holds(Format::idn_hostname, hebrew));
}

TEST_CASE("punycode: the samples of RFC 3492 section 7.1 decode and encode") {
  struct Sample {
    std::vector<char32_t> code_points;
    std::string_view text;
  };
  const std::vector<Sample> samples = {
      {{0x0644, 0x064A, 0x0647, 0x0645, 0x0627, 0x0628, 0x062A, 0x0643, 0x0644, 0x0645, 0x0648, 0x0634, 0x0639, 0x0631,
        0x0628, 0x064A, 0x061F},
       "egbpdaj6bu4bxfgehfvwxn"},
      {{0x4ED6, 0x4EEC, 0x4E3A, 0x4EC0, 0x4E48, 0x4E0D, 0x8BF4, 0x4E2D, 0x6587}, "ihqwcrb4cv8a8dqg056pqjye"},
      {{0x4ED6, 0x5011, 0x7232, 0x4EC0, 0x9EBD, 0x4E0D, 0x8AAA, 0x4E2D, 0x6587}, "ihqwctvzc91f659drss3x8bo0yb"},
      {{0x0050, 0x0072, 0x006F, 0x010D, 0x0070, 0x0072, 0x006F, 0x0073, 0x0074, 0x011B, 0x006E,
        0x0065, 0x006D, 0x006C, 0x0075, 0x0076, 0x00ED, 0x010D, 0x0065, 0x0073, 0x006B, 0x0079},
       "Proprostnemluvesky-uyb24dma41a"},
      {{0x05DC, 0x05DE, 0x05D4, 0x05D4, 0x05DD, 0x05E4, 0x05E9, 0x05D5, 0x05D8, 0x05DC, 0x05D0,
        0x05DE, 0x05D3, 0x05D1, 0x05E8, 0x05D9, 0x05DD, 0x05E2, 0x05D1, 0x05E8, 0x05D9, 0x05EA},
       "4dbcagdahymbxekheh6e0a7fei0b"},
      {{0x0033, 0x5E74, 0x0042, 0x7D44, 0x91D1, 0x516B, 0x5148, 0x751F}, "3B-ww4c5e180e575a65lsy2b"},
      {{0x3072, 0x3068, 0x3064, 0x5C4B, 0x6839, 0x306E, 0x4E0B, 0x0032}, "2-u9tlzr9756bt3uc0v"},
      {{0x305D, 0x306E, 0x30B9, 0x30D4, 0x30FC, 0x30C9, 0x3067}, "d9juau41awczczp"},
      {{0x002D, 0x003E, 0x0020, 0x0024, 0x0031, 0x002E, 0x0030, 0x0030, 0x0020, 0x003C, 0x002D}, "-> $1.00 <--"},
  };
  for (const Sample& sample : samples) {
    CAPTURE(std::string(sample.text));
    std::vector<char32_t> decoded;
    CHECK(punycode_decode(sample.text, decoded));
    CHECK(decoded == sample.code_points);
    CHECK(punycode_encode(sample.code_points) == sample.text);
  }
  std::vector<char32_t> out;
  for (const std::string_view text : {"99999999", "a-\xC3\xBC", "_", "ab-9"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(punycode_decode(text, out));
  }
}

TEST_CASE("format uri: RFC 3986, with a scheme") {
  holds(Format::uri, {"http://foo.bar/?baz=qux#quux",
                      "http://foo.com/blah_(wikipedia)_blah#cite-1",
                      "http://foo.bar/?q=Test%20URL-encoded%20stuff",
                      "http://xn--nw2a.xn--j6w193g/",
                      "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
                      "http://223.255.255.254",
                      "ftp://ftp.is.co.za/rfc/rfc1808.txt",
                      "http://www.ietf.org/rfc/rfc2396.txt",
                      "ldap://[2001:db8::7]/c=GB?objectClass?one",
                      "mailto:John.Doe@example.com",
                      "news:comp.infosystems.www.servers.unix",
                      "tel:+1-816-555-1212",
                      "telnet://192.0.2.16:80/",
                      "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
                      "http://087.10.0.1/",
                      "http://999.999.999.999/",
                      "http://a.com:",
                      "http://a.com:999999999",
                      "http://:80",
                      "http://@a.com",
                      "http://user@",
                      "http://!$&'()*+,;=.com",
                      "http://example.com.",
                      "http://under_score.com/",
                      "a:",
                      "a:b",
                      "a:/",
                      "a://",
                      "a:///b",
                      "http://[v7.a:b]/",
                      "http://[vF.~!]",
                      "file:///etc/passwd",
                      "data:text/plain,hello",
                      "a+b-c.d:e",
                      "http://a?b#c?d/e",
                      "http://a/%00",
                      "foo://example.com:8042/over/there?name=ferret#nose",
                      "urn:example:animal:ferret:nose",
                      "a:b:c:d",
                      "a:?#",
                      "http://[::ffff:1.2.3.4]:80/p",
                      "http://a//b//c",
                      "about:blank"});
  broken(Format::uri, {"",
                       "//foo.bar/?baz=qux#quux",
                       "/abc",
                       "\\\\WINDOWS\\fileshare",
                       "abc",
                       "http:// shouldfail.com",
                       ":// should fail",
                       "bar,baz:foo",
                       "https://[@example.org/test.txt",
                       "https://example.org/foobar\xC2\xAE.txt",
                       "https://example.org/foobar\\.txt",
                       "https://example.org/foobar\".txt",
                       "https://example.org/foobar<>.txt",
                       "https://example.org/foobar{}.txt",
                       "https://example.org/foobar^.txt",
                       "https://example.org/foobar`.txt",
                       "https://example.org/foo bar.txt",
                       "https://example.org/foobar|.txt",
                       "http://example.com/%6G",
                       "http://example.com/%A",
                       "http://example.com/%",
                       "1http://example.com",
                       "ht_tp://example.com",
                       "http://example.com:abc/path",
                       "http://a.com:8:0",
                       "http://a.com::",
                       "http://[::1",
                       "http://::1/",
                       "http://[1.2.3.4]/",
                       "http://[v.a]/",
                       "http://[v7]/",
                       "http://[v7.]/",
                       "http://[::1]a/",
                       "http://[fe80::1%25en0]/",
                       "http://a@b@c/",
                       "a:b#c#d",
                       "http://a/[b]",
                       "http://a/b?[c]",
                       "\thttp://a",
                       "http://a\n",
                       ":a",
                       "?a:b",
                       "#a"});
}

TEST_CASE("format uri-reference: a URI or a relative reference") {
  holds(Format::uri_reference, {"",
                                "http://foo.bar/?baz=qux#quux",
                                "//foo.bar/?baz=qux#quux",
                                "/abc",
                                "abc",
                                "#fragment",
                                "?query",
                                ".",
                                "..",
                                "../a/b",
                                "./a:b",
                                "/a:b",
                                "a/b:c",
                                "//",
                                "///",
                                "//a",
                                "g;x=1/./y",
                                "g?y/./x",
                                "g#s/../x",
                                "#",
                                "?",
                                "a/../b",
                                "//[::1]:1",
                                "%41",
                                "!$&'()*+,;=",
                                "@"});
  broken(Format::uri_reference, {"\\\\WINDOWS\\fileshare", "#frag\\ment", "a b", "%", "1a:b", "\xC3\xA9", "//[",
                                 "//a:b", "#a#b", "a\nb", "[a]", "{a}", ":"});
}

TEST_CASE("format iri and iri-reference: RFC 3987") {
  holds(Format::iri,
        {"http://\xC6\x92\xC3\xB8\xC3\xB8.\xC3\x9F\xC3\xA5r/"
         "?\xE2\x88\x82\xC3\xA9\xC5\x93=\xCF\x80\xC3\xAEx#\xCF\x80\xC3\xAE\xC3\xBCx",
         "http://[2001:0db8:85a3:0000:0000:8a2e:0370:7334]", "urn:example:resource", "http://a/\xF0\x90\x8C\x80",
         "http://a/?q=\xF3\xB0\x80\x80", "http://a/?q=\xEE\x80\x80", "http://\xC3\xA9:80/", "http://\xC3\xA9@a/",
         "a:\xF0\x9F\x98\x80", "http://r\xC3\xA9sum\xC3\xA9.example.org"});
  broken(Format::iri,
         {"http://2001:0db8:85a3:0000:0000:8a2e:0370:7334", "/abc", "\\\\WINDOWS\\fil\xC3\xAB\xC3\x9F\xC3\xA5r\xC3\xA9",
          "\xC3\xA2\xCF\x80\xCF\x80", "http://[::ffff:192.168.0.01]", "http://\xC6\x92/\n", "\xC3\xA9:a",
          "http://a/\xEE\x80\x80", "http://a/#\xEE\x80\x80", "http://a/\xEF\xBF\xBE", "http://a/\xEF\xB7\x90",
          "http://a/\xC2\x80", "http://a/\xE2\x80\xAE", "http://a/\xE2\x80\x8E", "http://a/\xED\xA0\x80",
          "http://a/\xF3\xA0\x80\x81", "http://a/\xC3", "http://a/\xF0\x9F\xBF\xBE"});
  holds(Format::iri_reference,
        {"", "\xC3\xA2\xCF\x80\xCF\x80", "//\xC6\x92\xC3\xB8\xC3\xB8.\xC3\x9F\xC3\xA5r/?\xE2\x88\x82",
         "/\xC3\xA2\xCF\x80\xCF\x80", "#\xC6\x92r\xC3\xA4gm\xC3\xAAnt", "?\xEE\x80\x80"});
  broken(Format::iri_reference, {"\\\\WINDOWS\\fil\xC3\xAB", "#\xC6\x92r\xC3\xA4g\\m", "\xC3\xA9:a", "#\xEE\x80\x80"});
}

TEST_CASE("format uri-template: RFC 6570, levels 1 to 4") {
  holds(Format::uri_template, {"",
                               "http://example.com/dictionary/{term:1}/{term}",
                               "dictionary/{term:1}/{term}",
                               "http://example.com/",
                               "{var}",
                               "{+path}/here",
                               "here?ref={+path}",
                               "X{#var}",
                               "map?{x,y}",
                               "{x,hello,y}",
                               "{+x,hello,y}",
                               "{#path,x}/here",
                               "X{.var}",
                               "{/var,x}/here",
                               "{;x,y,empty}",
                               "{?x,y,empty}",
                               "?fixed=yes{&x}",
                               "{var:3}",
                               "{var:30}",
                               "{list*}",
                               "{keys*}",
                               "{+path:6}/here",
                               "{#keys*}",
                               "X{.list*}",
                               "{/var:1,var}",
                               "{;hello:5}",
                               "{?keys*}",
                               "{&var:3}",
                               "{var:9999}",
                               "{a.b.c}",
                               "{%41b}",
                               "{_x}",
                               "{=x}",
                               "{|x}",
                               "{!x}",
                               "{@x}",
                               "{,x}",
                               "http://\xC3\xA9/{a}",
                               "%41",
                               "a\xEE\x80\x80"});
  broken(Format::uri_template, {"http://example.com/dictionary/{term:1}/{term",
                                "}",
                                "{",
                                "{}",
                                "{+}",
                                "{a",
                                "a}",
                                "{a,}",
                                "{,}",
                                "{a b}",
                                "{var:0}",
                                "{var:}",
                                "{var:10000}",
                                "{var:01}",
                                "{var:1*}",
                                "{var**}",
                                "{a..b}",
                                "{.a.}",
                                "{a.}",
                                "{%4}",
                                "{-a}",
                                "a b",
                                "a\"b",
                                "a'b",
                                "a<b",
                                "a>b",
                                "a\\b",
                                "a^b",
                                "a`b",
                                "a|b",
                                "%",
                                "%4",
                                "%G1",
                                "{{a}}",
                                "{a}}",
                                "\x01",
                                "{\xC3\xA9}",
                                "\xED\xA0\x80"});
}

TEST_CASE("format uuid: 32 hexadecimal digits in five groups") {
  holds(Format::uuid, {"2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
                       "2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "00000000-0000-0000-0000-000000000000",
                       "98d80576-482e-427f-8434-7f86890ab222", "99c17cbb-656f-f64a-940f-1a4568f03487",
                       "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"});
  broken(Format::uuid, {"", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-73b441d16380",
                        "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
                        "2eb8aa08aa98-11ea-b4aa73b441d16380", "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380",
                        "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", "f81d4fae_7dec-11d0-a765-00a0c91e6bf6"});
}

TEST_CASE("format json-pointer: RFC 6901 and its examples") {
  holds(Format::json_pointer, {"",
                               "/",
                               "/foo",
                               "/foo/0",
                               "/a~1b",
                               "/c%d",
                               "/e^f",
                               "/g|h",
                               "/i\\j",
                               "/k\"l",
                               "/ ",
                               "/m~0n",
                               "/foo/bar~0/baz~1/%a",
                               "/foo/",
                               "/foo//bar",
                               "//",
                               "/~01",
                               "/~0",
                               "/~1.1",
                               "/foo/-",
                               "/\xC3\xA9",
                               "/~0~0~0~1~1"});
  broken(Format::json_pointer, {"/foo/bar~", "/~0~", "/~0/~", "/~2", "/~-1", "/~~", "#", "#/", "#a", "foo", "0", "a/a",
                                " /foo", "~0", "/foo/~a"});
}

TEST_CASE("format relative-json-pointer: levels, index manipulation, then a pointer or #") {
  holds(Format::relative_json_pointer,
        {"0", "1", "0/foo/bar", "2/0/baz/1/zip", "0#", "1#", "120/foo/bar", "100", "0+1", "0+1/foo", "1-2/bar", "0-0",
         "0-1#", "0//", "2/highly/nested/objects", "0/~0~1"});
  broken(
      Format::relative_json_pointer,
      {"",     "/foo/bar", "-1/foo/bar",       "+1/foo/bar",   "0##",  "01/a",       "01#",        "1foo", "0+", "0-",
       "0-01", "0++1",     "0+1not-a-pointer", "\xD9\xA1/foo", "0/~2", "0/foo/bar~", "1#/foo/bar", "1\n",  "#",  "00"});
}

TEST_CASE("format regex: ECMA-262 with the flag u") {
  holds(Format::regex, {"",
                        "([abc])+\\s+$",
                        "^[a-z]+$",
                        "a|b|",
                        "(?:a)",
                        "(?<name>x)",
                        "(?<n>a)\\k<n>",
                        "\\k<n>(?<n>a)",
                        "(?<=a+)b",
                        "(?<!a)b",
                        "(?=a)b",
                        "(?!a)b",
                        "[]",
                        "[^]",
                        "\\cA",
                        "a{1}",
                        "a{1,}",
                        "a{1,2}?",
                        "a*?",
                        "a+?",
                        "a\?\?",
                        "\\d\\D\\w\\W\\s\\S",
                        "\\b\\B",
                        "\\p{L}",
                        "\\p{Lu}",
                        "\\p{Script=Greek}",
                        "\\P{ASCII}",
                        "\\p{sc=Hira}",
                        "\\p{General_Category=Letter}",
                        "\\x41",
                        "\\u0041",
                        "\\u{1F600}",
                        "\\uD83D\\uDE00",
                        "\\uD83D",
                        "\\0",
                        "\\/",
                        "\\.",
                        "[\\-a]",
                        "[a-]",
                        "[-a]",
                        "[\\b]",
                        "[\\d-]",
                        "(a)(b)\\2",
                        "\\1(a)",
                        "(?<\\u0061b>c)",
                        "(?<$_a1>c)",
                        "\xF0\x9F\x98\x80+",
                        "[\xC3\xA9-\xF0\x9F\x98\x80]",
                        "()",
                        "(|)",
                        "[\\u{61}-\\u{7A}]",
                        "a{0}",
                        "a{2,2}",
                        "[\\cA]",
                        "[.]",
                        "[(]",
                        "(?<\xC3\xA9>a)",
                        "(((((a)))))\\5",
                        "^^$$",
                        "(?:)*",
                        "a{00001,2}",
                        "[\\^\\]\\\\]",
                        "\\u{0000061}"});
  broken(Format::regex, {"^(abc]",
                         "(",
                         ")",
                         "a)",
                         "(a",
                         "[",
                         "[a",
                         "]",
                         "a]",
                         "{",
                         "}",
                         "a{",
                         "a{1",
                         "a{1,2",
                         "a{2,1}",
                         "a{,2}",
                         "*",
                         "+a",
                         "?",
                         "a**",
                         "a+++",
                         "a{1}{2}",
                         "^*",
                         "$+",
                         "\\b+",
                         "(?=a)*",
                         "(?!a)?",
                         "(?<=a){2}",
                         "(?<!a)+",
                         "\\a",
                         "\\Z",
                         "\\A",
                         "\\z",
                         "\\-",
                         "\\_",
                         "\\@",
                         "\\e",
                         "\\8",
                         "\\1",
                         "(a)\\2",
                         "\\00",
                         "\\01",
                         "\\x4",
                         "\\xG1",
                         "\\u004",
                         "\\u{}",
                         "\\u{110000}",
                         "\\u{61",
                         "\\c",
                         "\\c1",
                         "\\k",
                         "\\k<n>",
                         "(?<n>a)\\k<m>",
                         "(?<n>a)(?<n>b)",
                         "(?<n>a)|(?<n>b)",
                         "(?<1a>b)",
                         "(?<>a)",
                         "(?<a",
                         "(?P<n>x)",
                         "(?P<n>a)(?P=n)",
                         "(?#comment)a",
                         "(?i)abc",
                         "(?i:a)",
                         "(?>a)",
                         "(?|a)",
                         "\\p",
                         "\\pL",
                         "\\p{",
                         "\\p{}",
                         "\\p{Foo}",
                         "\\p{Script=Foo}",
                         "\\p{Lu",
                         "\\p{IsGreek}",
                         "[b-a]",
                         "[\\d-z]",
                         "[a-\\d]",
                         "[\\B]",
                         "[\\1]",
                         "[\\k]",
                         "\\",
                         "[\\]",
                         "(?",
                         "(?:",
                         "a{99999999999999999999,1}",
                         "^\\S(|(.|\\n)*\\S)\\Z",
                         "|*",
                         "(*a)",
                         "(?:*)",
                         "\x80"});
}

TEST_CASE("formats: a text of a megabyte is judged in one pass") {
  const std::size_t size = 1000000;
  CHECK(format_holds(Format::regex, repeat("(a)", size / 3)));
  CHECK(format_holds(Format::regex, repeat("(?:", size / 4) + repeat(")", size / 4)));
  CHECK(format_holds(Format::regex, repeat("\\p{L}", size / 5)));
  CHECK(format_holds(Format::uri, "a:" + repeat("b", size)));
  CHECK(format_holds(Format::iri, "a:" + repeat("\xC3\xA9", size / 2)));
  CHECK(format_holds(Format::uri_template, repeat("{a}", size / 3)));
  CHECK_FALSE(format_holds(Format::uri_template, repeat("{", size)));
  CHECK(format_holds(Format::json_pointer, repeat("/a", size / 2)));
  CHECK(format_holds(Format::duration, "P" + repeat("1", size) + "D"));
  CHECK_FALSE(format_holds(Format::hostname, repeat("a.", size / 2)));
  CHECK_FALSE(format_holds(Format::idn_hostname, repeat("\xD7\xA9", size / 2)));
  CHECK_FALSE(format_holds(Format::email, repeat("a", size) + "@b"));
  CHECK_FALSE(format_holds(Format::ipv6, repeat("1:", size / 2)));
}
