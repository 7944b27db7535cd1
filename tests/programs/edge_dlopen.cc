// The shared library comes and goes: loaded, drawn from and closed ten thousand times, forked meanwhile, with the
// mappings as they were; two copies in one process never meet; a plug-in that holds the library inside leaves no
// handler behind when it is unloaded; where static thread-local storage is exhausted the loader says so.  edge_dlopen
// [FORKS]; LOGUUID_SO names the library, else it is looked for in the build folder. Plug-ins are linked here from the
// archive next to this program.
#include <dlfcn.h>

#include <atomic>
#include <string>

#include "edge.h"

namespace {

std::string folder;

std::string build_file(const char* name) {
  char self[4096];
  const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
  CHECK(len > 0);
  std::string path(self, static_cast<size_t>(len));
  path.resize(path.rfind('/'));
  const std::string beside = path + "/" + name, above = path + "/../" + name;
  return access(beside.c_str(), R_OK) == 0 ? beside : above;
}

std::string compiler() {
  const char* cc = getenv("CC");
  return cc != nullptr && *cc != '\0' ? cc : "cc";
}

bool run(const std::string& command) { return system((command + " > /dev/null 2>&1").c_str()) == 0; }

struct Library {
  void* handle;
  void (*v4_bytes)(unsigned char*);
};

Library open_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) printf("%s\n", dlerror());
  CHECK(handle != nullptr);
  const auto v4_bytes = reinterpret_cast<void (*)(unsigned char*)>(dlsym(handle, "loguuid_v4_bytes"));
  CHECK(v4_bytes != nullptr);
  return {handle, v4_bytes};
}

Id draw(const Library& library) {
  Id id;
  library.v4_bytes(id.data());
  return id;
}

long mappings() {
  FILE* file = fopen("/proc/self/maps", "r");
  CHECK(file != nullptr);
  long lines = 0;
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  fclose(file);
  return lines;
}

// `forks` of the rounds fork while the library is loaded; the others make a thread that draws.
void comes_and_goes(const std::string& so, int rounds, int forks) {
  Drawn drawn(static_cast<size_t>(rounds + forks + 2 * rounds));
  long before = 0;
  for (int i = 0; i < rounds; ++i) {
    const Library library = open_library(so);
    drawn.add(draw(library));
    if (i % (rounds / forks) == 0) {
      const pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        drawn.add(draw(library));
        _exit(0);
      }
      CHECK_EQ(0, wait_for(child));
    } else if (i % 10 == 0) {
      in_a_thread([&] { drawn.add(draw(library)); });
    }
    CHECK_EQ(0, dlclose(library.handle));
    if (i == 10) before = mappings();
  }
  const long after = mappings();
  printf("%d loads, %d forks: %ld mappings, then %ld\n", rounds, forks, before, after);
  CHECK(after <= before + 2);
  CHECK_EQ(0, drawn.duplicates());
}

std::string copy_of(const std::string& so, const char* name) {
  const std::string path = folder + "/" + name;
  CHECK(run("cp '" + so + "' '" + path + "'"));
  return path;
}

void two_copies(const std::string& so) {
  const Library one = open_library(copy_of(so, "one.so")), two = open_library(copy_of(so, "two.so"));
  CHECK(one.v4_bytes != two.v4_bytes);
  Drawn drawn(1 << 16);
  const auto draw_both = [&] {
    for (int i = 0; i < 500; ++i) {
      drawn.add(draw(one));
      drawn.add(draw(two));
    }
  };
  draw_both();
  for (int i = 0; i < 10; ++i) {
    in_a_thread(draw_both);
    in_a_child(draw_both);
  }
  dlclose(one.handle);
  for (int i = 0; i < 500; ++i) drawn.add(draw(two));
  CHECK_EQ(0, drawn.duplicates());
}

// A plug-in is unloaded while a thread that drew from it lives: nothing of it may be called when the thread ends or
// forks.
void plug_in_leaves_nothing_behind() {
  const std::string plug_in = folder + "/plug-in.so";
  CHECK(run(compiler() + " -shared -o '" + plug_in + "' -Wl,--whole-archive '" + build_file("libloguuid.a") +
            "' -Wl,--no-whole-archive -pthread"));
  for (int i = 0; i < 50; ++i) {
    const Library library = open_library(plug_in);
    std::atomic<int> stage = 0;
    std::thread thread([&] {
      draw(library);
      stage = 1;
      stage.notify_all();
      stage.wait(1);
    });
    stage.wait(0);
    draw(library);
    CHECK_EQ(0, dlclose(library.handle));
    CHECK(dlopen(plug_in.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr);  // it is gone
    stage = 2;
    stage.notify_all();
    thread.join();
    in_a_child([] {});
  }
}

void thread_local_storage_is_exhausted(const std::string& so) {
  // Ever smaller blocks take what is left, each of a size again and again until it does not fit.
  for (const int bytes : {512, 64, 8}) {
    const std::string name = folder + "/tls" + std::to_string(bytes);
    FILE* source = fopen((name + ".c").c_str(), "w");
    CHECK(source != nullptr);
    fprintf(source, "static __thread char block[%d] __attribute__((tls_model(\"initial-exec\"), aligned(8)));\n",
            bytes);
    fprintf(source, "char *touch(void) { return block; }\n");
    fclose(source);
    CHECK(run(compiler() + " -fPIC -shared -o '" + name + ".so' '" + name + ".c'"));
    for (int i = 0; i < 64; ++i) {
      const std::string copy = copy_of(name + ".so", ("tls" + std::to_string(bytes) + "-" + std::to_string(i)).c_str());
      if (dlopen(copy.c_str(), RTLD_NOW) == nullptr) break;
    }
  }
  CHECK(dlopen(so.c_str(), RTLD_NOW) == nullptr);
  const std::string why = dlerror();
  printf("%s\n", why.c_str());
  CHECK(why.find("TLS") != std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  const int forks = argc > 1 ? atoi(argv[1]) : 500;
  if (!run(compiler() + " --version")) skip("no C compiler to make plug-ins with");
  const char* given = getenv("LOGUUID_SO");
  const std::string so = given != nullptr ? given : build_file("libloguuid.so.1");
  char path[] = "/tmp/loguuid-plug-in-XXXXXX";
  CHECK(mkdtemp(path) != nullptr);
  folder = path;
  in_a_child(plug_in_leaves_nothing_behind);
  if (access(so.c_str(), R_OK) == 0) {
    in_a_child([&] { two_copies(so); });
    in_a_child([&] { thread_local_storage_is_exhausted(so); });
    in_a_child([&] { comes_and_goes(so, 10000, forks); });
  } else {
    printf("no shared library next to this program: its parts are left out\n");
  }
  run("rm -r '" + folder + "'");
  return 0;
}
