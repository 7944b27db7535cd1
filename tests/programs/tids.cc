// TIDs: lane TID + 1, one living owner, a fresh process number for the next one, lanes above 2^33 for who never asks.
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <set>

#include "check.h"

static const uint64_t kSeed = 42;

// Lets one thread wait until another has come to a place.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

static void a_tid_belongs_to_one_living_thread() {
  Event taken, asked;
  std::thread owner([&] {
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(3));
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(3));  // the same one again
    CHECK_EQ(LOGUUID_ERR_STATE, loguuid_thread_start(4));
    const loguuid_position position = loguuid_gen_position(nullptr);
    CHECK_EQ(4, position.thread);
    CHECK_EQ(0, position.process);
    CHECK(v4_row(2) == first_of_lane(kSeed, 4, 0, 2));
    taken.set();
    asked.wait();
  });
  taken.wait();
  in_a_thread([] {
    CHECK_EQ(LOGUUID_ERR_TID, loguuid_thread_start(3));
    const uint64_t lane = loguuid_gen_position(nullptr).thread;  // it gets a lane all the same
    CHECK(lane >= uint64_t{1} << 33);
  });
  in_a_thread([] {
    CHECK_EQ(LOGUUID_ERR_TID, loguuid_thread_start(3));
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(4));  // a refused start leaves the thread free to ask for another
    CHECK_EQ(5, loguuid_gen_position(nullptr).thread);
  });
  asked.set();
  owner.join();
}

static void the_next_owner_gets_a_fresh_process_number() {
  std::set<uint64_t> numbers = {0};  // the first owner's
  std::set<std::string> uuids;
  for (int i = 0; i < 50; ++i) {
    in_a_thread([&] {
      CHECK_EQ(LOGUUID_OK, loguuid_thread_start(3));
      const loguuid_position position = loguuid_gen_position(nullptr);
      CHECK_EQ(4, position.thread);
      CHECK_EQ(0, position.draws);
      CHECK(numbers.insert(position.process).second);
      const std::string uuid = v4();
      CHECK(uuid == first_of_lane(kSeed, 4, position.process));
      CHECK(uuids.insert(uuid).second);
      if (i % 2 == 0) loguuid_thread_stop();  // or the end of the thread does it
    });
  }
}

static void after_a_stop_the_thread_gets_another_lane() {
  in_a_thread([] {
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(9));
    const std::string before = v4();
    loguuid_thread_stop();
    loguuid_thread_stop();  // without a lane nothing happens
    CHECK(v4() != before);
    CHECK(loguuid_gen_position(nullptr).thread >= uint64_t{1} << 33);
    in_a_thread([] { CHECK_EQ(LOGUUID_OK, loguuid_thread_start(9)); });
  });
}

static void a_thread_that_drew_first_can_still_start() {
  in_a_thread([] {
    v4();
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(11));
    CHECK_EQ(12, loguuid_gen_position(nullptr).thread);
    CHECK(v4() == first_of_lane(kSeed, 12, 0));
  });
}

static void who_never_asks_gets_lanes_from_2_to_33_on() {
  std::set<std::pair<uint64_t, uint64_t>> lanes;
  std::set<std::string> uuids;
  for (int i = 0; i < 50; ++i) {
    in_a_thread([&] {
      CHECK(uuids.insert(v4()).second);
      const loguuid_position position = loguuid_gen_position(nullptr);
      CHECK(position.thread >= uint64_t{1} << 33);
      CHECK_EQ(1, position.draws);
      CHECK(lanes.insert({position.thread, position.process}).second);
    });
  }
}

static void the_largest_tid_works() {
  in_a_thread([] {
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(UINT32_MAX));
    CHECK_EQ(uint64_t{1} << 32, loguuid_gen_position(nullptr).thread);
    CHECK(v4() == first_of_lane(kSeed, uint64_t{1} << 32, 0));
  });
}

static void a_generator_in_use_stays_in_service() {
  in_a_thread([] {
    loguuid_gen gen;
    CHECK_EQ(LOGUUID_OK, loguuid_gen_init(&gen, &kSeed, sizeof kSeed, 700, 0, LOGUUID_HASH_AES));
    CHECK(loguuid_use(&gen) == nullptr);
    CHECK_EQ(LOGUUID_OK, loguuid_thread_start(20));
    CHECK_EQ(700, loguuid_gen_position(nullptr).thread);
    CHECK(loguuid_use(nullptr) == &gen);
    CHECK_EQ(21, loguuid_gen_position(nullptr).thread);
    CHECK(loguuid_use(&gen) == nullptr);
    loguuid_thread_stop();
    CHECK_EQ(700, loguuid_gen_position(nullptr).thread);
    CHECK(loguuid_use(nullptr) == &gen);
    in_a_thread([] { CHECK_EQ(LOGUUID_OK, loguuid_thread_start(20)); });
    loguuid_gen_wipe(&gen);
  });
}

int main() {
  const loguuid_config config = seeded_config(kSeed);
  CHECK_EQ(LOGUUID_OK, loguuid_boot(&config));
  CHECK(v4() == first_of_lane(kSeed, 0, 0));
  CHECK_EQ(LOGUUID_OK, loguuid_thread_start(0));  // the booting thread, too
  CHECK_EQ(1, loguuid_gen_position(nullptr).thread);
  CHECK(v4() == first_of_lane(kSeed, 1, 0));
  a_tid_belongs_to_one_living_thread();
  the_next_owner_gets_a_fresh_process_number();
  after_a_stop_the_thread_gets_another_lane();
  a_thread_that_drew_first_can_still_start();
  who_never_asks_gets_lanes_from_2_to_33_on();
  the_largest_tid_works();
  a_generator_in_use_stays_in_service();
  return 0;
}
