// The two sweeps of a regret method over a treeplex (../form/kernels.py: improve, advance): infosets of one depth at a
// time, a thread each. What follows a sequence is listed with it, so that nothing is added in the order in which threads
// come.

#if SINGLE
typedef float real;
#else
typedef double real;
#endif

struct Sweep {
    const int *order, *block;                                   // infosets by depth; by infoset its block
    const long long *start, *first, *n, *k;                     // by block, as in kernels.Blocks
    const long long *parent;                                    // by infoset
    const int *child_start, *children;                          // by sequence: the infosets that follow it
    real *gradient, *regret, *behaviour, *x, *average, *value;  // value: by infoset
    double keep, forgive, weight;
    int begin, count, predictive, spare;                        // of `order`
};

#define INFOSET                                                                                                        \
    const int at = blockIdx.x * blockDim.x + threadIdx.x;                                                              \
    if (at >= sweep.count) return;                                                                                     \
    const int infoset = sweep.order[sweep.begin + at], block = sweep.block[infoset];                                   \
    const long long n = sweep.n[block], end = sweep.k[block] * n;                                                      \
    const long long start = sweep.start[block] + infoset - sweep.first[block]

// Backward: values, regrets and behaviour that matches them.
extern "C" __global__ void improve(const Sweep sweep) {
    INFOSET;
    real value = 0, total = 0;
    for (long long s = start; s < start + end; s += n) {
        real worth = sweep.gradient[s];
        for (int c = sweep.child_start[s]; c < sweep.child_start[s + 1]; ++c) worth += sweep.value[sweep.children[c]];
        sweep.gradient[s] = worth;
        value += sweep.behaviour[s] * worth;
    }
    sweep.value[infoset] = value;
    for (long long s = start; s < start + end; s += n) {
        const real instant = sweep.gradient[s] - value;
        real now = sweep.regret[s] + instant;
        now *= now > 0 ? (real)sweep.keep : (real)sweep.forgive;
        sweep.regret[s] = now;
        const real shown = sweep.predictive ? now + instant : now, matched = shown > 0 ? shown : 0;
        sweep.behaviour[s] = matched;
        total += matched;
    }
    for (long long s = start; s < start + end; s += n)
        sweep.behaviour[s] = total > 0 ? sweep.behaviour[s] / total : (real)1 / (end / n);
}

// Forward: the plan of the behaviour, and the average.
extern "C" __global__ void advance(const Sweep sweep) {
    INFOSET;
    const real here = sweep.x[sweep.parent[infoset]];
    for (long long s = start; s < start + end; s += n) {
        const real reach = here * sweep.behaviour[s];
        sweep.x[s] = reach;
        sweep.average[s] += (real)sweep.weight * reach;
    }
}
