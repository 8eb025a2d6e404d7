/* wave.c -- see wave.h. */
#include "pack/wave/wave.h"

#include "pack/wave/wave_beam.h"
#include "pack/wave/wave_exact_fixed.h"
#include "pack/wave/wave_exact_time.h"
#include "pack/wave/wave_front.h"

enum { BEAM_DEFAULT = 32, BRANCH_DEFAULT = 6 };

struct wave {
    struct pack_cost *cost;
    struct wave_beam *beam;   /* dynamic programme with a beam, for FIXED problems */
    struct wave_front *front; /* dynamic programme with a beam, for FLEXIBLE problems */
    struct exact_fixed *exact_fixed;
    struct exact_time *exact_time;
};

struct wave *wave_new(const struct pack_problem *p, const lsched_pack_opts *opts, int exact,
                      struct pack_arena *arena) {
    struct wave dry = {0};
    struct wave *taken = pack_take(arena, 1, sizeof *taken), *w = taken ? taken : &dry;
    uint32_t width = opts->beam ? opts->beam : BEAM_DEFAULT;
    uint32_t branch = opts->branch ? opts->branch : BRANCH_DEFAULT;
    w->cost = pack_cost_new(p, arena);
    if (exact && p->kind == PACK_FIXED)
        w->exact_fixed = exact_fixed_new(p, w->cost, arena);
    else if (exact)
        w->exact_time = exact_time_new(p, w->cost, arena);
    else if (p->kind == PACK_FIXED)
        w->beam = wave_beam_new(p, width, branch, opts->seed, w->cost, arena);
    else
        w->front = wave_front_new(p, width, branch, opts->seed, w->cost, arena);
    return taken;
}

int wave_run(struct wave *w, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound, int *proved) {
    *proved = 0;
    if (w->exact_fixed) return exact_fixed_run(w->exact_fixed, best, m, bound, proved);
    if (w->exact_time) return exact_time_run(w->exact_time, best, m, bound, proved);
    if (w->beam) return wave_beam_run(w->beam, best, m, bound);
    return wave_front_run(w->front, best, m, bound);
}
