// What the kernels need of CUDA, for a C++ compiler: a block's threads are fibers of one thread, which take turns at
// barriers and shuffles, the first warp or the last one always ahead. Shared memory begins as nan, and nothing may be
// written behind it. No barrier may be left out and no memory read before it is written, or results differ.
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <ucontext.h>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads, ...)
#define __align__(bytes) alignas(bytes)
#define POOL(name) float4 *name = twin::pool

struct alignas(16) float4 { float x, y, z, w; };
inline float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
struct Index { unsigned x, y; };
Index threadIdx, blockIdx, blockDim, gridDim;

#define UNWATCHED __attribute__((no_sanitize("thread")))

// Who is at the same memory without a barrier in between (cuda_races.h); what the twin does itself is not watched.
namespace races {
static bool watching, stopped;
static void launched();
static void block_begins(const void *stack);
}  // namespace races

namespace twin {

static float4 *pool;
static int pooled;  // how many there are

struct Barrier {
    int size, waiting = 0, passed = 0;
};

// A fiber is made once, and goes from launch to launch; jumps, unlike changes of context, ask nothing of the system.
struct Fiber {
    ucontext_t context;
    jmp_buf place;
    std::vector<char> stack;
    bool over = true, begun = false;
    const Barrier *before = nullptr;  // it waits before this one, which had been passed so often
    int passed = 0;
};

static std::deque<Fiber> fibers;  // which stay where they are
static std::vector<Barrier> warps;
static Barrier block;
static jmp_buf scheduler;
static std::function<void()> running;
static std::vector<float> floats;
static std::vector<int> ints;

static bool moved;  // whether a fiber has come to another barrier, or to its end

UNWATCHED static void wait(Barrier &barrier) {
    races::watching = false;
    moved = true;
    const int now = barrier.passed;
    if (++barrier.waiting == barrier.size) barrier.waiting = 0, ++barrier.passed;
    if (barrier.passed == now) {
        Fiber &me = fibers[threadIdx.x];
        me.before = &barrier, me.passed = now;
        if (!_setjmp(me.place)) _longjmp(scheduler, 1);
    }
    races::watching = true;
}

template <class T> UNWATCHED static T exchange(std::vector<T> &slots, T mine, int from) {
    const unsigned me = threadIdx.x, warp = me / WARP;
    races::watching = false;
    slots[me] = mine;
    wait(warps[warp]);
    races::watching = false;
    const T theirs = from < 0 || from >= WARP ? mine : slots[warp * WARP + from];
    wait(warps[warp]);
    return theirs;
}

static std::vector<float> &slots(float) { return floats; }
static std::vector<int> &slots(int) { return ints; }

UNWATCHED static void fiber() {
    for (;;) {
        races::watching = true;
        running();
        races::watching = false;
        Fiber &me = fibers[threadIdx.x];
        me.over = moved = true;
        if (!_setjmp(me.place)) _longjmp(scheduler, 1);
    }
}

// Go on with a fiber until it waits, or is over.
UNWATCHED static void go_on(Fiber &fiber) {
    if (_setjmp(scheduler)) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    fiber.begun = true;
    setcontext(&fiber.context);
}

static void make_fibers(size_t threads) {
    while (fibers.size() < threads) {
        Fiber &made = fibers.emplace_back();
        made.stack.resize(1 << 17);
        getcontext(&made.context);
        made.context.uc_stack.ss_sp = made.stack.data();
        made.context.uc_stack.ss_size = made.stack.size();
        made.context.uc_link = nullptr;
        makecontext(&made.context, fiber, 0);
    }
}

// What lies behind shared memory, and would be another block's on a device: nobody writes there.
static const int GUARD = 256;
static bool beyond;  // somebody did

UNWATCHED static void launch(std::function<void()> kernel, int x, int y, int threads, int shared, bool backwards) {
    running = kernel;
    const int size = (shared + 15) / 16;
    std::vector<float4> memory(size + GUARD);  // zeros
    gridDim = {(unsigned)x, (unsigned)y}, blockDim = {(unsigned)threads, 1};
    floats.assign(threads, 0), ints.assign(threads, 0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    races::launched();
    for (int b = 0; b < x * y; ++b) {
        blockIdx = {(unsigned)(b % x), (unsigned)(b / x)};
        for (int i = 0; i < size; ++i) memory[i] = float4{nan, nan, nan, nan};
        pool = memory.data(), pooled = size;
        races::block_begins(&b);
        block = Barrier{threads}, warps.assign(threads / WARP, Barrier{WARP});
        if (threads == 1) {
            threadIdx = {0, 0}, races::watching = true;
            running();
            races::watching = false;
            continue;
        }
        make_fibers(threads);
        for (int t = 0; t < threads; ++t) fibers[t].over = false, fibers[t].before = nullptr;
        for (bool going = true; going;) {
            going = false;
            for (int w = 0; w < threads / WARP; ++w) {  // a warp goes as far as it can before another one moves
                do {
                    moved = false;
                    for (int i = 0; i < WARP; ++i) {
                        const int t = backwards ? threads - 1 - (w * WARP + i) : w * WARP + i;
                        Fiber &each = fibers[t];
                        if (each.over) continue;
                        going = true, threadIdx = {(unsigned)t, 0};
                        if (!each.before || each.before->passed != each.passed) go_on(each);
                        if (races::stopped) return fibers.clear();
                    }
                } while (moved);
            }
        }
    }
    const char *behind = (const char *)(memory.data() + size);
    for (size_t i = 0; i < GUARD * sizeof(float4); ++i) beyond |= behind[i] != 0;
}

}  // namespace twin

#ifdef RACES
#include "cuda_races.h"
#else
static void races::launched() {}
static void races::block_begins(const void *) {}
extern "C" const char *race() { return ""; }
#endif

extern "C" int shared_memory_overrun() { return twin::beyond; }
static inline void __syncthreads() { twin::wait(twin::block); }
template <class T> static T __shfl_up_sync(unsigned, T mine, int by) {
    return twin::exchange(twin::slots(mine), mine, (int)(threadIdx.x % WARP) - by);
}
template <class T> static T __shfl_xor_sync(unsigned, T mine, int by) {
    return twin::exchange(twin::slots(mine), mine, (int)(threadIdx.x % WARP) ^ by);
}
static inline void fetch(float *to, const float *from) {
    for (int i = 0; i < 4; ++i) to[i] = from[i];
}
static inline void fetched() {}
static inline void foresee(const void *, int) {}
static inline float over(float a, float b) { return a / b; }
template <class To, class From> static To same_bits(From from) {
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}
static inline float __uint_as_float(unsigned bits) { return same_bits<float>(bits); }
static inline unsigned __float_as_uint(float number) { return same_bits<unsigned>(number); }
