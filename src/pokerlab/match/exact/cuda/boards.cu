// Best responses on boards, on a device: the mathematics of ../kernels.py, all boards of a round in one launch.
//
// A block of threads has a panel of LANES roots and some boards that follow the same board, one after the other. A
// round's program (../street.py) is carried out in shared memory: rows of the agent's reach, and a stack of what hands
// are worth. A thread has hands of its own there, so that only sums make threads wait for each other. Hands lie in order
// of strength. Sums run along all of them, and along a list of the hands with each card: what a hand beats is all that
// is worse, less what is worse and has one of its cards, three places that are known before (`sort`).
//
// Compiled by NVRTC for a device. Tests compile the same file for the processor (tests/cuda_twin.h), with threads that
// take turns.

#ifndef WARP
#define WARP 32
#endif
#define EVERYBODY 0xffffffffu
#define SPLIT (WARP < 4 ? 1 : 4)                                // threads that sum a card's list together
#define PART ((LONGEST + SPLIT - 1) / SPLIT)                     // of the longest list
#define INLINE static __device__ __forceinline__

#ifdef __CUDACC__
#define POOL(name) extern __shared__ float4 name[]
#endif

enum { ROW, SUM, SCAN, FOLD, SHOW, LEAF, MERGE };
enum { SET, ADD, MOST };

typedef unsigned short ushort_t;

struct __align__(4 * LANES) Lane { float of[LANES]; };
struct __align__(16) Step { int what, slot, which, how; };

// A hand on a board: how many are worse, or not better, of all and as places in its cards' lists; and which it is.
struct __align__(16) Hand { ushort_t less, equal, first_less, first_equal, second_less, second_equal, hole, cards; };

// Boards of a round to be sorted.
struct Boards {
    const int *ranks;                                           // (boards, holes): strength
    const unsigned char *dealt;                                 // (boards, cards)
    const unsigned char *cards;                                 // (holes, 2)
    const short *holders;                                       // (cards, most): the holes with each card, and -1
    Hand *hands;                                                // (boards, holes)
    ushort_t *lists, *start;                                    // (boards, 2 holes), (boards, cards + 1)
    int holes, many, kinds, most;                               // many: cards on a board; kinds: cards of hands
};

// A round's program, the boards it is carried out on, and what it reads and writes.
struct Walk {
    const Hand *hands;
    const ushort_t *lists, *start;
    const int *buckets;                                         // (boards, holes)
    const int *first, *parent;                                  // by bundle: its boards, and the board before them
    const float *times;                                         // by board: how many it counts for
    const Step *steps;
    const int *parents, *leaf;                                  // (leaves, roots): the next round's root, or -1
    const float *pays, *table;                                  // [panel][step], [panel][bucket][row]
    const float *reach;                                         // [board before][panel][hole]
    float *onward;                                              // [board][panel][hole] of the next round
    float *value;                                               // [bundle][panel][hole]
    int holes, width, kinds, count, rows, chances, panels, next_panels, bundles, slots, depth, down;
};

// What boards of a round are worth, over the changes of suits that leave the board before them as it is.
struct Collect {
    const float *value;                                         // [bundle][panel][hole]
    float *after;                                               // [board before][panel][hole]
    const int *bundle, *group, *changes;                        // by board before: its bundles, and its changes
    const short *swaps;                                         // (changes, holes)
    int holes, panels;
    float scale;
    int spare;
};

INLINE Lane operator+(Lane a, Lane b) {
    for (int i = 0; i < LANES; ++i) a.of[i] += b.of[i];
    return a;
}
INLINE Lane operator-(Lane a, Lane b) {
    for (int i = 0; i < LANES; ++i) a.of[i] -= b.of[i];
    return a;
}
INLINE Lane operator*(Lane a, Lane b) {
    for (int i = 0; i < LANES; ++i) a.of[i] *= b.of[i];
    return a;
}
INLINE Lane larger(Lane a, Lane b) {
    for (int i = 0; i < LANES; ++i) a.of[i] = fmaxf(a.of[i], b.of[i]);
    return a;
}
INLINE Lane all(float x) {
    Lane a;
    for (int i = 0; i < LANES; ++i) a.of[i] = x;
    return a;
}
INLINE Lane from_below(Lane a, int by) {
    for (int i = 0; i < LANES; ++i) a.of[i] = __shfl_up_sync(EVERYBODY, a.of[i], by);
    return a;
}
INLINE Lane from_beside(Lane a, int by) {
    for (int i = 0; i < LANES; ++i) a.of[i] = __shfl_xor_sync(EVERYBODY, a.of[i], by);
    return a;
}

// ---- boards

// Hands of a board in order of strength, and the lists of each card's: a block of threads a board. Every hand counts
// those before it.
extern "C" __global__ void sort(const Boards boards) {
    POOL(pool);
    const int board = blockIdx.x, holes = boards.holes;
    int *rank = (int *)pool, *start = rank + holes;
    for (int h = threadIdx.x; h < holes; h += blockDim.x) {
        bool free = true;
        for (int i = 0; i < boards.many; ++i) {
            const int card = boards.dealt[board * boards.many + i];
            free = free && card != boards.cards[2 * h] && card != boards.cards[2 * h + 1];
        }
        rank[h] = free ? boards.ranks[(size_t)board * holes + h] : -1;
    }
    __syncthreads();
    for (int card = threadIdx.x; card < boards.kinds; card += blockDim.x) {
        int size = 0;
        for (int i = 0; i < boards.most; ++i) {
            const int other = boards.holders[card * boards.most + i];
            size += other >= 0 && rank[other] >= 0;
        }
        start[card + 1] = size;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        start[0] = 0;
        for (int card = 0; card < boards.kinds; ++card) start[card + 1] += start[card];
    }
    __syncthreads();
    for (int card = threadIdx.x; card <= boards.kinds; card += blockDim.x)
        boards.start[board * (boards.kinds + 1) + card] = start[card];
    ushort_t *list = boards.lists + (size_t)board * 2 * holes;
    for (int h = threadIdx.x; h < holes; h += blockDim.x) {
        const int mine = rank[h];
        if (mine < 0) continue;
        int less = 0, equal = 0, before = 0;
        for (int other = 0; other < holes; ++other) {
            const int theirs = rank[other];
            less += theirs >= 0 && theirs < mine;
            equal += theirs == mine;
            before += theirs == mine && other < h;
        }
        int places[4];
        for (int which = 0; which < 2; ++which) {
            const int card = boards.cards[2 * h + which];
            int worse = 0, same = 0, ahead = 0;
            for (int i = 0; i < boards.most; ++i) {
                const int other = boards.holders[card * boards.most + i];
                if (other < 0) break;
                const int theirs = rank[other];
                worse += theirs >= 0 && theirs < mine;
                same += theirs == mine;
                ahead += theirs == mine && other < h;
            }
            list[start[card] + worse + ahead] = less + before;
            places[2 * which] = start[card] + card + worse;       // sums begin with a 0 in each list
            places[2 * which + 1] = places[2 * which] + same;
        }
        boards.hands[(size_t)board * holes + less + before] = Hand{
            (ushort_t)less, (ushort_t)(less + equal), (ushort_t)places[0], (ushort_t)places[1], (ushort_t)places[2],
            (ushort_t)places[3], (ushort_t)h, (ushort_t)(boards.cards[2 * h] | boards.cards[2 * h + 1] << 8)};
    }
}

// ---- sums

// Shared memory of a block of threads; the engine computes the same size (engine.py).
struct Work {
    Lane *rows, *stack;                                         // (slots, width), (depth, width)
    Lane *below;                                                // (width + 1): sums of all hands, after a 0
    Lane *by_card;                                              // the same along each card's list
    Lane *sums;                                                 // (cards): of each list
    Lane *carry;                                                // by warp
    ushort_t *lists, *start;
};

INLINE Work work_in(float4 *pool, const Walk &walk) {
    Work work;
    work.rows = (Lane *)pool;
    work.stack = work.rows + walk.slots * walk.width;
    work.below = work.stack + walk.depth * walk.width;
    work.by_card = work.below + walk.width + 1;
    work.sums = work.by_card + 2 * walk.width + walk.kinds;
    work.carry = work.sums + walk.kinds;
    work.lists = (ushort_t *)(work.carry + blockDim.x / WARP);
    work.start = work.lists + 2 * walk.width;
    return work;
}

// Sums of a row along the cards' lists, some threads for each card and root, all loads at once; without PREFIX only of
// whole lists.
template <bool PREFIX> INLINE void count_cards(const Work &work, const Lane *row, int kinds) {
    const int jobs = kinds * LANES * SPLIT, part = threadIdx.x % SPLIT;
    for (int first = threadIdx.x / WARP * WARP; first < jobs; first += blockDim.x) {
        const int job = (first + threadIdx.x % WARP) / SPLIT, card = job / LANES, lane = job % LANES;
        const bool mine = card < kinds;
        const int begin = mine ? work.start[card] : 0, end = mine ? work.start[card + 1] : 0;
        const int from = begin + part * PART, count = end - from < PART ? end - from : PART;
        const float *source = (const float *)row + lane;
        float taken[PART], run = 0.0f;
#pragma unroll
        for (int e = 0; e < PART; ++e) taken[e] = e < count ? source[LANES * work.lists[from + e]] : 0.0f;
#pragma unroll
        for (int e = 0; e < PART; ++e) taken[e] = run += taken[e];
        for (int by = 1; by < SPLIT; by *= 2) {
            const float before = __shfl_up_sync(EVERYBODY, run, by);
            if (part >= by) run += before;
        }
        if (mine && part == SPLIT - 1) ((float *)work.sums)[job] = run;
        if (PREFIX) {
            float carry = SPLIT > 1 ? __shfl_up_sync(EVERYBODY, run, 1) : 0.0f;
            if (part == 0) carry = 0.0f;
            float *to = (float *)(work.by_card + from + card) + lane;
            if (mine && part == 0) *to = 0.0f;
#pragma unroll
            for (int e = 0; e < PART; ++e)
                if (e < count) to[LANES * (e + 1)] = carry + taken[e];
        }
    }
}

// All that was counted by cards, of which every hand has two; for every warp.
INLINE Lane add_cards(const Work &work, int kinds) {
    Lane sum = all(0.0f);
    for (int card = threadIdx.x % WARP; card < kinds; card += WARP) sum = sum + work.sums[card];
    for (int by = 1; by < WARP; by *= 2) sum = sum + from_beside(sum, by);
    return sum * all(0.5f);
}

// Sums of a row along all hands, and along the cards' lists. Everybody must have written the row; read after a barrier.
INLINE void scan(const Work &work, const Lane *row, int n, int kinds) {
    count_cards<true>(work, row, kinds);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, begin = threadIdx.x * PER_THREAD;
    Lane local[PER_THREAD], run = all(0.0f);
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        if (begin + i < n) run = run + row[begin + i];
        local[i] = run;
    }
#pragma unroll
    for (int by = 1; by < WARP; by *= 2) {
        const Lane before = from_below(run, by);
        if (lane >= by) run = run + before;
    }
    if (lane == WARP - 1) work.carry[warp] = run;
    Lane carry = from_below(run, 1);
    if (lane == 0) carry = all(0.0f);
    __syncthreads();
    for (int w = 0; w < warp; ++w) carry = carry + work.carry[w];
#pragma unroll
    for (int i = 0; i < PER_THREAD; ++i) {
        if (begin + i < n) work.below[begin + i + 1] = local[i] + carry;
    }
}

// ---- walks

// What a hand is worth, before the chips, where the agent has a row, `total` in all: after a fold all that it can meet,
// at a showdown what it beats less what beats it.
INLINE Lane met(const Work &work, const Hand &hand, Lane total) {
    return total - work.sums[hand.cards & 255] - work.sums[hand.cards >> 8];
}
INLINE Lane won(const Work &work, const Hand &hand, Lane total) {
    const Lane less = work.below[hand.less] - work.by_card[hand.first_less] - work.by_card[hand.second_less];
    const Lane equal = work.below[hand.equal] - work.by_card[hand.first_equal] - work.by_card[hand.second_equal];
    return less + equal - met(work, hand, total);                // its own weight is in both, and goes away
}

#define EACH_HAND(i)                                                                                                   \
    _Pragma("unroll") for (int k = 0, i = threadIdx.x; k < PER_THREAD; ++k, i += blockDim.x) if (i < n)

// The next round's root of a leaf, by lane.
INLINE void find_roots(const Walk &walk, int which, int panel, int *roots) {
    for (int lane = 0; lane < LANES; ++lane) roots[lane] = walk.leaf[(which * walk.panels + panel) * LANES + lane];
}

// Where a hole has a root of the next round.
INLINE float *next_at(const Walk &walk, int board, int root, int hole) {
    return walk.onward + (((size_t)board * walk.next_panels + root / LANES) * walk.holes + hole) * LANES + root % LANES;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) walk(const Walk walk) {
    POOL(pool);
    const Work work = work_in(pool, walk);
    const int panel = blockIdx.x / walk.bundles, bundle = blockIdx.x % walk.bundles, width = walk.width;
    const Lane *reach = (const Lane *)walk.reach + ((size_t)walk.parent[bundle] * walk.panels + panel) * walk.holes;
    const Lane *table = (const Lane *)walk.table + (size_t)panel * walk.chances * walk.rows;
    const Lane *pays = (const Lane *)walk.pays + (size_t)panel * walk.count;
    Lane *value = (Lane *)walk.value + ((size_t)bundle * walk.panels + panel) * walk.holes;
    if (!walk.down)
        for (int h = threadIdx.x; h < walk.holes; h += blockDim.x) value[h] = all(0.0f);
    if (threadIdx.x == 0) work.below[0] = all(0.0f);
    __syncthreads();  // where nothing is summed nobody waits later
    for (int board = walk.first[bundle]; board < walk.first[bundle + 1]; ++board) {
        const ushort_t *start = walk.start + (size_t)board * (walk.kinds + 1);
        const ushort_t *lists = walk.lists + (size_t)board * 2 * walk.holes;
        const int n = start[walk.kinds] / 2;
        for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) work.lists[i] = lists[i];
        for (int i = threadIdx.x; i <= walk.kinds; i += blockDim.x) work.start[i] = start[i];
        Hand hands[PER_THREAD];
        int bucket[PER_THREAD];
        EACH_HAND(i) {
            hands[k] = walk.hands[(size_t)board * walk.holes + i];
            bucket[k] = walk.buckets[(size_t)board * walk.holes + hands[k].hole] * walk.rows;
            work.rows[i] = reach[hands[k].hole];
        }
        Lane *top = work.stack - width, total = all(0.0f);       // of the stack; of the row that was summed last
        for (int s = 0; s < walk.count; ++s) {
            const Step step = walk.steps[s];
            Lane *row = work.rows + step.slot * width;
            if (step.what == ROW) {
                const Lane *from = work.rows + walk.parents[step.which] * width;
                EACH_HAND(i) row[i] = from[i] * table[bucket[k] + step.which];
            } else if (step.what == LEAF) {
                int roots[LANES];
                find_roots(walk, step.which, panel, roots);
                if (walk.down) {
                    EACH_HAND(i) for (int lane = 0; lane < LANES; ++lane)
                        if (roots[lane] >= 0) *next_at(walk, board, roots[lane], hands[k].hole) = row[i].of[lane];
                } else {
                    top += width;
                    EACH_HAND(i) for (int lane = 0; lane < LANES; ++lane)
                        top[i].of[lane] = roots[lane] < 0 ? 0.0f : *next_at(walk, board, roots[lane], hands[k].hole);
                }
            } else if (walk.down) {
                continue;
            } else if (step.what == SCAN) {
                __syncthreads();  // the row is there, and nobody reads the sums before
                scan(work, row, n, walk.kinds);
                __syncthreads();
                total = work.below[n];
            } else if (step.what == SUM) {
                __syncthreads();
                count_cards<false>(work, row, walk.kinds);
                __syncthreads();
                total = add_cards(work, walk.kinds);
            } else if (step.what == MERGE) {
                top -= width;
                EACH_HAND(i) top[i] = step.how == ADD ? top[i] + top[i + width] : larger(top[i], top[i + width]);
            } else {
                const Lane pay = pays[s];
                if (step.how == SET) top += width;
                EACH_HAND(i) {
                    Lane worth = pay * (step.what == SHOW ? won(work, hands[k], total)
                                                          : met(work, hands[k], total) + row[i]);
                    if (step.how == ADD) worth = worth + top[i];
                    if (step.how == MOST) worth = larger(worth, top[i]);
                    top[i] = worth;
                }
            }
        }
        if (!walk.down) {
            const Lane times = all(walk.times[board]);
            EACH_HAND(i) value[hands[k].hole] = value[hands[k].hole] + times * work.stack[i];
        }
    }
}

// What hands are worth before a round's cards are dealt: a block of threads for each board before and panel, and some
// holes.
extern "C" __global__ void collect(const Collect given) {
    const int before = blockIdx.x / given.panels, panel = blockIdx.x % given.panels;
    const int hole = blockIdx.y * blockDim.x + threadIdx.x;
    if (hole >= given.holes) return;
    Lane sum = all(0.0f);
    for (int bundle = given.bundle[before]; bundle < given.bundle[before + 1]; ++bundle) {
        const Lane *value = (const Lane *)given.value + ((size_t)bundle * given.panels + panel) * given.holes;
        for (int g = given.group[before]; g < given.group[before + 1]; ++g)
            sum = sum + value[given.swaps[given.changes[g] * given.holes + hole]];
    }
    const float many = given.group[before + 1] - given.group[before];
    ((Lane *)given.after)[((size_t)before * given.panels + panel) * given.holes + hole] = sum * all(given.scale / many);
}
