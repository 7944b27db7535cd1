// Dates from Unix time, and how far the local time is from UTC.
//
// UTC is arithmetic. The local offset is the system's to know, and its localtime_r() takes a lock: a signal handler
// that interrupts it, or a child forked beside a thread in it, would wait for ever. So a Zone asks ahead, when a format
// is compiled, for the changes of the next 20 years; looking up a time among them takes no lock and no system call.
// Other times (a pinned clock in the past) do ask localtime_r(), once for each second of a thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loguuid {

struct Civil {
  int64_t year;
  unsigned month, day;  // from 1
  unsigned hour, minute, second;
};

// The proleptic Gregorian calendar, for any second of years -9999 to 9999 and well beyond.
Civil civil_from_seconds(int64_t seconds);
int64_t seconds_from_civil(const Civil& civil);

struct Zone {
  static constexpr size_t kMaxChanges = 96;
  int64_t begin, end;  // seconds since the Unix epoch: the table is right from `begin` and before `end`
  uint64_t serial;     // tells tables apart: a process may change its TZ between two formats
  size_t count;
  struct Change {
    int64_t from;
    int64_t offset;  // seconds east of UTC
  } changes[kMaxChanges];
};

// Asks the system about the 20 years from a day before `now` on. Takes a lock, and about a third of a millisecond.
void zone_fill(Zone& zone, int64_t now);
int64_t zone_offset(const Zone& zone, int64_t seconds);

// `06/Feb/2009:12:14:14`, 20 characters, for years 0 to 9999. Returns the end.
char* date_text(char* out, const Civil& civil);
// ` +0100`: a blank, a sign, hours and minutes.
char* offset_text(char* out, int64_t offset);

}  // namespace loguuid
