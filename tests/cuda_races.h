// Races, for the twin. Compiled with -fsanitize=thread, kernels tell of all that they read and write. Two threads of a
// block that are at the same memory between two barriers race if one of them writes, and so do two blocks of a launch.
// Shuffles put nothing in order. Nor may a thread read shared memory that nobody has written. At the first of these the
// launch ends: where barriers are missing, what is read may be a place to look at.
#include <cstdint>
#include <cstdio>
#include <unordered_map>

namespace races {

// Two bytes: who was there since the last barrier of a block, and which blocks were in this launch.
struct Cell {
    int block = -1, epoch = -1, writer = -1, reader = -1, writing = -1, reading = -1;
    bool readers = false, all_reading = false;
};

static std::unordered_map<uintptr_t, Cell> cells;
static char found[200];
static int number;  // of the block
static const char *bottom;  // of the stack that launches run on

static void launched() { cells.clear(), number = -1, stopped = false, found[0] = 0; }
static void block_begins(const void *here) { ++number, bottom = (const char *)here; }

static bool on_stack(const char *place) {
    if (blockDim.x == 1) return place < bottom + 4096 && place > bottom - (1 << 22);
    const std::vector<char> &stack = twin::fibers[threadIdx.x].stack;
    return place >= stack.data() && place < stack.data() + stack.size();
}

static void tell(const char *what) {
    if (!stopped) std::snprintf(found, sizeof found, "thread %d of block %d %s", (int)threadIdx.x, number, what);
    stopped = true;
}

static void note(const char *place, int size, bool write) {
    const int me = threadIdx.x, epoch = twin::block.passed;
    const bool shared = place >= (const char *)twin::pool && place < (const char *)(twin::pool + twin::pooled);
    for (uintptr_t at = (uintptr_t)place / 2; at <= ((uintptr_t)place + size - 1) / 2; ++at) {
        Cell &cell = cells[at];
        if (cell.block != number || cell.epoch != epoch)
            cell.block = number, cell.epoch = epoch, cell.writer = cell.reader = -1, cell.readers = false;
        if (shared && !write && cell.writing != number) tell("reads shared memory that nobody has written");
        bool race = cell.writer >= 0 && cell.writer != me;
        race |= write && cell.reader >= 0 && (cell.readers || cell.reader != me);
        if (!shared) {
            race |= cell.writing >= 0 && cell.writing != number;
            race |= write && cell.reading >= 0 && (cell.all_reading || cell.reading != number);
        }
        if (race) tell(write ? "writes to memory that another one is at" : "reads memory that another one is at");
        if (write) cell.writer = me, cell.writing = number;
        else cell.readers |= cell.reader >= 0 && cell.reader != me, cell.reader = me,
             cell.all_reading |= cell.reading >= 0 && cell.reading != number, cell.reading = number;
    }
}

UNWATCHED static void seen(const char *place, int size, bool write) {
    if (!watching) return;
    watching = false;  // what is done here is not watched
    if (!on_stack(place)) note(place, size, write);
    if (stopped && blockDim.x > 1) _longjmp(twin::scheduler, 1);
    watching = true;
}

}  // namespace races

#define TELL(name, size, write)                                                                                        \
    extern "C" UNWATCHED void __tsan_##name(void *place) { races::seen((const char *)place, size, write); }
#define TELL_BOTH(size) TELL(read##size, size, false) TELL(write##size, size, true)
#define TELL_UNALIGNED(size) TELL(unaligned_read##size, size, false) TELL(unaligned_write##size, size, true)
TELL_BOTH(1) TELL_BOTH(2) TELL_BOTH(4) TELL_BOTH(8) TELL_BOTH(16)
TELL_UNALIGNED(2) TELL_UNALIGNED(4) TELL_UNALIGNED(8) TELL_UNALIGNED(16)
extern "C" UNWATCHED void __tsan_read_range(void *place, unsigned long size) {
    races::seen((const char *)place, (int)size, false);
}
extern "C" UNWATCHED void __tsan_write_range(void *place, unsigned long size) {
    races::seen((const char *)place, (int)size, true);
}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_init() {}
extern "C" void __tsan_vptr_update(void **, void *) {}
extern "C" void __tsan_vptr_read(void **) {}
extern "C" const char *race() { return races::found; }
