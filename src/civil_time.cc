#include "civil_time.h"

#include <time.h>

#include <cstring>

namespace loguuid {
namespace {

constexpr int64_t kDay = 86400;
constexpr int64_t kWeek = 7 * kDay;
constexpr int64_t kAhead = 20 * 366 * kDay;

constexpr int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Days before month m (0: March) of a year that begins in March: the lengths 31, 30, 31, 30, 31 repeat, so a straight
// line with slope 30.6 hits each month's first day.
constexpr int64_t days_before_month(int64_t m) { return (153 * m + 2) / 5; }

// Days before the year y that begins in March of y, from the epoch on.
constexpr int64_t kMarchOfYear0 = -719468;
constexpr int64_t days_before_year(int64_t y) {
  return 365 * y + floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400) + kMarchOfYear0;
}
static_assert(days_before_year(1970) == 31 + 28);

char* two_digits(char* out, unsigned n) {
  out[0] = static_cast<char>('0' + n / 10);
  out[1] = static_cast<char>('0' + n % 10);
  return out + 2;
}

int64_t ask_system(int64_t seconds) {
  if constexpr (sizeof(time_t) < sizeof(int64_t)) {
    if (seconds > INT32_MAX) seconds = INT32_MAX;
    if (seconds < INT32_MIN) seconds = INT32_MIN;
  }
  const time_t t = static_cast<time_t>(seconds);
  struct tm local;
  if (localtime_r(&t, &local) == nullptr) return 0;
  const Civil civil = {int64_t{local.tm_year} + 1900,        static_cast<unsigned>(local.tm_mon) + 1,
                       static_cast<unsigned>(local.tm_mday), static_cast<unsigned>(local.tm_hour),
                       static_cast<unsigned>(local.tm_min),  static_cast<unsigned>(local.tm_sec)};
  return seconds_from_civil(civil) - seconds;
}

// The last answer of the system, for times that no table knows: for its second alone, since some zones changed at odd
// minutes. `second` is written last and spoilt first, because a signal handler may come in between.
struct Remembered {
  int64_t second;  // plus one: zero is never right
  int64_t offset;
  uint64_t serial;  // of the zone
};
thread_local Remembered remembered;

uint64_t last_serial;

int64_t ask_system_seldom(const Zone& zone, int64_t seconds) {
  const int64_t second = seconds != -1 ? seconds + 1 : INT64_MIN;
  volatile Remembered& last = remembered;
  if (last.second == second && last.serial == zone.serial) {
    const int64_t offset = last.offset;
    if (last.second == second) return offset;
  }
  const int64_t offset = ask_system(seconds);
  last.second = 0;
  last.serial = zone.serial;
  last.offset = offset;
  last.second = second;
  return offset;
}

// The first second after `low`, at most `high`, at which the offset is that of `high`; there is one change between.
int64_t find_change(int64_t low, int64_t high, int64_t after) {
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (ask_system(middle) == after ? high : low) = middle;
  }
  return high;
}

}  // namespace

Civil civil_from_seconds(int64_t seconds) {
  const int64_t day = floor_div(seconds, kDay);
  const unsigned second = static_cast<unsigned>(seconds - day * kDay);
  // By the mean year of 146,097 / 400 days: at most one off.
  int64_t year = floor_div(400 * (day - kMarchOfYear0), 146097);
  while (days_before_year(year) > day) --year;
  while (days_before_year(year + 1) <= day) ++year;
  const int64_t in_year = day - days_before_year(year);
  const int64_t m = (5 * in_year + 2) / 153;
  return {year + (m >= 10),
          static_cast<unsigned>(m < 10 ? m + 3 : m - 9),
          static_cast<unsigned>(in_year - days_before_month(m)) + 1,
          second / 3600,
          second / 60 % 60,
          second % 60};
}

int64_t seconds_from_civil(const Civil& c) {
  const int64_t year = c.year - (c.month < 3);
  const int64_t m = c.month < 3 ? int64_t{c.month} + 9 : int64_t{c.month} - 3;
  const int64_t day = days_before_year(year) + days_before_month(m) + int64_t{c.day} - 1;
  return day * kDay + int64_t{c.hour} * 3600 + int64_t{c.minute} * 60 + int64_t{c.second};
}

// Looks once a week: no zone has left and resumed an offset within one (the shortest on record is a month).
void zone_fill(Zone& zone, int64_t now) {
  zone.serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
  zone.begin = now - kDay;
  zone.count = 1;
  int64_t at = zone.begin, offset = ask_system(at);
  zone.changes[0] = {at, offset};
  for (; at < now + kAhead; at += kWeek) {
    const int64_t next = ask_system(at + kWeek);
    if (next == offset) continue;
    if (zone.count == Zone::kMaxChanges) break;
    zone.changes[zone.count++] = {find_change(at, at + kWeek, next), next};
    offset = next;
  }
  zone.end = at;
}

int64_t zone_offset(const Zone& zone, int64_t seconds) {
  if (seconds < zone.begin || seconds >= zone.end) return ask_system_seldom(zone, seconds);
  size_t low = 0, high = zone.count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (zone.changes[middle].from <= seconds ? low : high) = middle;
  }
  return zone.changes[low].offset;
}

char* date_text(char* out, const Civil& c) {
  static constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  out = two_digits(out, c.day);
  *out++ = '/';
  memcpy(out, kMonths + 3 * (c.month - 1), 3);
  out += 3;
  *out++ = '/';
  const unsigned year = static_cast<unsigned>(c.year);
  out = two_digits(out, year / 100 % 100);
  out = two_digits(out, year % 100);
  *out++ = ':';
  out = two_digits(out, c.hour);
  *out++ = ':';
  out = two_digits(out, c.minute);
  *out++ = ':';
  return two_digits(out, c.second);
}

char* offset_text(char* out, int64_t offset) {
  *out++ = ' ';
  *out++ = offset < 0 ? '-' : '+';
  const unsigned minutes = static_cast<unsigned>((offset < 0 ? -offset : offset) / 60);
  out = two_digits(out, minutes / 60);
  return two_digits(out, minutes % 60);
}

}  // namespace loguuid
