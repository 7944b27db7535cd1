// Dates against the system's own strftime() and localtime_r(), in zones of all kinds.
#include <time.h>

#include <cstdlib>
#include <random>

#include "civil_time.h"
#include "logformat_support.h"

namespace loguuid::testing {
namespace {

// Sets TZ for as long as it lives.
class TimeZone {
 public:
  explicit TimeZone(const char* name) {
    const char* before = getenv("TZ");
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv("TZ", name, 1);
    tzset();
  }
  ~TimeZone() {
    if (had_)
      setenv("TZ", before_.c_str(), 1);
    else
      unsetenv("TZ");
    tzset();
  }
  TimeZone(const TimeZone&) = delete;
  TimeZone& operator=(const TimeZone&) = delete;

 private:
  bool had_;
  std::string before_;
};

// POSIX rules, so that no file of zones is needed; each with another distance or another kind of change.
const char* const kZones[] = {"UTC0",
                              "CET-1CEST,M3.5.0,M10.5.0/3",
                              "EST5EDT,M3.2.0,M11.1.0",
                              "AEST-10AEDT,M10.1.0,M4.1.0/3",
                              "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
                              "<+0545>-5:45",
                              "NST3:30NDT,M3.2.0/0:01,M11.1.0/0:01",
                              "MMT0:44:30",
                              "AAA0:00:27",
                              "<-12>12",
                              "<+14>-14"};

std::string formatted(const char* pattern, time_t seconds, bool local) {
  struct tm parts;
  local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts);
  char text[64];
  strftime(text, sizeof text, pattern, &parts);
  return text;
}

constexpr char kDate[] = "%d/%b/%Y:%H:%M:%S";

TEST(CivilTime, IsThatOfStrftimeForAllYearsToTheEndOf9999) {
  std::mt19937_64 random(3);
  std::vector<int64_t> times = {0,
                                -1,
                                951782399,
                                951782400,
                                951868800,
                                1078012799,
                                1078012800,
                                4107542399,
                                4107542400,
                                INT32_MAX,
                                int64_t{INT32_MAX} + 1,
                                INT32_MIN,
                                253402300799};
  for (int i = 0; i < 200000; ++i)  // from the year 0 on
    times.push_back(static_cast<int64_t>(random() % (62167219200 + 253402300800)) - 62167219200);
  for (int year = 1900; year <= 2200; ++year)  // the seconds around each March
    for (int64_t second = -2; second < 2; ++second) times.push_back(seconds_from_civil({year, 3, 1, 0, 0, 0}) + second);
  for (const int64_t seconds : times) {
    const time_t t = static_cast<time_t>(seconds);
    if (t != seconds) continue;
    struct tm parts;
    gmtime_r(&t, &parts);
    const Civil civil = civil_from_seconds(seconds);
    ASSERT_EQ(parts.tm_year + 1900, civil.year) << seconds;
    ASSERT_EQ(parts.tm_mon + 1, static_cast<int>(civil.month)) << seconds;
    ASSERT_EQ(parts.tm_mday, static_cast<int>(civil.day)) << seconds;
    ASSERT_EQ(seconds, seconds_from_civil(civil));
    char text[32];
    *date_text(text, civil) = '\0';
    char wanted[64];
    strftime(wanted, sizeof wanted, kDate, &parts);
    if (civil.year >= 1000) {
      ASSERT_STREQ(wanted, text) << seconds;
    }
  }
}

std::string line_at(const Format& format, uint64_t ns) {
  const auto gen = pinned_gen(ns);
  const Using use(gen);
  return format.line();
}

void check_lines(const Format& format, int64_t seconds, unsigned ms) {
  const time_t t = static_cast<time_t>(seconds);
  if (t != seconds) return;  // behind 2038 the C library of a 32-bit machine has no answer to compare with
  char fraction[8];
  snprintf(fraction, sizeof fraction, "%03u", ms);
  const std::string local = formatted(kDate, t, true);
  const std::string wanted = local + "." + fraction + "|" + formatted(kDate, t, false) + " +0000|" + local +
                             formatted(" %z", t, true) + "|" + std::to_string(seconds) + "|" + fraction;
  ASSERT_EQ(wanted, line_at(format, static_cast<uint64_t>(seconds) * 1000000000 + ms * 1000000 + 999999));
}

TEST(LogFormatDates, AreThoseOfStrftimeInEveryZone) {
  std::mt19937_64 random(4);
  const int64_t now = time(nullptr);
  for (const char* name : kZones) {
    SCOPED_TRACE(name);
    const TimeZone zone(name);
    const Format format("%t|%T|%Tl|%Ts|%ms");
    for (const int64_t seconds : {int64_t{0}, int64_t{1}, int64_t{INT32_MAX}, int64_t{INT32_MAX} + 1,
                                  int64_t{4107542400}, int64_t{9223372036}, int64_t{18446744072}})
      if (sizeof(time_t) == 8 || seconds <= INT32_MAX) check_lines(format, seconds, 0);
    for (int i = 0; i < 300; ++i)  // where the table knows, and where the system is asked
      check_lines(format, now + static_cast<int64_t>(random() % (19 * 365 * 86400)),
                  static_cast<unsigned>(random() % 1000));
    for (int i = 0; i < 300; ++i)
      check_lines(format, static_cast<int64_t>(random() % INT32_MAX), static_cast<unsigned>(random() % 1000));
  }
}

// The second before a change of the clocks, the change and the second after, for 20 years from now and 40 back.
TEST(LogFormatDates, ChangeWithTheClocksToTheSecond) {
  const int64_t now = time(nullptr);
  for (const char* name : kZones) {
    SCOPED_TRACE(name);
    const TimeZone zone(name);
    const Format format("%t|%T|%Tl|%Ts|%ms");
    size_t changes = 0;
    const auto offset = [](int64_t seconds) {
      const time_t t = static_cast<time_t>(seconds);
      struct tm parts;
      localtime_r(&t, &parts);
      return parts.tm_gmtoff;
    };
    for (int64_t day = now - 40ll * 365 * 86400; day < now + 19ll * 365 * 86400; day += 86400) {
      if (offset(day) == offset(day + 86400)) continue;
      int64_t before = day, change = day + 86400;
      while (change - before > 1) {
        const int64_t middle = before + (change - before) / 2;
        (offset(middle) == offset(day) ? before : change) = middle;
      }
      for (const int64_t seconds : {-1, 0, 1, -900, 900, -61, 61}) check_lines(format, change + seconds, 1);
      ++changes;
    }
    const bool has_summer = strchr(name, ',') != nullptr;
    EXPECT_EQ(has_summer, changes > 100);
  }
}

TEST(LogFormatDates, AFormatKeepsTheZoneItWasCompiledIn) {
  const int64_t now = time(nullptr);
  std::string in_one, in_other;
  {
    const TimeZone zone("<+05>-5");
    const Format format("%Tl");
    in_one = line_at(format, static_cast<uint64_t>(now) * 1000000000);
  }
  {
    const TimeZone zone("<-03>3");
    const Format format("%Tl");
    in_other = line_at(format, static_cast<uint64_t>(now) * 1000000000);
  }
  EXPECT_EQ("+0500", in_one.substr(21));
  EXPECT_EQ("-0300", in_other.substr(21));
}

TEST(LogFormatDates, AreTheExamplesOfTheManual) {
  const TimeZone zone("CET-1");
  const uint64_t at = 1233918854655000000;  // 06/Feb/2009 11:14:14.655 UTC
  EXPECT_EQ("06/Feb/2009:12:14:14.655", line_at(Format("%t"), at));
  EXPECT_EQ("06/Feb/2009:11:14:14 +0000", line_at(Format("%T"), at));
  EXPECT_EQ("06/Feb/2009:12:14:14 +0100", line_at(Format("%Tl"), at));
  EXPECT_EQ("1233918854", line_at(Format("%Ts"), at));
  EXPECT_EQ("655", line_at(Format("%ms"), at));
  EXPECT_EQ("498C1B86", line_at(Format("%{+X}Ts"), at));
  EXPECT_EQ("28F", line_at(Format("%{+X}ms"), at));
  EXPECT_EQ("06/Feb/2009:11:14:14 +0000", line_at(Format("%{+Q}T"), at));
  EXPECT_EQ("1233918854", line_at(Format("%[date]"), at));
  EXPECT_EQ("1233918844", line_at(Format("%[date(-10)]"), at));
  EXPECT_EQ("1233918854655", line_at(Format("%[date(0,ms)]"), at));
  EXPECT_EQ("1233918854655007", line_at(Format("%[date(7,us)]"), at));
  EXPECT_EQ("{\"t\": \"06/Feb/2009:12:14:14.655\", \"s\": 1233918854, \"ms\": 655}",
            line_at(Format("%{+json}o %(t)t %(s)Ts %(ms)ms"), at));
  EXPECT_EQ("{\"ms\": 5}", line_at(Format("%{+json}o %(ms)ms"), at / 1000000000 * 1000000000 + 5000000));
}

TEST(LogFormatDates, OneLineHasOneTime) {
  const Format format("%[date(0,us)] %[date(0,us)] %[uuid(7)]");
  for (int i = 0; i < 1000; ++i) {
    const std::string line = format.line();
    const size_t blank = line.find(' ');
    ASSERT_EQ(line.substr(0, blank), line.substr(blank + 1, blank));
  }
}

}  // namespace
}  // namespace loguuid::testing
