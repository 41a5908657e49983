// The passes of the spot engine on a device: the mathematics of ../kernels.py, all boards of a street in one launch.
//
// What is kept of a player (regrets, averages) lies as the engine for the processor keeps it, in tiles of LANES hands
// with all actions of a tile together, and so do the rows that are worked on: first a plain row for each root, then the
// blocks. A row is found by where it begins and by how far its tiles are apart. A thread has hands of its own on the way
// down and on the way up, so that only terminals make threads wait for each other; what it reads for all of its hands is
// on its way together.
//
// On the last street a block of threads has a board and a group of roots, whose betting nobody else touches: rows live
// in shared memory, regrets and averages are read and written once. Four terminals are evaluated at a time. The
// opponent's hands are listed by strength, all of them and then those with each card; sums along the lists, begun anew
// at each list's head, tell what a hand beats: all that is worse, less what is worse and has one of its cards.
//
// With HALF what is kept has sixteen bits (../sixteen.py), means instead of sums; it is rounded by its place and the
// number of the iteration, as on the processor.
//
// Compiled by NVRTC for a device. Tests compile the same file for the processor (tests/cuda_twin.h), with threads that
// take turns.

#ifndef WARP
#define WARP 32
#endif
#define LANES 16
#define EVERYBODY 0xffffffffu
#define ALL 52                                                  // the list of all hands, after those of the cards
#define NO_CARDS 0xffff
#define NOWHERE -1
#define LEAST 1e-35f                                            // as in kernels.py: sums below are nothing
#ifndef HALF
#define HALF 0
#endif
#define MOST 4                                                  // actions whose numbers are asked for ahead
#define SPLIT (WARP < 4 ? 1 : 4)                                // threads that share a card's list

#define INLINE static __device__ __forceinline__
#define INLINE_MEMBER __device__ __forceinline__

#ifdef __CUDACC__
#define POOL(name) extern __shared__ float4 name[]
// Sixteen bytes from global to shared memory, on their way until `fetched`.
INLINE void fetch(float *to, const float *from) {
    const unsigned where = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(where), "l"(from));
}
INLINE void fetched() { asm volatile("cp.async.wait_all;" ::: "memory"); }
// A quotient to two units in the last place; of denominators above 2^126, which no regret comes near, 0.
INLINE float over(float a, float b) { return __fdividef(a, b); }
// Bytes that will be read soon: into the cache of the device, while the terminals are worked on.
INLINE void foresee(const void *from, int bytes) {
#if __CUDA_ARCH__ >= 900
    if (bytes) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
#endif
}
#endif

enum { IMPROVE = 0, EXPECT = 1, BEST = 2 };

struct Row { int base, step; };                                 // step: LANES times the actions beside it
struct Block { int base, actions; Row parent; };
struct __align__(16) Four { Row a, b, c, d; };                  // of four terminals
struct Facing { Four from, call, fold; float4 win, lose, give; };
struct Faced { Four call, fold, to, folded; float4 win, lose, take, give; };
struct Fold { Four from, to; float4 pay; };
struct Line { Row row; int leaf, spare; };                       // of the player's rows: which leaf it is, or none

// A hand on a board: places in the lists of sums, the opponent's column with the same cards, and its two cards.
struct __align__(16) Hand { unsigned short first_less, first_equal, second_less, second_equal, less, equal, own, cards; };

// Roots, blocks, terminals and kept numbers that go together; on streets before the last a single root.
struct Group {
    int root, roots;
    int their_kept, their_rows, their_block, their_blocks;
    int my_kept, my_rows, my_block, my_blocks;
    int facing, facings, faced, faceds, fold, folds, bare, bares;
};

// Of the last street: some groups on some boards, `each` of them at a time.
struct Items { int board, boards, group, groups, each; };

// What learning multiplies by and, of means, what is added to regrets and averages; and the number of the iteration.
struct Rates { float above, below, average, regret_weight, average_weight; unsigned time; };

#if HALF
typedef short Regret;
typedef unsigned short Average;
#else
typedef float Regret, Average;
#endif

// A street as one player sees it.
struct Street {
    const float *above;                                         // the opponent's rows of the street before
    float *reach, *value;                                       // by board, before the last street
    float *out;                                                 // by board and root: what hands earn
    const float *below;                                         // the same of the next street
    const Regret *their_regret;
    const Average *their_strategy;
    Regret *regret;
    Average *strategy;
    const Average *locked;
    float *scratch;
    const int *parent;                                          // by board
    const Row *leaf;                                            // by root: the opponent's row of the street before
    const Group *group;
    const Block *their_block, *my_block;
    const Facing *facing;
    const Faced *faced;
    const Fold *fold;
    const Row *bare;                                            // rows that no terminal writes
    const Line *line;
    const Hand *hand;                                           // (boards, my width)
    const unsigned short *order;                                // (boards, listed): columns, list by list
    const unsigned short *start;                                // (boards, 56): where cards' lists begin and end; hands
    const int *deal_start, *deal_board, *deal_swap;
    const short *swaps;                                         // (changes of suits, my width)
    int groups, roots, my_width, their_width, my_rows, their_rows, my_kept, their_kept;
    int above_size, below_roots, their_most, my_most;           // most: numbers of the rows of a group
    int listed, spare;                                          // entries of all lists of a board
};

INLINE int at(Row row, unsigned column) { return row.base + column / LANES * row.step + column % LANES; }

INLINE float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
INLINE float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
INLINE float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }

INLINE float4 zeros() { return make_float4(0.0f, 0.0f, 0.0f, 0.0f); }

INLINE float4 four(const float *rows, const Four &row, int column) {
    return make_float4(rows[at(row.a, column)], rows[at(row.b, column)], rows[at(row.c, column)],
                       rows[at(row.d, column)]);
}

INLINE void put(float *rows, const Four &row, int column, float4 x) {
    if (row.a.base != NOWHERE) rows[at(row.a, column)] = x.x;
    if (row.b.base != NOWHERE) rows[at(row.b, column)] = x.y;
    if (row.c.base != NOWHERE) rows[at(row.c, column)] = x.z;
    if (row.d.base != NOWHERE) rows[at(row.d, column)] = x.w;
}

INLINE float4 from_below(float4 x, int by) {
    return make_float4(__shfl_up_sync(EVERYBODY, x.x, by), __shfl_up_sync(EVERYBODY, x.y, by),
                       __shfl_up_sync(EVERYBODY, x.z, by), __shfl_up_sync(EVERYBODY, x.w, by));
}

INLINE float4 from_beside(float4 x, int by) {
    return make_float4(__shfl_xor_sync(EVERYBODY, x.x, by), __shfl_xor_sync(EVERYBODY, x.y, by),
                       __shfl_xor_sync(EVERYBODY, x.z, by), __shfl_xor_sync(EVERYBODY, x.w, by));
}

// ---- what is kept

INLINE float plain(float kept) { return kept; }
#if HALF
#define EXPONENTS 42
#define DROPPED 13                                              // bits of a fraction, and one more below 0
#define UP 77371252455336267181195264.0f                        // 2^(128 - EXPONENTS)
#define STEPS 65535
#define BY_PLACE 3242174889u
#define BY_TIME 2447445413u

INLINE float plain(unsigned short kept) { return kept * (1.0f / STEPS); }
INLINE float plain(short kept) {
    const unsigned code = (unsigned short)kept, below = code >= EXPONENTS << 10;
    const unsigned size = below ? (code - (EXPONENTS << 10)) << 1 : code;
    return __uint_as_float(size << DROPPED | below << 31) * UP;
}
INLINE void keep(unsigned short *kept, float x, unsigned place, unsigned time) {
    const float part = __uint_as_float((place * BY_TIME + time * BY_PLACE) >> 9 | 0x3f800000u) - 1.0f;
    const int steps = (int)(x * STEPS + part);
    *kept = steps < STEPS ? steps : STEPS;
}
INLINE void keep(short *kept, float x, unsigned place, unsigned time) {
    const unsigned bits = __float_as_uint(x * (1.0f / UP)), size = bits & 0x7fffffffu, below = bits >> 31;
    const unsigned dropped = DROPPED + below, least = 1u << (23 - dropped), codes = EXPONENTS * least;
    unsigned code = (size + ((place * BY_PLACE + time * BY_TIME) >> (32 - dropped))) >> dropped;
    if (code < least) code = below || !size ? 0 : least;
    if (code >= codes) code = codes - 1;
    *kept = (short)(below ? code + (EXPONENTS << 10) : code);
}
INLINE float weighed(float x, float weight) { return x * weight; }
// Numbers from global to shared memory, read by eights.
template <class K> INLINE void bring(float *to, const K *from, int count) {
    struct __align__(16) Eight { K kept[8]; };
#pragma unroll 4
    for (int i = 8 * threadIdx.x; i < count; i += 8 * blockDim.x) {
        const Eight e = *(const Eight *)(from + i);
        float4 *four = (float4 *)(to + i);
        four[0] = make_float4(plain(e.kept[0]), plain(e.kept[1]), plain(e.kept[2]), plain(e.kept[3]));
        four[1] = make_float4(plain(e.kept[4]), plain(e.kept[5]), plain(e.kept[6]), plain(e.kept[7]));
    }
}
#else
INLINE void keep(float *kept, float x, unsigned, unsigned) { *kept = x; }
INLINE float weighed(float x, float) { return x; }
INLINE void bring(float *to, const float *from, int count) {
    for (int i = 4 * threadIdx.x; i < count; i += 4 * blockDim.x) fetch(to + i, from + i);
}
#endif

// Records from global to shared memory, by sixteen bytes.
template <class T> INLINE void fetch_records(float *to, const T *from, int count) {
    for (int i = threadIdx.x; i < count * (int)(sizeof(T) / 16); i += blockDim.x)
        fetch(to + 4 * i, (const float *)from + 4 * i);
}

// ---- blocks

// The hands of a thread, R at the most: columns `first`, and then by steps, as long as there are hands.
template <int R> struct Columns {
    int first, step, width;
    INLINE_MEMBER int operator[](int r) const { return first + r * step; }
    INLINE_MEMBER bool has(int r) const { return first + r * step < width; }
};

// Hands' parts of a block of N actions (0: of any number): the parent's row divided in proportion to what `source` has
// above 0. It may be done in place, and what is written is written to `copy` too if that is another place.
template <int N, int R, class K>
INLINE void divide(const Block &block, const Columns<R> &columns, const K *source, float *reach, float *copy) {
    const int n = N ? N : block.actions;
    float here[R], part[R][N ? N : 1], total[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
        here[r] = columns.has(r) ? reach[at(block.parent, columns[r])] : 0.0f, total[r] = 0.0f;
        const K *from = source + at(Row{block.base, LANES * n}, columns[r]);
#pragma unroll
        for (int a = 0; a < (N ? N : n); ++a) {
            const float x = columns.has(r) ? fmaxf(plain(from[a * LANES]), 0.0f) : 0.0f;
            if (N) part[r][N ? a : 0] = x;
            total[r] += x;
        }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (!columns.has(r)) break;
        const int k = at(Row{block.base, LANES * n}, columns[r]);
        const float scale = total[r] > LEAST ? over(here[r], total[r]) : 0.0f;
        const float even = total[r] > LEAST ? 0.0f : over(here[r], n);
#pragma unroll
        for (int a = 0; a < (N ? N : n); ++a) {
            const float x = (N ? part[r][N ? a : 0] : fmaxf(plain(source[k + a * LANES]), 0.0f)) * scale + even;
            reach[k + a * LANES] = x;
            if (copy != reach) copy[k + a * LANES] = x;
        }
    }
}

// Hands' way down through the opponent's blocks of a group.
template <int R, class K>
INLINE void descend(const Block *blocks, int count, const K *source, float *reach, float *copy,
                    const Columns<R> &columns) {
    Block next = count ? blocks[0] : Block{};
    for (int b = 0; b < count; ++b) {
        const Block block = next;
        if (b + 1 < count) next = blocks[b + 1];
        if (block.actions == 2) divide<2>(block, columns, source, reach, copy);
        else if (block.actions == 3) divide<3>(block, columns, source, reach, copy);
        else if (block.actions == 4) divide<4>(block, columns, source, reach, copy);
        else divide<0>(block, columns, source, reach, copy);
    }
}

// What is kept of a block's hands, if it has no more than MOST actions: asked for while another block is worked on.
template <int R> struct Kept {
    Regret regret[R][MOST];
    Average average[R][MOST];
    INLINE_MEMBER void ask(const Block &block, const Columns<R> &columns, const Regret *regrets,
                           const Average *averages) {
        const int n = block.actions > MOST ? 0 : block.actions;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int k = at(Row{block.base, LANES * block.actions}, columns[r]);
#pragma unroll
            for (int a = 0; a < MOST; ++a)
                if (a < n && columns.has(r))
                    regret[r][a] = regrets[k + a * LANES], average[r][a] = averages[k + a * LANES];
        }
    }
};

// Discounted regret matching of one hand at a block of N actions, and its average; returns what the block is worth.
template <int N>
INLINE float learn(const Regret *had, const Average *averaged, Regret *regret, Average *strategy, const Average *locked,
                   const float *value, unsigned place, Rates rates) {
    float old[N], earned[N], total = 0.0f;
#pragma unroll
    for (int a = 0; a < N; ++a) old[a] = plain(had[a]), earned[a] = value[a * LANES], total += fmaxf(old[a], 0.0f);
    const float scale = total > LEAST ? over(1.0f, total) : 0.0f, even = total > LEAST ? 0.0f : 1.0f / N;
    float worth = 0.0f;
#pragma unroll
    for (int a = 0; a < N; ++a) {
        const float chance = fmaxf(old[a], 0.0f) * scale + even;
        worth += chance * earned[a];
        keep(strategy + a * LANES, plain(averaged[a]) * rates.average + weighed(chance, rates.average_weight),
             place + a * LANES, rates.time);
    }
#pragma unroll
    for (int a = 0; a < N; ++a) {
        const float gained = weighed(earned[a] - worth, rates.regret_weight);
        const float next = old[a] * (old[a] > 0.0f ? rates.above : rates.below) + gained;
        if (!(locked && locked[a * LANES] > 0)) keep(regret + a * LANES, next, place + a * LANES, rates.time);
    }
    return worth;
}

INLINE float learn_any(int n, Regret *regret, Average *strategy, const Average *locked, const float *value,
                       unsigned place, Rates rates) {
    float total = 0.0f, worth = 0.0f;
    for (int a = 0; a < n; ++a) total += fmaxf(plain(regret[a * LANES]), 0.0f);
    const float scale = total > LEAST ? over(1.0f, total) : 0.0f, even = total > LEAST ? 0.0f : over(1.0f, n);
    for (int a = 0; a < n; ++a) {
        const float chance = fmaxf(plain(regret[a * LANES]), 0.0f) * scale + even;
        worth += chance * value[a * LANES];
        keep(strategy + a * LANES,
             plain(strategy[a * LANES]) * rates.average + weighed(chance, rates.average_weight), place + a * LANES,
             rates.time);
    }
    for (int a = 0; a < n; ++a) {
        const float old = plain(regret[a * LANES]), gained = weighed(value[a * LANES] - worth, rates.regret_weight);
        const float next = old * (old > 0.0f ? rates.above : rates.below) + gained;
        if (!(locked && locked[a * LANES] > 0)) keep(regret + a * LANES, next, place + a * LANES, rates.time);
    }
    return worth;
}

// What a hand's average is worth at a block or, with `best`, its best action where play is not fixed.
INLINE float respond(int n, const Average *strategy, const Average *locked, const float *value, bool best) {
    float total = 0.0f, earned = 0.0f, even = 0.0f, most = value[0];
    for (int a = 0; a < n; ++a) {
        const float part = plain(strategy[a * LANES]), here = value[a * LANES];
        total += part, earned += part * here, even += here, most = fmaxf(most, here);
    }
    const float worth = total > LEAST ? over(earned, total) : over(even, n);
    return best && !(locked && locked[0] > 0) ? most : worth;
}

// Hands' way up through the player's blocks of a group; `regret` and the others begin where the group's rows do, `shift`
// numbers on.
template <int R>
INLINE void climb(const Block *blocks, int count, Regret *regret, Average *strategy, const Average *locked,
                  unsigned shift, float *value, const Columns<R> &columns, int mode, Rates rates) {
    Block next = count ? blocks[count - 1] : Block{};
    Kept<R> ahead;
    if (mode == IMPROVE) ahead.ask(next, columns, regret, strategy);
    for (int b = count - 1; b >= 0; --b) {
        const Block block = next;
        const Kept<R> kept = ahead;
        if (b) {
            next = blocks[b - 1];
            if (mode == IMPROVE) ahead.ask(next, columns, regret, strategy);
        }
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (!columns.has(r)) break;
            const int n = block.actions, k = at(Row{block.base, LANES * n}, columns[r]);
            const Average *fixed = locked ? locked + k : 0;
            const unsigned place = shift + k;
            const Regret *had = kept.regret[r];
            const Average *averaged = kept.average[r];
            float worth;
            if (mode != IMPROVE) worth = respond(n, strategy + k, fixed, value + k, mode == BEST);
            else if (n == 2) worth = learn<2>(had, averaged, regret + k, strategy + k, fixed, value + k, place, rates);
            else if (n == 3) worth = learn<3>(had, averaged, regret + k, strategy + k, fixed, value + k, place, rates);
            else if (n == 4) worth = learn<4>(had, averaged, regret + k, strategy + k, fixed, value + k, place, rates);
            else worth = learn_any(n, regret + k, strategy + k, fixed, value + k, place, rates);
            value[at(block.parent, columns[r])] += worth;
        }
    }
}

// ---- terminals

// Shared memory of a block of threads; the engine computes the same size (engine.py).
struct Work {
    float4 *panel, *other;                                      // (their width): four rows, hand by hand
    float4 *prefix;                                             // sums along the lists, after a 0
    float4 *sums, *others;                                      // (53): of every card's list, and of all hands
    float4 *carry;                                              // by warp
    unsigned short *order, *start;
    float *rows;
};

INLINE Work work_in(float4 *pool, int width, int listed) {
    const int warps = blockDim.x / WARP;
    Work work;
    work.panel = pool;
    work.other = work.panel + width;
    work.prefix = work.other + width;
    work.sums = work.prefix + listed + 1;
    work.others = work.sums + 53;
    work.carry = work.others + 53;
    work.order = (unsigned short *)(work.carry + warps);
    work.start = work.order + listed;
    work.rows = (float *)(work.start + 56);
    return work;
}

INLINE void take_lists(const Work &work, const Street &street, int board) {
    const int listed = street.listed;
    const unsigned short *order = street.order + (size_t)board * listed, *start = street.start + (size_t)board * 56;
    for (int i = threadIdx.x; i < listed; i += blockDim.x) work.order[i] = order[i];
    for (int i = threadIdx.x; i < 56; i += blockDim.x) work.start[i] = start[i];
    if (threadIdx.x == 0) work.prefix[0] = work.sums[ALL] = zeros();
}

// Sums along the cards' lists, SPLIT threads for each card: of the panel into `prefix`, of whole lists into `sums`, and
// of whole lists of `other` into `others`. Lists are filled up to fours with a column that has nothing. A thread sums its
// part twice, the second time from where the parts before it end: to keep what it reads in registers was slower.
template <bool PREFIX, bool OTHER> INLINE void count_cards(const Work &work) {
    const int part = threadIdx.x % SPLIT;
    for (int first = threadIdx.x / WARP * WARP; first < SPLIT * 52; first += blockDim.x) {
        const int card = (first + (int)threadIdx.x % WARP) / SPLIT;
        const bool mine = card < 52;
        const int begin = mine ? work.start[card] : 0, each = mine ? (work.start[card + 1] - begin) / SPLIT : 0;
        const unsigned short *list = work.order + begin + part * each;
        float4 run = zeros(), rest = zeros();
#pragma unroll 4
        for (int e = 0; e < each; ++e) {
            const int column = list[e];
            run = run + work.panel[column];
            if (OTHER) rest = rest + work.other[column];
        }
#pragma unroll
        for (int by = 1; by < SPLIT; by *= 2) {
            const float4 before = from_below(run, by);
            if (part >= by) run = run + before;
            if (OTHER) rest = rest + from_beside(rest, by);
        }
        if (mine && part == SPLIT - 1) work.sums[card] = run;
        if (OTHER && mine && part == 0) work.others[card] = rest;
        if (!PREFIX) continue;
        run = from_below(run, 1);
        if (part == 0) run = zeros();
        float4 *prefix = work.prefix + begin + part * each + 1;
        for (int e = 0; e < each; e += 4) {                      // loads first: they may not pass what is written
            float4 taken[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) taken[i] = e + i < each ? work.panel[list[e + i]] : zeros();
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                run = run + taken[i];
                if (e + i < each) prefix[e + i] = run;
            }
        }
    }
}

// All that was counted by cards, of which every hand has two. For one warp, after a barrier.
INLINE void add_cards(float4 *sums) {
    float4 sum = zeros();
    for (int card = threadIdx.x % WARP; card < 52; card += WARP) sum = sum + sums[card];
    for (int by = 1; by < WARP; by *= 2) sum = sum + from_beside(sum, by);
    if (threadIdx.x % WARP == 0) sums[ALL] = sum * make_float4(0.5f, 0.5f, 0.5f, 0.5f);
}

// Sums of the panel along all lists into `prefix`, and of whole lists into `sums`; with OTHER, those of `other` into
// `others`. Everybody must have written the panels; read after a barrier.
template <bool OTHER> INLINE void scan(const Work &work) {
    count_cards<true, OTHER>(work);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, begin = threadIdx.x * PER_THREAD;
    const int count = work.start[53];
    float4 local[PER_THREAD], run = zeros();
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        if (begin + i < count) run = run + work.panel[work.order[begin + i]];
        local[i] = run;
    }
#pragma unroll
    for (int by = 1; by < WARP; by *= 2) {
        const float4 before = from_below(run, by);
        if (lane >= by) run = run + before;
    }
    if (lane == WARP - 1) work.carry[warp] = run;
    float4 carry = from_below(run, 1);
    if (lane == 0) carry = zeros();
    __syncthreads();
    if (OTHER && warp == blockDim.x / WARP - 1) add_cards(work.others);
    if (begin >= count) return;
    for (int w = 0; w < warp; ++w) carry = carry + work.carry[w];
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        if (begin + i < count) work.prefix[begin + i + 1] = local[i] + carry;
        if (begin + i == count - 1) work.sums[ALL] = local[i] + carry;
    }
}

// What a hand beats or ties plus what it beats; `own` is what the opponent has of the very hand.
INLINE float4 beaten(const Work &work, const Hand &hand, float4 own) {
    const float4 *p = work.prefix;
    const float4 less = p[hand.less] - p[hand.first_less] - p[hand.second_less];
    return less + (p[hand.equal] - p[hand.first_equal] - p[hand.second_equal] + own);
}

// All that a hand can meet.
INLINE float4 met(const float4 *sums, const Hand &hand, float4 own) {
    if (hand.cards == NO_CARDS) return zeros();
    return sums[ALL] - sums[hand.cards & 63] - sums[hand.cards >> 8] + own;
}

// The panel's numbers of the very hands of a thread. Once these are read, a barrier later the panel may be written again.
INLINE void take_own(const float4 *panel, const Hand *hands, float4 *own) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) own[r] = panel[hands[r].own];
}

INLINE void put_all(float *rows, const Four &row, const Columns<ROUNDS> &columns, const float4 *x) {
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r)
        if (columns.has(r)) put(rows, row, columns[r], x[r]);
}

// Where the player faces a bet: calling and folding earn by one row of the opponent.
INLINE void answers(const Work &work, const Facing *facings, int count, const Columns<ROUNDS> &theirs,
                    const Columns<ROUNDS> &mine, const Hand *hands, const float *reach, float *value) {
    for (int i = 0; i < count; ++i) {
        const Facing &facing = facings[i];
        float4 own[ROUNDS], called[ROUNDS], folded[ROUNDS];
        {
            const Four from = facing.from;
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r)
                if (theirs.has(r)) own[r] = four(reach, from, theirs[r]);
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r)
                if (theirs.has(r)) work.panel[theirs[r]] = own[r];
        }
        __syncthreads();
        take_own(work.panel, hands, own);
        scan<false>(work);
        __syncthreads();
        const float4 win = facing.win, lose = facing.lose, give = facing.give;
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r) {
            const float4 all = met(work.sums, hands[r], own[r]);
            called[r] = win * beaten(work, hands[r], own[r]) - lose * all, folded[r] = give * all;
        }
        put_all(value, facing.call, mine, called);
        put_all(value, facing.fold, mine, folded);
    }
}

// Where the opponent faces a bet: it calls with one row and folds another, and both earn for one. Bets that the player
// faces may be beside these, to fill a four: nothing was folded there, and what folding earns has a row of its own.
INLINE void bets(const Work &work, const Faced *faceds, int count, const Columns<ROUNDS> &theirs,
                 const Columns<ROUNDS> &mine, const Hand *hands, const float *reach, float *value) {
    for (int i = 0; i < count; ++i) {
        const Faced &faced = faceds[i];
        float4 own[ROUNDS], rest[ROUNDS], earned[ROUNDS];
        {
            const Four call = faced.call, fold = faced.fold;
            const float4 take = faced.take, lose = faced.lose;
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r)
                if (theirs.has(r)) own[r] = four(reach, call, theirs[r]), rest[r] = four(reach, fold, theirs[r]);
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r)
                if (theirs.has(r))
                    work.panel[theirs[r]] = own[r], work.other[theirs[r]] = take * rest[r] - lose * own[r];
        }
        __syncthreads();
        take_own(work.panel, hands, own);
        take_own(work.other, hands, rest);
        scan<true>(work);
        __syncthreads();
        const float4 win = faced.win;
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r)
            earned[r] = win * beaten(work, hands[r], own[r]) + met(work.others, hands[r], rest[r]);
        put_all(value, faced.to, mine, earned);
        const Four folded = faced.folded;
        if ((folded.a.base & folded.b.base & folded.c.base & folded.d.base) != NOWHERE) {
            const float4 give = faced.give;
#pragma unroll
            for (int r = 0; r < ROUNDS; ++r) earned[r] = give * met(work.sums, hands[r], own[r]);
            put_all(value, folded, mine, earned);
        }
    }
}

// Folds before the last street: what they earn is added.
INLINE void folds(const Work &work, const Street &street, const Group &group, const Hand *hands, const float *reach,
                  float *value) {
    for (int i = 0; i < group.folds; ++i) {
        const Fold &fold = street.fold[group.fold + i];
        const Four from = fold.from, to = fold.to;
        for (int c = threadIdx.x; c < street.their_width; c += blockDim.x) work.panel[c] = four(reach, from, c);
        __syncthreads();
        count_cards<false, false>(work);
        __syncthreads();
        if (threadIdx.x < WARP) add_cards(work.sums);
        __syncthreads();
        for (int c = threadIdx.x; c < street.my_width; c += blockDim.x) {
            const float4 all = fold.pay * met(work.sums, hands[c], work.panel[hands[c].own]);
            if (to.a.base != NOWHERE) value[at(to.a, c)] += all.x;
            if (to.b.base != NOWHERE) value[at(to.b, c)] += all.y;
            if (to.c.base != NOWHERE) value[at(to.c, c)] += all.z;
            if (to.d.base != NOWHERE) value[at(to.d, c)] += all.w;
        }
        __syncthreads();
    }
}

// ---- streets

// The opponent's row of a root on a board, from the street before.
INLINE float root_reach(const Street &street, int board, int root, int column) {
    return street.above[(size_t)street.parent[board] * street.above_size + at(street.leaf[root], column)];
}

// Do something with what is kept of the opponent, `shift` numbers on: regrets where the player learns, else averages.
template <class F> INLINE void from_theirs(const Street &street, int mode, long long shift, F with) {
#if HALF
    if (mode == IMPROVE) with(street.their_regret + shift);
    else with(street.their_strategy + shift);
#else  // one type, and the code only once
    with((mode == IMPROVE ? street.their_regret : street.their_strategy) + shift);
#endif
}

// The opponent's reach on a street before the last: a block of threads for each board and root, and some columns.
extern "C" __global__ void down(const Street street, int mode, const Rates rates, Items chosen) {
    const int item = blockIdx.x, board = item / street.groups, width = street.their_width;
    const Group &group = street.group[item % street.groups];
    const int column = blockIdx.y * blockDim.x + threadIdx.x;
    if (column >= width) return;
    const Columns<1> only = {column, 0, width};
    float *reach = street.reach + (size_t)board * street.their_rows * width;
    const long long shift = (long long)board * street.their_kept - street.roots * width;
    const Block *blocks = street.their_block + group.their_block;
    for (int root = group.root; root < group.root + group.roots; ++root)
        reach[root * width + column] = root_reach(street, board, root, column);
    from_theirs(street, mode, shift,
                [&](const auto *kept) { descend(blocks, group.their_blocks, kept, reach, reach, only); });
}

// Numbers of a group that are about to be read: the opponent's, and the player's.
INLINE void foresee_theirs(const Street &street, const Group &group, int board, int mode) {
    const int bytes = sizeof(Regret) * group.their_rows * street.their_width;
    from_theirs(street, mode, (long long)board * street.their_kept + group.their_kept,
                [&](const auto *kept) { foresee(kept, bytes); });
}
INLINE void foresee_mine(const Street &street, const Group &group, int board, int mode) {
    const size_t mine = (size_t)board * street.my_kept + group.my_kept;
    const int bytes = sizeof(Regret) * group.my_rows * street.my_width;
    foresee(street.strategy + mine, bytes);
    if (mode == IMPROVE) foresee(street.regret + mine, bytes);
}

// All of the last street: a block of threads for each board and some groups of roots.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    last(const Street street, int mode, const Rates rates, Items chosen) {
    POOL(pool);
    const int theirs = street.their_width, mine = street.my_width;
    const int parts = (chosen.groups + chosen.each - 1) / chosen.each;
    const Work work = work_in(pool, theirs, street.listed);
    const Columns<ROUNDS> their_columns = {(int)threadIdx.x, (int)blockDim.x, theirs};
    const Columns<ROUNDS> my_columns = {(int)threadIdx.x, (int)blockDim.x, mine};
    for (int item = blockIdx.x; item < chosen.boards * parts; item += gridDim.x) {
        const int board = chosen.board + item / parts, begin = item % parts * chosen.each;
        const int end = begin + chosen.each < chosen.groups ? begin + chosen.each : chosen.groups;
        const Group *groups = street.group + chosen.group;
        if (threadIdx.x == 0) foresee_theirs(street, groups[begin], board, mode);
        take_lists(work, street, board);
        Hand hands[ROUNDS];                                      // of columns that there are not, the last one's
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r)
            hands[r] = street.hand[(size_t)board * mine + (my_columns.has(r) ? my_columns[r] : mine - 1)];
        for (int g = begin; g < end; ++g) {
            const Group &group = groups[g];
            const long long theirs_at = (long long)board * street.their_kept + group.their_kept;
            const Block *blocks = street.their_block + group.their_block;
            float *scratch = street.scratch + (size_t)blockIdx.x * (street.their_most + street.my_most);
            // The opponent's rows are made where its kept numbers are brought to. If the player's rows need that place
            // (REACH_SHARED is 0) they are read from elsewhere later; if nothing is in shared memory they are made there.
#if VALUE_SHARED
            const Facing *facing = (const Facing *)work.rows;
            const Faced *faced = (const Faced *)(facing + group.facings);
            fetch_records(work.rows, street.facing + group.facing, group.facings);
            fetch_records((float *)faced, street.faced + group.faced, group.faceds);
            float *made = (float *)(faced + group.faceds), *reach = REACH_SHARED ? made : scratch;
            float *value = made + (REACH_SHARED ? (group.roots + group.their_rows) * theirs : 0);
            from_theirs(street, mode, theirs_at, [&](const auto *kept) {
                bring(made + group.roots * theirs, kept, group.their_rows * theirs);
            });
#else
            const Facing *facing = street.facing + group.facing;
            const Faced *faced = street.faced + group.faced;
            float *made = scratch, *reach = scratch, *value = scratch + street.their_most;
#endif
            if (threadIdx.x == 0 && g + 1 < end) foresee_theirs(street, groups[g + 1], board, mode);
            for (int c = threadIdx.x; c < theirs; c += blockDim.x)
                for (int root = 0; root < group.roots; ++root) {
                    const float here = root_reach(street, board, group.root + root, c);
                    made[root * theirs + c] = here;
                    if (reach != made) reach[root * theirs + c] = here;
                }
            fetched();
            __syncthreads();
#if VALUE_SHARED
            descend(blocks, group.their_blocks, made, made, reach, their_columns);
#else
            from_theirs(street, mode, theirs_at - group.roots * theirs,
                        [&](const auto *kept) { descend(blocks, group.their_blocks, kept, made, reach, their_columns); });
#endif
            if (VALUE_SHARED && !REACH_SHARED) __syncthreads();
            for (int c = threadIdx.x; c < mine; c += blockDim.x)
                for (int i = 0; i < group.bares; ++i) value[at(street.bare[group.bare + i], c)] = 0.0f;
            // A group ahead was slower: the cache seems to have no room for two groups of every block of threads.
            if (threadIdx.x == 0) foresee_mine(street, group, board, mode);
            answers(work, facing, group.facings, their_columns, my_columns, hands, reach, value);
            bets(work, faced, group.faceds, their_columns, my_columns, hands, reach, value);
            const long long shift = (long long)board * street.my_kept + group.my_kept - group.roots * mine;
            const Average *locked = street.locked ? street.locked + shift : 0;
            climb(street.my_block + group.my_block, group.my_blocks, street.regret + shift, street.strategy + shift,
                  locked, (unsigned)shift, value, my_columns, mode, rates);
            for (int c = threadIdx.x; c < mine; c += blockDim.x)
                for (int root = 0; root < group.roots; ++root)
                    street.out[((size_t)board * street.roots + group.root + root) * mine + c] = value[root * mine + c];
            __syncthreads();  // the next group's rows lie otherwise
        }
    }
}

// What the next street is worth, over all cards, in the rows that lead there, and 0 in the others: a block of threads
// for each board and row, and some columns. A card that is not solved itself shows another board's values.
extern "C" __global__ void collect(const Street street, int mode, const Rates rates, Items chosen) {
    const int item = blockIdx.x, board = item / street.my_rows, width = street.my_width;
    const Line line = street.line[item % street.my_rows];
    const int column = blockIdx.y * blockDim.x + threadIdx.x;
    if (column >= width) return;
    float sum = 0.0f;
    if (line.leaf >= 0) {
        for (int deal = street.deal_start[board]; deal < street.deal_start[board + 1]; ++deal) {
            const int swap = street.deal_swap[deal];
            const int from = swap < 0 ? column : street.swaps[swap * width + column];
            sum += street.below[((size_t)street.deal_board[deal] * street.below_roots + line.leaf) * width + from];
        }
    }
    street.value[(size_t)board * street.my_rows * width + at(line.row, column)] = sum;
}

// The way up on a street before the last, after `collect`: a block of threads for each board and root.
extern "C" __global__ void __launch_bounds__(THREADS)
    up(const Street street, int mode, const Rates rates, Items chosen) {
    POOL(pool);
    const Work work = work_in(pool, street.their_width, street.listed);
    const int item = blockIdx.x, board = item / street.groups, mine = street.my_width;
    const Group &group = street.group[item % street.groups];
    const float *reach = street.reach + (size_t)board * street.their_rows * street.their_width;
    float *value = street.value + (size_t)board * street.my_rows * mine;
    take_lists(work, street, board);
    __syncthreads();
    folds(work, street, group, street.hand + (size_t)board * mine, reach, value);
    const long long shift = (long long)board * street.my_kept - street.roots * mine;
    const Average *locked = street.locked ? street.locked + shift : 0;
    const Columns<ROUNDS> columns = {(int)threadIdx.x, (int)blockDim.x, mine};
    climb(street.my_block + group.my_block, group.my_blocks, street.regret + shift, street.strategy + shift, locked,
          (unsigned)shift, value, columns, mode, rates);
    for (int c = threadIdx.x; c < mine; c += blockDim.x)
        for (int root = group.root; root < group.root + group.roots; ++root)
            street.out[((size_t)board * street.roots + root) * mine + c] = value[root * mine + c];
}
