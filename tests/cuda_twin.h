// What the kernels need of CUDA, for a C++ compiler: a block's threads are fibers of one thread, which take turns at
// barriers and shuffles, the first warp or the last one always ahead. Shared memory begins as nan. No barrier may be left out and no
// memory read before it is written, or results differ.
#include <cmath>
#include <cstdlib>
#include <cstring>
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

namespace twin {

static float4 *pool;

struct Barrier {
    int size, waiting = 0, passed = 0;
};

struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool over = false;
};

static std::vector<Fiber> fibers;
static std::vector<Barrier> warps;
static Barrier block;
static ucontext_t scheduler;
static std::function<void()> running;
static std::vector<float> floats;
static std::vector<int> ints;

static bool moved;  // whether a fiber has come to another barrier, or to its end

static void wait(Barrier &barrier) {
    moved = true;
    const int now = barrier.passed;
    if (++barrier.waiting == barrier.size) barrier.waiting = 0, ++barrier.passed;
    const unsigned me = threadIdx.x;
    while (barrier.passed == now) swapcontext(&fibers[me].context, &scheduler);
}

template <class T> static T exchange(std::vector<T> &slots, T mine, int from) {
    const unsigned me = threadIdx.x, warp = me / WARP;
    slots[me] = mine;
    wait(warps[warp]);
    const T theirs = from < 0 || from >= WARP ? mine : slots[warp * WARP + from];
    wait(warps[warp]);
    return theirs;
}

static std::vector<float> &slots(float) { return floats; }
static std::vector<int> &slots(int) { return ints; }

static void fiber() { running(), fibers[threadIdx.x].over = moved = true; }

static void launch(std::function<void()> kernel, int x, int y, int threads, int shared, bool backwards) {
    running = kernel;
    std::vector<float4> memory(shared / 16 + 1);
    gridDim = {(unsigned)x, (unsigned)y}, blockDim = {(unsigned)threads, 1};
    floats.assign(threads, 0), ints.assign(threads, 0);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (int b = 0; b < x * y; ++b) {
        blockIdx = {(unsigned)(b % x), (unsigned)(b / x)};
        for (float4 &each : memory) each = float4{nan, nan, nan, nan};
        pool = memory.data();
        block = Barrier{threads}, warps.assign(threads / WARP, Barrier{WARP});
        fibers.resize(threads);
        if (threads == 1) {
            threadIdx = {0, 0}, running();
            continue;
        }
        for (Fiber &each : fibers) {
            each.stack.resize(1 << 17);
            each.over = false;
            getcontext(&each.context);
            each.context.uc_stack.ss_sp = each.stack.data();
            each.context.uc_stack.ss_size = each.stack.size();
            each.context.uc_link = &scheduler;
            makecontext(&each.context, twin::fiber, 0);
        }
        for (bool going = true; going;) {
            going = false;
            for (int w = 0; w < threads / WARP; ++w) {  // a warp goes as far as it can before another one moves
                do {
                    moved = false;
                    for (int i = 0; i < WARP; ++i) {
                        const int t = backwards ? threads - 1 - (w * WARP + i) : w * WARP + i;
                        if (fibers[t].over) continue;
                        going = true, threadIdx = {(unsigned)t, 0};
                        swapcontext(&scheduler, &fibers[t].context);
                    }
                } while (moved);
            }
        }
    }
}

}  // namespace twin

static inline void __syncthreads() { twin::wait(twin::block); }
template <class T> static T __shfl_up_sync(unsigned, T mine, int by) {
    return twin::exchange(twin::slots(mine), mine, (int)(threadIdx.x % WARP) - by);
}
template <class T> static T __shfl_xor_sync(unsigned, T mine, int by) {
    return twin::exchange(twin::slots(mine), mine, (int)(threadIdx.x % WARP) ^ by);
}
static inline void fetch(float *to, const float *from) { std::memcpy(to, from, 16); }
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
