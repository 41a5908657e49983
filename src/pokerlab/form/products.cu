// What lies around a matrix product with a payoff (../form/on_device.py): reach is gathered into an array
// [corners x width], one matrix multiplies it, and the result is added where the corners are.

#if SINGLE
typedef float real;
#else
typedef double real;
#endif

struct Terms {
    const real *from;                                           // the other player's plan, or the product
    real *to;                                                   // what is gathered, or the gradient
    const long long *corner;                                    // by corner: the first row of the gradient
    const int *start;                                           // by corner: its terms
    const long long *column;                                    // by term: where reach begins
    const real *scale;
    long long shift;                                            // of a diagonal block
    int corners, width;
};

// Corners' terms, scaled and added up: a thread for each corner and state.
extern "C" __global__ void gather(const Terms terms) {
    const int corner = blockIdx.x, state = blockIdx.y * blockDim.x + threadIdx.x;
    if (state >= terms.width) return;
    real sum = 0;
    for (int t = terms.start[corner]; t < terms.start[corner + 1]; ++t)
        sum += terms.scale[t] * terms.from[terms.column[t] + terms.shift + state];
    terms.to[(size_t)corner * terms.width + state] = sum;
}

// The way back; no two of these corners are nearer than a matrix is high.
extern "C" __global__ void scatter(const Terms terms) {
    const int corner = blockIdx.x, state = blockIdx.y * blockDim.x + threadIdx.x;
    if (state >= terms.width) return;
    terms.to[terms.corner[corner] + terms.shift + state] += terms.from[(size_t)corner * terms.width + state];
}
