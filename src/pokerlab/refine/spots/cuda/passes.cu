// The passes of the spot engine on a device: the mathematics of ../kernels.py, all boards of a street in one launch.
//
// What is kept of a player (regrets, averages) lies as the engine for the processor keeps it, in tiles of LANES hands
// with all actions of a tile together, and so do the rows that are worked on: first a plain row for each root, then the
// blocks. A row is found by where it begins and by how far its tiles are apart. A thread has a hand of its own on the
// way down and on the way up, so that only terminals make threads wait for each other.
//
// On the last street a block of threads has a board and a group of roots, whose betting nobody else touches: rows live
// in shared memory, regrets and averages are read and written once. Four terminals are evaluated at a time. The
// opponent's hands are listed by strength, all of them and then those with each card; sums along the lists, begun anew
// at each list's head, tell what a hand beats: all that is worse, less what is worse and has one of its cards.
//
// Compiled by NVRTC for a device. Tests compile the same file for the processor (tests/cuda_twin.h), with threads that
// take turns.

#ifndef WARP
#define WARP 32
#endif
#define LANES 16
#define QUAD (WARP < 4 ? WARP : 4)
#define EVERYBODY 0xffffffffu
#define HEAD 0x8000
#define NO_CARDS 0xffff
#define NOWHERE -1

#define INLINE static __device__ __forceinline__

#ifdef __CUDACC__
#define POOL(name) extern __shared__ float4 name[]
// Sixteen bytes from global to shared memory, on their way until `fetched`.
INLINE void fetch(float *to, const float *from) {
    const unsigned where = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(where), "l"(from));
}
INLINE void fetched() { asm volatile("cp.async.wait_all;" ::: "memory"); }
// Numbers that will be read soon: into the cache of the device, while the terminals are worked on.
INLINE void foresee(const float *from, int count) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(4 * count));
#endif
}
#endif

enum { IMPROVE = 0, EXPECT = 1, BEST = 2 };

struct Row { int base, step; };                                 // step: LANES times the actions beside it
struct Block { int base, actions; Row parent; };
struct Facing { Row from[4], call[4], fold[4]; float4 win, lose, give; };
struct Faced { Row call[4], fold[4], to[4]; float4 win, lose, take; };
struct Fold { Row from[4], to[4]; float4 pay; };
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

struct Rates { float above, below, average; };

// A street as one player sees it.
struct Street {
    const float *above;                                         // the opponent's rows of the street before
    float *reach, *value;                                       // by board, before the last street
    float *out;                                                 // by board and root: what hands earn
    const float *below;                                         // the same of the next street
    const float *their_regret, *their_strategy;
    float *regret, *strategy;
    const float *locked;
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
    const unsigned short *order;                                // (boards, 3 * their width): columns, by list
    const unsigned short *start;                                // (boards, 54): where the cards' lists begin
    const int *deal_start, *deal_board, *deal_swap;
    const short *swaps;                                         // (changes of suits, my width)
    int groups, roots, my_width, their_width, my_rows, their_rows, my_kept, their_kept;
    int above_size, below_roots, their_most, my_most;           // most: numbers of the rows of a group
};

INLINE int at(Row row, unsigned column) { return row.base + column / LANES * row.step + column % LANES; }

INLINE float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
INLINE float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
INLINE float4 operator*(float4 a, float4 b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }

INLINE float4 zeros() { return make_float4(0.0f, 0.0f, 0.0f, 0.0f); }

INLINE float4 four(const float *rows, const Row *row, int column) {
    return make_float4(rows[at(row[0], column)], rows[at(row[1], column)], rows[at(row[2], column)],
                       rows[at(row[3], column)]);
}

INLINE void put(float *rows, const Row *row, int column, float4 x) {
    if (row[0].base != NOWHERE) rows[at(row[0], column)] = x.x;
    if (row[1].base != NOWHERE) rows[at(row[1], column)] = x.y;
    if (row[2].base != NOWHERE) rows[at(row[2], column)] = x.z;
    if (row[3].base != NOWHERE) rows[at(row[3], column)] = x.w;
}

INLINE float4 from_below(float4 x, int by) {
    return make_float4(__shfl_up_sync(EVERYBODY, x.x, by), __shfl_up_sync(EVERYBODY, x.y, by),
                       __shfl_up_sync(EVERYBODY, x.z, by), __shfl_up_sync(EVERYBODY, x.w, by));
}

INLINE float4 from_beside(float4 x, int by) {
    return make_float4(__shfl_xor_sync(EVERYBODY, x.x, by), __shfl_xor_sync(EVERYBODY, x.y, by),
                       __shfl_xor_sync(EVERYBODY, x.z, by), __shfl_xor_sync(EVERYBODY, x.w, by));
}

// ---- blocks

// A hand's part of a block: the parent's row divided in proportion to what `source` has above 0. In place if asked.
INLINE void plan_block(Block block, const float *source, float *reach, int column) {
    const int n = block.actions, k = at(Row{block.base, LANES * n}, column);
    float total = 0.0f;
    for (int a = 0; a < n; ++a) total += fmaxf(source[k + a * LANES], 0.0f);
    const float here = reach[at(block.parent, column)];
    const float scale = total > 0.0f ? here / total : 0.0f, even = total > 0.0f ? 0.0f : here / n;
    for (int a = 0; a < n; ++a) reach[k + a * LANES] = fmaxf(source[k + a * LANES], 0.0f) * scale + even;
}

// Discounted regret matching of one hand at a block of N actions, and its average; returns what the block is worth.
template <int N>
INLINE float learn(float *regret, float *strategy, const float *locked, const float *value, Rates rates) {
    float old[N], kept[N], earned[N], total = 0.0f;
#pragma unroll
    for (int a = 0; a < N; ++a) old[a] = regret[a * LANES], kept[a] = strategy[a * LANES];
#pragma unroll
    for (int a = 0; a < N; ++a) earned[a] = value[a * LANES], total += fmaxf(old[a], 0.0f);
    const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / N;
    float worth = 0.0f;
#pragma unroll
    for (int a = 0; a < N; ++a) {
        const float chance = fmaxf(old[a], 0.0f) * scale + even;
        worth += chance * earned[a];
        strategy[a * LANES] = kept[a] * rates.average + chance;
    }
#pragma unroll
    for (int a = 0; a < N; ++a) {
        const float next = old[a] * (old[a] > 0.0f ? rates.above : rates.below) + (earned[a] - worth);
        if (!(locked && locked[a * LANES] > 0.0f)) regret[a * LANES] = next;
    }
    return worth;
}

INLINE float learn_any(int n, float *regret, float *strategy, const float *locked, const float *value,
                       Rates rates) {
    float total = 0.0f, worth = 0.0f;
    for (int a = 0; a < n; ++a) total += fmaxf(regret[a * LANES], 0.0f);
    const float scale = total > 0.0f ? 1.0f / total : 0.0f, even = total > 0.0f ? 0.0f : 1.0f / n;
    for (int a = 0; a < n; ++a) {
        const float chance = fmaxf(regret[a * LANES], 0.0f) * scale + even;
        worth += chance * value[a * LANES];
        strategy[a * LANES] = strategy[a * LANES] * rates.average + chance;
    }
    for (int a = 0; a < n; ++a) {
        const float old = regret[a * LANES];
        const float next = old * (old > 0.0f ? rates.above : rates.below) + (value[a * LANES] - worth);
        if (!(locked && locked[a * LANES] > 0.0f)) regret[a * LANES] = next;
    }
    return worth;
}

// What a hand's average is worth at a block or, with `best`, its best action where play is not fixed.
INLINE float respond(int n, const float *strategy, const float *locked, const float *value, bool best) {
    float total = 0.0f, earned = 0.0f, plain = 0.0f, most = value[0];
    for (int a = 0; a < n; ++a) {
        const float part = strategy[a * LANES], here = value[a * LANES];
        total += part, earned += part * here, plain += here, most = fmaxf(most, here);
    }
    const float worth = total > 0.0f ? earned / total : plain / n;
    return best && !(locked && locked[0] > 0.0f) ? most : worth;
}

// A hand's way up through the player's blocks of a group; `regret` and the others begin where the group's rows do.
INLINE void climb(const Block *blocks, int count, float *regret, float *strategy, const float *locked, float *value,
                  int column, int mode, Rates rates) {
    for (int b = count - 1; b >= 0; --b) {
        const Block block = blocks[b];
        const int n = block.actions, k = at(Row{block.base, LANES * n}, column);
        const float *fixed = locked ? locked + k : 0;
        float worth;
        if (mode != IMPROVE) worth = respond(n, strategy + k, fixed, value + k, mode == BEST);
        else if (n == 2) worth = learn<2>(regret + k, strategy + k, fixed, value + k, rates);
        else if (n == 3) worth = learn<3>(regret + k, strategy + k, fixed, value + k, rates);
        else if (n == 4) worth = learn<4>(regret + k, strategy + k, fixed, value + k, rates);
        else if (n == 5) worth = learn<5>(regret + k, strategy + k, fixed, value + k, rates);
        else worth = learn_any(n, regret + k, strategy + k, fixed, value + k, rates);
        value[at(block.parent, column)] += worth;
    }
}

// ---- terminals

// Shared memory of a block of threads; the engine computes the same size (engine.py).
struct Work {
    float4 *panel, *other;                                      // (their width): four rows, hand by hand
    float4 *prefix;                                             // sums along the lists, after a 0
    float4 *sums;                                               // (53): of every card's list, and of all hands
    float4 *carry;                                              // by warp
    int *head;
    unsigned short *order, *start;
    float *rows;
};

INLINE Work work_in(float4 *pool, int width) {
    const int warps = blockDim.x / WARP;
    Work work;
    work.panel = pool;
    work.other = work.panel + width;
    work.prefix = work.other + width;
    work.sums = work.prefix + 3 * width + 1;
    work.carry = work.sums + 53;
    work.head = (int *)(work.carry + warps);
    work.order = (unsigned short *)(work.head + (warps + 3) / 4 * 4);
    work.start = work.order + 3 * width;
    work.rows = (float *)(work.order + (3 * width + 54 + 7) / 8 * 8);
    return work;
}

INLINE void take_lists(const Work &work, const Street &street, int board) {
    const int width = street.their_width;
    const unsigned short *order = street.order + (size_t)board * 3 * width, *start = street.start + (size_t)board * 54;
    for (int i = threadIdx.x; i < 3 * width; i += blockDim.x) work.order[i] = order[i];
    for (int i = threadIdx.x; i < 54; i += blockDim.x) work.start[i] = start[i];
    if (threadIdx.x == 0) work.prefix[0] = zeros();
}

// Sums of the panel along the lists into `prefix`. Everybody must have written the panel; read `prefix` after a barrier.
INLINE void scan(const Work &work, int count) {
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, begin = threadIdx.x * PER_THREAD;
    float4 local[PER_THREAD], run = zeros();
    int first = PER_THREAD;                                     // the first head here: what comes before it lacks a carry
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        if (begin + i < count) {
            const int entry = work.order[begin + i];
            if (entry & HEAD) {
                run = zeros();
                if (first == PER_THREAD) first = i;
            }
            run = run + work.panel[entry & ~HEAD];
        }
        local[i] = run;
    }
    int head = first < PER_THREAD;
#pragma unroll
    for (int by = 1; by < WARP; by *= 2) {
        const float4 before = from_below(run, by);
        const int there = __shfl_up_sync(EVERYBODY, head, by);
        if (lane >= by) {
            if (!head) run = run + before;
            head |= there;
        }
    }
    if (lane == WARP - 1) work.carry[warp] = run, work.head[warp] = head;
    float4 carry = from_below(run, 1);
    int stop = __shfl_up_sync(EVERYBODY, head, 1);
    if (lane == 0) carry = zeros(), stop = 0;
    __syncthreads();
    for (int w = warp - 1; w >= 0 && !stop; --w) carry = carry + work.carry[w], stop = work.head[w];
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i)
        if (begin + i < count) work.prefix[begin + i + 1] = i < first ? local[i] + carry : local[i];
}

// Sums of a panel by card, and in all, into `sums`. Everybody must have written the panel; read after a barrier.
INLINE void count_cards(const Work &work, const float4 *panel) {
    const int units = blockDim.x / QUAD, lane = threadIdx.x % QUAD;
    for (int base = 0; base < 52; base += units) {
        const int card = base + threadIdx.x / QUAD;
        float4 sum = zeros();
        if (card < 52)
            for (int e = work.start[card] + lane; e < work.start[card + 1]; e += QUAD)
                sum = sum + panel[work.order[e] & ~HEAD];
        for (int by = 1; by < QUAD; by *= 2) sum = sum + from_beside(sum, by);
        if (card < 52 && lane == 0) work.sums[card] = sum;
    }
    if (threadIdx.x / WARP == blockDim.x / WARP - 1) {          // the last warp: it had the least to do
        float4 sum = zeros();
        for (int e = threadIdx.x % WARP; e < work.start[0]; e += WARP) sum = sum + panel[work.order[e] & ~HEAD];
        for (int by = 1; by < WARP; by *= 2) sum = sum + from_beside(sum, by);
        if (threadIdx.x % WARP == 0) work.sums[52] = sum;
    }
}

// What a hand beats or ties plus what it beats.
INLINE float4 beaten(const Work &work, const Hand &hand) {
    const float4 *p = work.prefix;
    const float4 less = p[hand.less] - p[hand.first_less] - p[hand.second_less];
    return less + (p[hand.equal] - p[hand.first_equal] - p[hand.second_equal] + work.panel[hand.own]);
}

// All that a hand can meet, by `sums` of the panel.
INLINE float4 met(const Work &work, const float4 *panel, const Hand &hand) {
    if (hand.cards == NO_CARDS) return zeros();
    return work.sums[52] - work.sums[hand.cards & 63] - work.sums[hand.cards >> 8] + panel[hand.own];
}

// The same by the ends of the lists of `prefix`.
INLINE float4 met_in_lists(const Work &work, const Hand &hand) {
    if (hand.cards == NO_CARDS) return zeros();
    const unsigned short *start = work.start;
    const int first = hand.cards & 63, second = hand.cards >> 8;
    float4 all = work.prefix[start[0]];
    if (start[first + 1] > start[first]) all = all - work.prefix[start[first + 1]];
    if (start[second + 1] > start[second]) all = all - work.prefix[start[second + 1]];
    return all + work.panel[hand.own];
}

// Where the player faces a bet: calling and folding earn by one row of the opponent.
INLINE void answers(const Work &work, const Street &street, const Group &group, const Hand *hands, const float *reach,
                    float *value) {
    for (int i = 0; i < group.facings; ++i) {
        const Facing &facing = street.facing[group.facing + i];
        for (int c = threadIdx.x; c < street.their_width; c += blockDim.x) work.panel[c] = four(reach, facing.from, c);
        __syncthreads();
        scan(work, work.start[52]);
        __syncthreads();
        for (int c = threadIdx.x; c < street.my_width; c += blockDim.x) {
            const Hand hand = hands[c];
            const float4 all = met_in_lists(work, hand);
            put(value, facing.call, c, facing.win * beaten(work, hand) - facing.lose * all);
            put(value, facing.fold, c, facing.give * all);
        }
        __syncthreads();
    }
}

// Where the opponent faces a bet: it calls with one row and folds another, and both earn for one.
INLINE void bets(const Work &work, const Street &street, const Group &group, const Hand *hands, const float *reach,
                 float *value) {
    for (int i = 0; i < group.faceds; ++i) {
        const Faced &faced = street.faced[group.faced + i];
        for (int c = threadIdx.x; c < street.their_width; c += blockDim.x) {
            const float4 called = four(reach, faced.call, c);
            work.panel[c] = called;
            work.other[c] = faced.take * four(reach, faced.fold, c) - faced.lose * called;
        }
        __syncthreads();
        count_cards(work, work.other);
        scan(work, work.start[52]);
        __syncthreads();
        for (int c = threadIdx.x; c < street.my_width; c += blockDim.x) {
            const Hand hand = hands[c];
            put(value, faced.to, c, faced.win * beaten(work, hand) + met(work, work.other, hand));
        }
        __syncthreads();
    }
}

// Folds before the last street: what they earn is added.
INLINE void folds(const Work &work, const Street &street, const Group &group, const Hand *hands, const float *reach,
                  float *value) {
    for (int i = 0; i < group.folds; ++i) {
        const Fold &fold = street.fold[group.fold + i];
        for (int c = threadIdx.x; c < street.their_width; c += blockDim.x) work.panel[c] = four(reach, fold.from, c);
        __syncthreads();
        count_cards(work, work.panel);
        __syncthreads();
        for (int c = threadIdx.x; c < street.my_width; c += blockDim.x) {
            const float4 all = fold.pay * met(work, work.panel, hands[c]);
            if (fold.to[0].base != NOWHERE) value[at(fold.to[0], c)] += all.x;
            if (fold.to[1].base != NOWHERE) value[at(fold.to[1], c)] += all.y;
            if (fold.to[2].base != NOWHERE) value[at(fold.to[2], c)] += all.z;
            if (fold.to[3].base != NOWHERE) value[at(fold.to[3], c)] += all.w;
        }
        __syncthreads();
    }
}

// ---- streets

// The opponent's row of a root on a board, from the street before.
INLINE float root_reach(const Street &street, int board, int root, int column) {
    return street.above[(size_t)street.parent[board] * street.above_size + at(street.leaf[root], column)];
}

// The opponent's reach on a street before the last: a block of threads for each board and root, and some columns.
extern "C" __global__ void down(const Street *seen, int mode, float above, float below, float average, int first,
                                int items, int from, int groups) {
    const Street &street = *seen;
    const int item = first + blockIdx.x, board = item / street.groups, width = street.their_width;
    const Group &group = street.group[item % street.groups];
    const int column = blockIdx.y * blockDim.x + threadIdx.x;
    if (column >= width) return;
    float *reach = street.reach + (size_t)board * street.their_rows * width;
    const float *kept = mode == IMPROVE ? street.their_regret : street.their_strategy;
    const float *source = kept + (size_t)board * street.their_kept - street.roots * width;
    for (int root = group.root; root < group.root + group.roots; ++root)
        reach[root * width + column] = root_reach(street, board, root, column);
    for (int b = 0; b < group.their_blocks; ++b)
        plan_block(street.their_block[group.their_block + b], source, reach, column);
}

// All of the last street: a block of threads for each board and group of roots, of `groups` that begin with `from`.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    last(const Street *seen, int mode, float above, float below, float average, int first, int items, int from,
         int groups) {
    POOL(pool);
    const Street &street = *seen;
    const int theirs = street.their_width, mine = street.my_width;
    const Work work = work_in(pool, theirs);
    for (int item = first + blockIdx.x; item < first + items; item += gridDim.x) {
        const int board = item / groups;
        const Group &group = street.group[from + item % groups];
        const float *kept = (mode == IMPROVE ? street.their_regret : street.their_strategy) +
                            (size_t)board * street.their_kept + group.their_kept;
        const size_t mine_at = (size_t)board * street.my_kept + group.my_kept;
        const int size = group.my_rows * mine;
        if (size && threadIdx.x == 0) {
            foresee(street.strategy + mine_at, size);
            if (mode == IMPROVE) foresee(street.regret + mine_at, size);
        }
        take_lists(work, street, board);
#if ROWS_SHARED
        float *reach = work.rows, *value = reach + (group.roots + group.their_rows) * theirs;
        for (int i = 4 * threadIdx.x; i < group.their_rows * theirs; i += 4 * blockDim.x)
            fetch(reach + group.roots * theirs + i, kept + i);
        const float *source = reach;
#else
        float *reach = street.scratch + (size_t)blockIdx.x * (street.their_most + street.my_most);
        float *value = reach + street.their_most;
        const float *source = kept - group.roots * theirs;
#endif
        for (int c = threadIdx.x; c < theirs; c += blockDim.x)
            for (int root = 0; root < group.roots; ++root)
                reach[root * theirs + c] = root_reach(street, board, group.root + root, c);
        for (int c = threadIdx.x; c < mine; c += blockDim.x)
            for (int i = 0; i < group.bares; ++i) value[at(street.bare[group.bare + i], c)] = 0.0f;
        fetched();
        __syncthreads();
        for (int c = threadIdx.x; c < theirs; c += blockDim.x)
            for (int b = 0; b < group.their_blocks; ++b)
                plan_block(street.their_block[group.their_block + b], source, reach, c);
        const Hand *hands = street.hand + (size_t)board * mine;
        answers(work, street, group, hands, reach, value);
        bets(work, street, group, hands, reach, value);
        const long long shift = (long long)mine_at - group.roots * mine;
        const float *locked = street.locked ? street.locked + shift : 0;
        for (int c = threadIdx.x; c < mine; c += blockDim.x) {
            climb(street.my_block + group.my_block, group.my_blocks, street.regret + shift, street.strategy + shift,
                  locked, value, c, mode, Rates{above, below, average});
            for (int root = 0; root < group.roots; ++root)
                street.out[((size_t)board * street.roots + group.root + root) * mine + c] = value[root * mine + c];
        }
        __syncthreads();
    }
}

// What the next street is worth, over all cards, in the rows that lead there, and 0 in the others: a block of threads
// for each board and row, and some columns. A card that is not solved itself shows another board's values.
extern "C" __global__ void collect(const Street *seen, int mode, float above, float below, float average, int first,
                                   int items, int from, int groups) {
    const Street &street = *seen;
    const int item = first + blockIdx.x, board = item / street.my_rows, width = street.my_width;
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
    up(const Street *seen, int mode, float above, float below, float average, int first, int items, int from,
       int groups) {
    POOL(pool);
    const Street &street = *seen;
    const Work work = work_in(pool, street.their_width);
    const int item = first + blockIdx.x, board = item / street.groups, mine = street.my_width;
    const Group &group = street.group[item % street.groups];
    const float *reach = street.reach + (size_t)board * street.their_rows * street.their_width;
    float *value = street.value + (size_t)board * street.my_rows * mine;
    take_lists(work, street, board);
    __syncthreads();
    folds(work, street, group, street.hand + (size_t)board * mine, reach, value);
    const long long shift = (long long)board * street.my_kept - street.roots * mine;
    const float *locked = street.locked ? street.locked + shift : 0;
    for (int c = threadIdx.x; c < mine; c += blockDim.x) {
        climb(street.my_block + group.my_block, group.my_blocks, street.regret + shift, street.strategy + shift,
              locked, value, c, mode, Rates{above, below, average});
        for (int root = group.root; root < group.root + group.roots; ++root)
            street.out[((size_t)board * street.roots + root) * mine + c] = value[root * mine + c];
    }
}
