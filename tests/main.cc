// The test program: all GoogleTest cases, once for the kernel that LOGUUID_KERNEL names. It prints one line for each
// result, in the form that run.sh adds up:
//   ok NAME | not ok NAME: why | skip NAME: why
// Other uses:
//   --list-kernels                     names of the kernels this CPU can run, one a line, best first
//   --blocks SEED THREAD PROCESS COUNT raw blocks of a reproducible lane, for checks made by other programs
//   --tokens SEED                      "size hex base64 base64url base32" of 0 .. 80 random bytes, one size a line
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "loguuid.h"
#include "support.h"

namespace {

using loguuid::testing::new_gen;
using loguuid::testing::Using;

std::string one_line(const char* text) {
  std::string line(text == nullptr ? "" : text);
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line.substr(0, 400);
}

class Printer : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    const testing::TestResult& result = *test.result();
    std::string why;
    int shown = 0;
    for (int i = 0; i < result.total_part_count(); ++i) {
      const testing::TestPartResult& part = result.GetTestPartResult(i);
      if (part.passed()) continue;
      if (shown++ == 0) {
        why = one_line(part.message());
        if (part.file_name() != nullptr)
          why += " (" + std::string(part.file_name()) + ":" + std::to_string(part.line_number()) + ")";
      }
      if (result.Failed() && shown <= 5) printf("# %s\n", part.message());
    }
    if (result.Failed())
      printf("not ok %s: %s\n", name.c_str(), why.c_str());
    else if (result.Skipped())
      printf("skip %s: %s\n", name.c_str(), why.c_str());
    else
      printf("ok %s\n", name.c_str());
    fflush(stdout);
  }
};

void check_vectors_read() {
  const std::vector<std::string> unread = loguuid::testing::unread_vectors();
  for (size_t i = 0; i < unread.size() && i < 20; ++i) printf("# nobody reads %s\n", unread[i].c_str());
  if (unread.empty())
    printf("ok Vectors.EveryAttributeIsReadByATest\n");
  else
    printf("not ok Vectors.EveryAttributeIsReadByATest: %zu are not, %s is the first\n", unread.size(),
           unread[0].c_str());
}

int list_kernels() {
  loguuid_info info{};
  info.size = sizeof info;
  if (loguuid_describe(&info) != LOGUUID_OK || info.kernels == nullptr) return 1;
  for (const char* c = info.kernels; *c != '\0'; ++c) putchar(*c == ' ' ? '\n' : *c);
  putchar('\n');
  return 0;
}

int print_blocks(char** arguments) {
  const auto gen = new_gen(strtoull(arguments[0], nullptr, 10), strtoull(arguments[1], nullptr, 10),
                           strtoull(arguments[2], nullptr, 10));
  const Using use(gen);
  std::vector<unsigned char> bytes(16 * strtoull(arguments[3], nullptr, 10));
  loguuid_random_bytes(bytes.data(), bytes.size());
  return fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

int print_tokens(const char* seed) {
  for (size_t size = 0; size <= 80; ++size) {
    printf("%zu", size);
    for (const loguuid_encoding encoding : {LOGUUID_HEX, LOGUUID_BASE64, LOGUUID_BASE64URL, LOGUUID_BASE32}) {
      const auto gen = new_gen(strtoull(seed, nullptr, 10) + size);
      const Using use(gen);
      char text[200] = "";
      loguuid_token(text, sizeof text, size, encoding);
      printf(" %s", text[0] != '\0' ? text : "-");
    }
    putchar('\n');
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--list-kernels") return list_kernels();
  if (first == "--blocks" && argc == 6) return print_blocks(argv + 2);
  if (first == "--tokens" && argc == 3) return print_tokens(argv[2]);

  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Printer);
  int status = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(filter) == "*") {
    check_vectors_read();
    if (!loguuid::testing::unread_vectors().empty()) status = 1;
  }
  return status;
}
