"""Where memory ends, memsize ends: one message, a document where it was asked for, status 4, and nothing half written.

Allocations are made to fail by an operator new of our own, loaded before the library's: all of them from the N-th on, or
those beyond so many bytes. Of a run of one thread that writes no file, N is every allocation (of the longest runs every
few): the run splits there in two, and one half goes on without memory. Others are run again for some N. Whatever a run
does up to its end must be what it does with all memory, or that end. And what never ends, or says a lot in a few bytes,
is left at the limit of its kind, in bounded memory and time.
"""

import gzip
import json
import os
import resource
import subprocess
import time
from pathlib import Path

from support import SOURCE, TRACE, Context, check, main, read, same, tool

HOOK = r"""
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<long> calls{0};
static std::atomic<long> bytes{0};
static long number(const char* name) { const char* text = std::getenv(name); return text == nullptr ? -1 : std::atol(text); }

// One half of a run goes on without memory, the other one waits and writes down how that ended.
static bool is_without = false;
static long every() { static const long step = number("SPLIT_EVERY"); return step; }
// What is read from a shared file moves on for both.
static void open_again() {
  for (int file = 3; file < 64; ++file) {
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY) continue;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int own = open(path, O_RDONLY | O_CLOEXEC);
    lseek(own, lseek(file, 0, SEEK_CUR), SEEK_SET);
    dup2(own, file);
    close(own);
  }
}
static void put(int to, const void* data, std::size_t size) { if (write(to, data, size) != static_cast<ssize_t>(size)) std::abort(); }
static int said_in(const char* name) { return fcntl(memfd_create(name, MFD_CLOEXEC), F_DUPFD_CLOEXEC, 100); }
static void split(long call) {
  static const int record = fcntl(open(std::getenv("SPLIT_TO"), O_WRONLY | O_CREAT | O_TRUNC, 0644), F_DUPFD_CLOEXEC, 100);
  static const int said[2] = {said_in("out"), said_in("err")};
  const pid_t half = fork();
  if (half < 0) std::abort();
  if (half == 0) {
    dup2(said[0], STDOUT_FILENO);
    dup2(said[1], STDERR_FILENO);
    open_again();
    alarm(60);
    is_without = true;
    return;
  }
  int status = 0;
  if (waitpid(half, &status, 0) != half) std::abort();
  struct stat before {};
  fstat(STDOUT_FILENO, &before);
  char head[80];
  off_t sizes[2];
  for (int i = 0; i < 2; ++i) sizes[i] = lseek(said[i], 0, SEEK_END);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  put(record, head, std::snprintf(head, sizeof head, "%ld %d %ld %ld %ld\n", call, code, sizes[0], sizes[1], static_cast<long>(before.st_size)));
  for (int i = 0; i < 2; ++i) {
    void* text = std::malloc(sizes[i] + 1);
    if (pread(said[i], text, sizes[i], 0) != sizes[i]) std::abort();
    put(record, text, sizes[i]);
    std::free(text);
    if (ftruncate(said[i], 0) != 0) std::abort();
    lseek(said[i], 0, SEEK_SET);
  }
}

static bool refused(std::size_t size) {
  static const long last = number("FAIL_FROM");
  static const long most = number("FAIL_ABOVE");
  // Before main() no program has a say: what counts begins where it has prepared itself.
  if (std::get_new_handler() == nullptr) return false;
  const long call = ++calls;
  if (!is_without && every() > 0 && call % every() == 0) split(call);
  if (is_without) return true;
  return (last >= 0 && call > last) || (most >= 0 && bytes + static_cast<long>(size) > most);
}
static void* take(std::size_t size) {
  if (refused(size)) return nullptr;
  void* memory = std::malloc(size == 0 ? 1 : size);
  bytes += static_cast<long>(malloc_usable_size(memory));
  return memory;
}
void* operator new(std::size_t size) {
  while (true) {
    if (void* memory = take(size)) return memory;
    std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc{};
    handler();
  }
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size); }
static void give(void* memory) noexcept { bytes -= static_cast<long>(malloc_usable_size(memory)); std::free(memory); }
void operator delete(void* memory) noexcept { give(memory); }
void operator delete[](void* memory) noexcept { give(memory); }
void operator delete(void* memory, std::size_t) noexcept { give(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give(memory); }
struct Report {
  ~Report() {
    if (const char* path = std::getenv("COUNT_IN")) {
      if (std::FILE* file = std::fopen(path, "w")) { std::fprintf(file, "%ld %ld\n", calls.load(), bytes.load()); std::fclose(file); }
    }
  }
} report;
"""
MESSAGE = "memsize: error[memory.end]: "
STEPS = 60
# A run of so many allocations is split at each of them, a longer one so often.
MOST, SPLITS = 10_000, 2_500
MIB = 1 << 20


def hook(context: Context) -> Path:
    compiler = tool("g++", "c++", "clang++")
    (context.work / "hook.cpp").write_text(HOOK, encoding="utf-8")
    library = context.work / "hook.so"
    subprocess.run([compiler, "-std=c++20", "-O1", "-fPIC", "-shared", "-o", library, context.work / "hook.cpp"], check=True)
    return library


def run(context: Context, words: tuple[str, ...], limit: int = 0, to_file: bool = False,
        **variables: object) -> subprocess.CompletedProcess[bytes]:
    def restrict() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    # Each run notes what it would keep, and has no folder for it.
    environment = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": os.devnull, "MEMSIZE_REMEMBER": "", **{name: str(value) for name, value in variables.items()}}
    with (context.work / "printed").open("wb") as printed:
        done = subprocess.run([context.memsize, *words], cwd=context.work, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120,
                              stdout=printed if to_file else subprocess.PIPE, env=environment, preexec_fn=restrict, check=False)
    if to_file:
        done.stdout = (context.work / "printed").read_bytes()
    return done


def steps(last: int) -> list[int]:
    """Each of the first, then fewer and fewer of those behind them."""
    first = list(range(0, 24))
    return first + sorted({round(24 + (last - 24) * (i / STEPS) ** 2) for i in range(STEPS + 1)})


def check_end(context: Context, words: tuple[str, ...], what: str, done: subprocess.CompletedProcess[bytes], whole: bytes) -> bool:
    """Whether memory ended; then it ended well."""
    if done.returncode == 0:
        same(f"{words} {what}: what it prints", done.stdout, whole)
        return False
    same(f"{words} {what}: status\n{done.stderr[-300:]!r}", done.returncode, 4)
    said = done.stderr.decode("utf-8")
    same(f"{words} {what}: how often it says so\n{said}", said.count("error[memory.end]"), 1)
    if "--json" in words or "--sarif" in words:
        document = json.loads(done.stdout)
        check("runs" in document or document["diagnostics"][-1]["code"] == "memory.end", f"{words} {what}: {document}")
    else:
        same(f"{words} {what}: what it prints", done.stdout, b"")
    return True


def check_split(context: Context, library: Path, words: tuple[str, ...]) -> tuple[int, str]:
    """How often memory ended, and at which allocations."""
    count, record = context.work / "count", context.work / "record"
    whole = run(context, words, LD_PRELOAD=library, COUNT_IN=count)
    total = int(read(count).split()[0])
    check(total > 50, f"{words}: only {total} allocations: the hook is not asked")
    every = 1 if total <= MOST else -(-total // SPLITS)
    again = run(context, words, LD_PRELOAD=library, SPLIT_EVERY=every, SPLIT_TO=record, to_file=True)
    same(f"{words}: what is printed beside halves without memory", (again.returncode, again.stdout), (whole.returncode, whole.stdout))
    data, at, halves, ended = record.read_bytes(), 0, 0, 0
    while at < len(data):
        head, _, _ = data[at:at + 80].partition(b"\n")
        call, code, out, err, before = map(int, head.split())
        at += len(head) + 1
        # With what both had printed before.
        printed = whole.stdout[:before] + data[at:at + out]
        done = subprocess.CompletedProcess([], code, printed, data[at + out:at + out + err])
        at += out + err
        halves += 1
        # What the command line is wrong in may be said before memory is asked for.
        if (code, done.stdout) == (4, whole.stdout) and before:
            check(done.stderr.startswith(MESSAGE.encode()), f"{words} from allocation {call}: {done.stderr!r}")
        elif (code, done.stdout) != (whole.returncode, whole.stdout):
            ended += check_end(context, words, f"from allocation {call}", done, whole.stdout)
    same(f"{words}: halves", halves, total // every)
    check(ended > halves // 2, f"{words}: memory ended in {ended} of {halves} halves")
    return ended, f"{words[0]} {'each' if every == 1 else f'one of {every}'} of {total}"


def check_all(context: Context, library: Path) -> tuple[int, str]:
    csv = SOURCE / "samples" / "plans" / "vww_mobilenet.csv"
    document = context.work / "sizing.json"
    document.write_text(context.run("analyze", TRACE, "--board", "j722s-sdk11", "--json").stdout, encoding="utf-8")
    board = ("--board", "j722s-sdk11")
    calls = (("analyze", str(TRACE), *board, "--json"), ("analyze", str(document), "--json"), ("plan", str(csv), "--json"),
             ("check", str(csv), "--json"), ("board", "show", "j722s"), ("list", "checks"), ("board", "nonsense", "--json"),
             ("check", *board, "--json"), ("emit", *board, "--diff"), ("why", "0x110300000", *board, "--json"),
             ("diff", str(csv), str(csv), "--json"), ("completion", "bash"))
    results = [check_split(context, library, words) for words in calls]
    return sum(ended for ended, _ in results), ", ".join(said for _, said in results)


def check_failing(context: Context, library: Path) -> int:
    csv = SOURCE / "samples" / "plans" / "vww_mobilenet.csv"
    packed = context.work / "trace.log.gz"
    packed.write_bytes(gzip.compress(TRACE.read_bytes()))
    runs = context.work / "runs"
    runs.mkdir()
    for name in ("a.log", "b.log"):
        (runs / name).write_bytes(TRACE.read_bytes())
    calls = (("analyze", str(packed), "--board", "j722s-sdk11", "--json"), ("analyze", "runs", "--json"),
             ("plan", str(csv), "--json"), ("board", "show", "j722s"), ("list", "checks"), ("emit", "--board", "j722s-sdk11", "--out", "out"),
             ("check", "--map", "map", "--board", "j722s-sdk11", "--sarif"), ("board", "nonsense", "--json"))
    context.run("emit", "--board", "j722s-sdk11", "--out", "map")
    ended = 0
    for words in calls:
        count = context.work / "count"
        whole = run(context, words, LD_PRELOAD=library, COUNT_IN=count)
        total = int(read(count).split()[0])
        check(total > 50, f"{words}: only {total} allocations: the hook is not asked")
        if whole.returncode != 0:
            whole = subprocess.CompletedProcess([], 0, b"")
        for step in steps(total):
            done = run(context, words, LD_PRELOAD=library, FAIL_FROM=step)
            if done.returncode == 2 and "nonsense" in words:
                continue
            ended += check_end(context, words, f"from allocation {step}", done, whole.stdout)
            left = [path for path in context.work.rglob("*.memsize-*")]
            same(f"{words} from allocation {step}: files half written", left, [])
            # What was written is written again, so that each step has the same to do.
            if "--out" in words:
                subprocess.run(["rm", "-rf", "out"], cwd=context.work, check=True)
        for budget in (0, 4096, 40_000, 100_000, 200_000, 400_000, 800_000):
            done = run(context, words, LD_PRELOAD=library, FAIL_ABOVE=budget)
            if done.returncode != 2:
                ended += check_end(context, words, f"with {budget} bytes", done, whole.stdout)
            subprocess.run(["rm", "-rf", "out"], cwd=context.work, check=True)
    return ended


def check_limits(context: Context) -> int:
    """Each ends by its limit in 700 MiB, and says what that is."""
    board = SOURCE / "boards" / "j722s.toml"
    csv = SOURCE / "samples" / "plans" / "vww_mobilenet.csv"
    keys = context.work / "keys.toml"
    keys.write_text("".join(f"key{i} = {i}\n" for i in range(80_000)), encoding="utf-8")
    line = context.work / "line.toml"
    line.write_text("schema = 1\nsources = [" + "1, " * 1_000_000 + "]\n", encoding="utf-8")
    tree = context.work / "sdk"
    subprocess.run(["cp", "-r", SOURCE / "tests" / "data" / "zy4", tree], check=True)
    header = next((tree / "platform").rglob("app_mem_map.h"))
    with header.open("wb") as file:
        file.truncate(200 * MIB)
    on_tree = ("--sdk", str(tree), "--board", str(tree / "board.toml"))
    calls = ((("plan", str(csv), "--rules", "/dev/zero"), "4 MiB"), (("board", "check", "/dev/zero"), "'/dev/zero'"),
             (("emit", "--project", "/dev/zero"), "4 MiB"), (("check", "--sdk", str(tree), "--baseline", "/dev/zero"), "64 MiB"),
             (("analyze", "/dev/zero"), "1 MiB"), (("analyze", str(TRACE), "--board", "/dev/zero"), ""),
             (("emit", "--board", str(board), "--sizing", "/dev/zero"), "1 MiB"), (("plan", "/dev/zero"), "256 MiB"),
             (("emit", *on_tree, "--set", "c8_heap_size=10MiB"), "4 MiB"), (("check", *on_tree), "4 MiB"),
             (("board", "check", str(keys)), "has no key"), (("board", "check", str(line)), ""))
    for words, limit in calls:
        began = time.monotonic()
        done = run(context, words, 1500 * MIB)
        took = time.monotonic() - began
        said = done.stderr.decode("utf-8")
        check(done.returncode in (1, 2, 4) and "memory.end" not in said, f"{words}: exit {done.returncode}\n{said[:500]}")
        check(limit in said, f"{words}: does not say '{limit}':\n{said[:500]}")
        check(took < 30, f"{words}: took {took:.0f} s")
    return len(calls)


def body(context: Context) -> str:
    library = hook(context)
    everywhere, which = check_all(context, library)
    failing = check_failing(context, library)
    check(failing > 100, f"memory ended {failing} times only")
    return f"memory ended {everywhere} times in halves of runs ({which}), {failing} in others, and well; {check_limits(context)} limits"


if __name__ == "__main__":
    main(__doc__, body)
