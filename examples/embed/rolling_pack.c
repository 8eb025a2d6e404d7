/* rolling_pack.c -- services with a load that rises and falls over the day, packed on as few nodes
 * as hold them, and planned anew every five minutes.
 *
 * The forecast is the orchestrator's: here a wave per service whose height drifts. Each plan
 * looks a day ahead, in slots of 5 minutes for the first hour, then quarter hours, then hours;
 * only its first step is done. A service that moves costs something, so a plan may move one
 * only if that saves `patience` times its price, and one that moved stays for `dwell`. The
 * program runs the same day with and without these and prints what the moves cost and what they
 * saved. */
#include <libsched/pack.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MINUTE_US INT64_C(60000000)
enum {
    SERVICES = 40,
    NODES = 24,
    NODE_MILLI = 1000,
    SLOTS = 12 + 12 + 20,
    STEP_MINUTES = 5,
    DAY_MINUTES = 24 * 60,
    WORK = 3000 /* units; a plan takes about a millisecond */
};
static const int64_t move_price = 50000, node_hour_price = 20000; /* micro */

struct service {
    uint32_t bin; /* LSCHED_PACK_NONE: nowhere yet */
    int64_t base_milli, wave_milli, peak_minute, drift_milli, moved_at_us;
    bool has_moved;
    char name[16];
    int64_t demand[SLOTS];
};

struct day {
    struct service services[SERVICES];
    uint64_t chance;
    int64_t bounds[SLOTS + 1];
    lsched_pack_item items[SERVICES];
    lsched_pack_config configs[SERVICES];
    lsched_pack_place places[SERVICES];
    /* what it came to */
    uint32_t moves, plans_that_move, left_out;
    int64_t moves_micro, node_minutes;
};

static int64_t some(struct day *d, int64_t low, int64_t high) {
    d->chance = d->chance * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((d->chance >> 33) % (uint64_t)(high - low + 1));
}

static void begin(struct day *d) {
    memset(d, 0, sizeof *d);
    d->chance = 7;
    for (uint32_t i = 0; i < SERVICES; i++) {
        struct service *s = &d->services[i];
        *s = (struct service){.bin = LSCHED_PACK_NONE, .drift_milli = 1000};
        s->base_milli = some(d, 20, 90);
        s->wave_milli = some(d, 60, 330);
        s->peak_minute = some(d, 0, 3) * 360 + some(d, -90, 90); /* four parts of the world */
        snprintf(s->name, sizeof s->name, "service-%02u", i);
    }
}

/* A triangle: its height at the peak minute, nothing eight hours before and after. */
static int64_t load_at(const struct service *s, int64_t minute) {
    int64_t apart = (minute - s->peak_minute) % DAY_MINUTES;
    if (apart < 0) apart += DAY_MINUTES;
    if (apart > DAY_MINUTES / 2) apart = DAY_MINUTES - apart;
    int64_t wave = apart < 480 ? s->wave_milli * (480 - apart) / 480 : 0;
    return (s->base_milli + wave) * s->drift_milli / 1000;
}

/* What it needs from now on: in each slot the most inside it. */
static void forecast(struct day *d, int64_t now_minute) {
    int64_t minute = now_minute;
    d->bounds[0] = minute * MINUTE_US;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        int64_t end = minute + (slot < 12 ? 5 : slot < 24 ? 15 : 60);
        d->bounds[slot + 1] = end * MINUTE_US;
        for (uint32_t i = 0; i < SERVICES; i++) {
            int64_t most = 0;
            for (int64_t m = minute; m < end; m += STEP_MINUTES) {
                int64_t load = load_at(&d->services[i], m);
                if (load > most) most = load;
            }
            d->services[i].demand[slot] = most;
        }
        minute = end;
    }
}

static void describe(struct day *d, int64_t now_us) {
    for (uint32_t i = 0; i < SERVICES; i++) {
        struct service *s = &d->services[i];
        d->configs[i] = (lsched_pack_config){
            .size = sizeof d->configs[i], .n_slots = SLOTS, .demand = s->demand};
        d->items[i] =
            (lsched_pack_item){.size = sizeof d->items[i],
                               .flags = LSCHED_PACK_ITEM_HAS_LATEST |
                                        (s->has_moved ? LSCHED_PACK_ITEM_HAS_MOVED_AT : 0),
                               .name = lsched_cstr(s->name),
                               .ready_us = now_us,
                               .latest_us = now_us,
                               .configs = &d->configs[i],
                               .n_configs = 1,
                               .bins_now = s->bin == LSCHED_PACK_NONE ? NULL : &s->bin,
                               .moved_at_us = s->moved_at_us,
                               .move_price_micro = move_price};
    }
}

/* Plans, and does what the plan wants done in its first slot. Returns nodes in use, or an error. */
static int64_t step(struct day *d, int64_t now_us, const lsched_pack_opts *opts,
                    lsched_error *err) {
    static const int64_t capacity[] = {NODE_MILLI};
    lsched_pack_resource cpu = {.size = sizeof cpu, .name = LSCHED_TEXT("cpu")};
    lsched_pack_class nodes = {.size = sizeof nodes,
                               .count = NODES,
                               .name = LSCHED_TEXT("node"),
                               .capacity = capacity,
                               .on_price_micro_per_hour = node_hour_price};
    lsched_pack_problem problem = {.size = sizeof problem,
                                   .n_resources = 1,
                                   .resources = &cpu,
                                   .classes = &nodes,
                                   .items = d->items,
                                   .n_classes = 1,
                                   .n_items = SERVICES,
                                   .n_slots = SLOTS,
                                   .slot_bounds = d->bounds,
                                   .now_us = now_us};
    lsched_pack_info info = {.size = sizeof info};
    lsched_packer *packer = NULL;
    int32_t rc = lsched_packer_create(&problem, opts, &packer, err);
    if (rc == LSCHED_OK) rc = lsched_packer_run(packer, WORK, err);
    if (rc >= 0) rc = lsched_packer_get(packer, &info, err);
    if (rc >= 0) rc = lsched_packer_places(packer, d->places, SERVICES, err) < 0 ? err->code : 0;
    lsched_packer_destroy(packer);
    if (rc < 0) return rc;
    d->left_out += info.left_out;
    d->plans_that_move += info.moves > 0;
    for (uint32_t i = 0; i < SERVICES; i++) {
        const lsched_pack_place *place = &d->places[i];
        if (place->bin == LSCHED_PACK_NONE || !(place->flags & LSCHED_PACK_IS_NEXT)) continue;
        if (place->flags & LSCHED_PACK_IS_MOVED) {
            d->moves++;
            d->moves_micro += move_price;
            d->services[i].has_moved = true;
            d->services[i].moved_at_us = now_us;
        }
        d->services[i].bin = place->bin;
    }
    return info.bins;
}

static int run_day(struct day *d, const lsched_pack_opts *opts, lsched_error *err) {
    begin(d);
    for (int64_t minute = 0; minute < DAY_MINUTES; minute += STEP_MINUTES) {
        forecast(d, minute);
        describe(d, minute * MINUTE_US);
        int64_t nodes = step(d, minute * MINUTE_US, opts, err);
        if (nodes < 0) return -1;
        d->node_minutes += nodes * STEP_MINUTES;
        for (uint32_t i = 0; i < SERVICES; i++) {
            int64_t drift = d->services[i].drift_milli + some(d, -12, 12);
            d->services[i].drift_milli = drift < 700 ? 700 : drift > 1300 ? 1300 : drift;
        }
    }
    return 0;
}

int main(void) {
    static const struct {
        const char *name;
        uint32_t patience_milli;
        int64_t dwell_us;
    } rules[] = {{"every gain", 1000, 0},
                 {"patience 1.5", 1500, 0},
                 {"patience 3, dwell 1 h", 3000, 60 * MINUTE_US}};
    static struct day d;
    uint32_t moves[3];
    printf("%-22s %6s %6s %10s %11s %9s %8s\n", "rule", "plans", "moves", "paid", "node-hours",
           "all in all", "left out");
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_pack_opts opts;
        lsched_init(&opts, sizeof opts);
        opts.seed = 1;
        opts.patience_milli = rules[k].patience_milli;
        opts.dwell_us = rules[k].dwell_us;
        if (run_day(&d, &opts, &err) != 0) {
            fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
            return 1;
        }
        int64_t nodes_micro = d.node_minutes * node_hour_price / 60;
        moves[k] = d.moves;
        printf("%-22s %6u %6u %7" PRId64 ".%02d %8" PRId64 ".%02d %7" PRId64 ".%02d %8u\n",
               rules[k].name, d.plans_that_move, d.moves, d.moves_micro / 1000000,
               (int)(d.moves_micro / 10000 % 100), d.node_minutes / 60,
               (int)(d.node_minutes % 60 * 100 / 60), (nodes_micro + d.moves_micro) / 1000000,
               (int)((nodes_micro + d.moves_micro) / 10000 % 100), d.left_out);
    }
    /* patience is there to save moves */
    return moves[2] <= moves[0] ? 0 : 1;
}
