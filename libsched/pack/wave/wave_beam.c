/*
 * wave_beam.c -- see wave_beam.h. One step expands one state. The step of the last state of a layer
 * also chooses the next layer among the children. A run can stop only between steps.
 */
#include "pack/wave/wave_beam.h"

#include <string.h>

#include "base/binary_heap.h"
#include "base/hash.h"
#include "pack/cost/cost.h"
#include "pack/wave/wave_order.h"
#include "pack/wave/wave_rows.h"

enum { BEAM_PASSES = 4096, BEAM_BRANCH_MAX = 64, BEAM_WIDTH_MAX = 4096 };
#define BEAM_MEMORY_MAX ((uint64_t)96 << 20)

struct beam_state {
    int64_t left_out, price;
    int64_t rest;  /* lower bound of the price that the undecided items will add */
    int64_t guess; /* `price` plus `rest` as they would be if each bin were cheaper by `discount` */
    int64_t rise, peak;
    uint64_t signature;
};

struct beam_child {
    struct beam_state s;
    /* `parent` is the index of the parent state in its layer; `bin` is PACK_NO_BIN if the item is
     * left out */
    uint32_t parent, bin;
};

struct beam_trail {
    uint32_t parent, bin;
};

struct wave_beam {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct wave_order order;
    struct wave_rows rows;
    uint32_t width, branch;
    uint8_t too_big;
    /* The members from here on belong to the current pass. */
    uint8_t in_pass;
    uint32_t pass, key, layer, next;
    uint32_t n_states, n_children, expansion;
    struct beam_state *states; /* [width] states of the current layer */
    /* [width][n_bins] version of each bin in each state (wave_rows.h); refs[layer % 2] belongs to
     * the current layer */
    uint32_t *refs[2];
    struct beam_child *children; /* [width * (branch + 1)] children for the next layer */
    uint32_t *ranked;            /* [width * (branch + 1)] heap of children */
    struct beam_trail *trail;    /* [n_items][width] back-pointers of each layer */
    struct pack_spot *spots;     /* [n_tasks] plan to offer */
    /* [n_classes] index, plus 1, of the last layer whose item can use the class */
    uint32_t *allowed;
    /* [n_classes] true if no bin of the class has a reservation or is the present bin of an item */
    uint8_t *is_simple;
    uint8_t *is_home; /* [n_bins] true if the bin is the present bin of an item */
    /* [n_bins] lower bound of the bin's price if at least one of its present items stays in it */
    int64_t *home_price;
    /* [n_bins] sum of the move prices of the undecided items that have this present bin */
    int64_t *home_moves;
    int64_t discount; /* see find_discount */
    uint32_t home;    /* present bin of the layer's item */
    /* change of the state's `rest` ([0]) and `guess` ([1]) if the layer's item stays in its present
     * bin, and if it leaves this bin */
    int64_t stays[2], leaves[2];
    int64_t *sorted;     /* [n_bins] work space of find_discount */
    uint32_t least_bins; /* lower bound of the number of bins that the load needs */
};

/* ---- memory ---- */

static uint64_t width_bytes(const struct pack_problem *p, uint64_t width, uint64_t branch) {
    uint64_t bins = p->n_bins < p->n_items ? p->n_bins : p->n_items;
    uint64_t rows = bins + 24 * width + wave_rows_bases(p);
    return rows * wave_rows_bytes(p) + width * (branch + 1) * sizeof(struct beam_child) +
           width * p->n_items * sizeof(struct beam_trail) + 2 * width * p->n_bins * 4;
}

static void take_states(struct wave_beam *b, struct pack_arena *arena) {
    const struct pack_problem *p = b->p;
    uint64_t n_children = (uint64_t)b->width * (b->branch + 1);
    b->states = pack_take(arena, b->width, sizeof *b->states);
    for (uint32_t i = 0; i < 2; i++)
        b->refs[i] = pack_take(arena, (uint64_t)b->width * p->n_bins, sizeof(uint32_t));
    b->children = pack_take(arena, n_children, sizeof *b->children);
    b->ranked = pack_take(arena, n_children, sizeof *b->ranked);
    b->trail = pack_take(arena, (uint64_t)b->width * p->n_items, sizeof *b->trail);
    b->spots = pack_take(arena, p->n_tasks, sizeof *b->spots);
    b->allowed = pack_take(arena, p->n_classes, sizeof *b->allowed);
    b->is_simple = pack_take(arena, p->n_classes, 1);
    b->is_home = pack_take(arena, p->n_bins, 1);
    b->home_price = pack_take(arena, p->n_bins, sizeof *b->home_price);
    b->home_moves = pack_take(arena, p->n_bins, sizeof *b->home_moves);
    b->sorted = pack_take(arena, p->has_now ? p->n_bins : 0, sizeof *b->sorted);
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Adds to a sum of prices. The sum is limited to the range from -INT64_MAX / 4 to INT64_MAX / 4. */
static void add_to(int64_t *sum, int64_t more) {
    const int64_t most = INT64_MAX / 4;
    if (more > most) more = most;
    *sum += more;
    if (*sum > most) *sum = most;
    if (*sum < -most) *sum = -most;
}

/* Returns the present bin of an item, in which it is before the plan; PACK_NO_BIN if it has
 * none. */
static uint32_t home_of(const struct pack_problem *p, uint32_t item) {
    const uint32_t *now = p->items[item].now;
    return now && now[0] < p->n_bins ? now[0] : PACK_NO_BIN;
}

/* Computes, for each present bin of an item, the least price that the bin has if one of its present
 * items stays in it. */
static void read_homes(struct wave_beam *b) {
    const struct pack_problem *p = b->p;
    for (uint32_t c = 0; c < p->n_classes; c++) b->is_simple[c] = 1;
    for (uint32_t i = 0; i < p->n_blocks; i++) b->is_simple[p->bin_class[p->blocks[i].bin]] = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        uint32_t home = home_of(p, i);
        if (home == PACK_NO_BIN) continue;
        const struct pack_item *it = &p->items[i];
        const struct pack_class *class = &p->classes[p->bin_class[home]];
        int is_on = home - class->first_bin < class->on_now;
        int64_t price = class->open_price + (is_on ? 0 : class->switch_price);
        add_to(&price,
               pack_hours_price(p->cell[it->end_cell] - p->cell[it->first_cell], class->on_price));
        if (!b->is_home[home] || price < b->home_price[home]) b->home_price[home] = price;
        b->is_home[home] = 1;
        b->is_simple[p->bin_class[home]] = 0;
    }
}

/* Returns the number of bins that the cell with the highest load needs if every bin has the
 * greatest capacity. `load` is work space for the changes of the load from cell to cell. */
static uint32_t bins_needed(const struct pack_problem *p, int64_t *load) {
    uint32_t most = 0;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t capacity = 1;
        for (uint32_t c = 0; c < p->n_classes; c++)
            if (p->classes[c].capacity[r] > capacity) capacity = p->classes[c].capacity[r];
        memset(load, 0, ((size_t)p->n_cells + 1) * sizeof *load);
        for (uint32_t i = 0; i < p->n_items; i++) {
            const struct pack_item *it = &p->items[i];
            const struct pack_config *config = &p->configs[it->first_config];
            const int32_t *amounts = pack_amounts(p, it->first_config);
            if (!config->is_profile) {
                load[it->first_cell] += amounts[r];
                load[it->end_cell] -= amounts[r];
            }
            for (uint32_t c = 0; config->is_profile && c < config->n_span; c++) {
                load[it->first_cell + c] += amounts[(uint64_t)r * config->n_span + c];
                load[it->first_cell + c + 1] -= amounts[(uint64_t)r * config->n_span + c];
            }
        }
        int64_t sum = 0;
        for (uint32_t c = 0; c < p->n_cells; c++) {
            sum += load[c];
            int64_t need = (sum + capacity - 1) / capacity;
            if (need > most) most = need < p->n_bins ? (uint32_t)need : p->n_bins;
        }
    }
    return most;
}

struct wave_beam *wave_beam_new(const struct pack_problem *p, uint32_t width, uint32_t branch,
                                uint64_t seed, struct pack_cost *cost, struct pack_arena *arena) {
    struct wave_beam dry = {0};
    struct wave_beam *taken = pack_take(arena, 1, sizeof *taken), *b = taken ? taken : &dry;
    b->p = p;
    b->cost = cost;
    b->width = width > BEAM_WIDTH_MAX ? BEAM_WIDTH_MAX : width;
    b->branch = branch > BEAM_BRANCH_MAX ? BEAM_BRANCH_MAX : branch;
    while (b->width > 1 && width_bytes(p, b->width, b->branch) > BEAM_MEMORY_MAX) b->width /= 2;
    b->too_big = width_bytes(p, b->width, b->branch) > BEAM_MEMORY_MAX;
    if (!b->too_big) {
        uint64_t bins = p->n_bins < p->n_items ? p->n_bins : p->n_items;
        wave_order_new(&b->order, p, seed, arena);
        wave_rows_new(&b->rows, p, bins + 24 * (uint64_t)b->width, arena);
        take_states(b, arena);
        int64_t *load = pack_take(arena, p->has_now ? (uint64_t)p->n_cells + 1 : 0, sizeof *load);
        if (arena->base) read_homes(b);
        if (arena->base && p->has_now) b->least_bins = bins_needed(p, load);
    }
    return taken;
}

/* ---- children of a state ---- */

static int child_before(const struct beam_child *a, const struct beam_child *b) {
    if (a->s.left_out != b->s.left_out) return a->s.left_out < b->s.left_out;
    if (a->s.guess != b->s.guess) return a->s.guess < b->s.guess;
    if (a->s.rise != b->s.rise) return a->s.rise < b->s.rise;
    if (a->s.peak != b->s.peak) return a->s.peak > b->s.peak;
    return a->parent != b->parent ? a->parent < b->parent : a->bin < b->bin;
}

/* Returns the least price that will be added for a bin whose present items are undecided: the price
 * of the bin or the move prices of these items, whichever is less. */
static int64_t home_rest(int64_t moves, int64_t price, int64_t discount) {
    return lesser(moves, price > discount ? price - discount : 0);
}

/* Computes by how much `rest` and `guess` change if the item of the layer stays in its present bin
 * (`stays`), and if it does not (`leaves`). */
static void find_rests(struct wave_beam *b, const uint32_t *refs, uint32_t item) {
    uint32_t home = home_of(b->p, item);
    int64_t discount[2] = {0, b->discount};
    for (uint32_t d = 0; d < 2; d++) {
        b->stays[d] = b->leaves[d] = 0;
        if (home == PACK_NO_BIN || b->rows.rows[refs[home]].n_items) continue;
        int64_t moves = b->home_moves[home], price = b->home_price[home];
        b->stays[d] = -home_rest(moves, price, discount[d]);
        b->leaves[d] =
            b->stays[d] + home_rest(moves - b->p->items[item].move_price, price, discount[d]);
    }
}

/* Returns the signature of a bin that has this version. Two bins with the same version have equal
 * signatures, unless one of them is the present bin of an item. */
static uint64_t bin_signature(const struct wave_beam *b, uint64_t version, uint32_t bin) {
    return hash_mix(version, b->is_home[bin] ? (uint64_t)bin + 1 : 0);
}

/* Returns the child state with the item in a bin, or left out. sign_child computes the signature,
 * only for children that are kept. */
static struct beam_child child_of(const struct wave_beam *b, uint32_t state, uint32_t bin,
                                  uint32_t version, const struct wave_fit *fit) {
    const struct pack_item *it = &b->p->items[b->rows.item];
    struct beam_child c = {.s = b->states[state], .parent = state, .bin = bin};
    int stays = bin == b->home;
    add_to(&c.s.rest, stays ? b->stays[0] : b->leaves[0]);
    add_to(&c.s.guess, stays ? b->stays[1] : b->leaves[1]);
    if (bin == PACK_NO_BIN) {
        add_to(&c.s.left_out, it->weight);
        return c;
    }
    int64_t price = lesser(fit->price, INT64_MAX / 4);
    if (b->home != PACK_NO_BIN && !stays) add_to(&price, it->move_price);
    add_to(&c.s.price, price);
    add_to(&c.s.guess, price);
    c.s.rise += fit->rise;
    c.s.peak += fit->peak;
    if (b->rows.rows[version].n_items == 0) {
        c.s.guess -= b->discount;
        if (b->is_home[bin] && !stays) {
            c.s.rest -= home_rest(b->home_moves[bin], b->home_price[bin], 0);
            c.s.guess -= home_rest(b->home_moves[bin], b->home_price[bin], b->discount);
        }
    }
    return c;
}

static void sign_child(const struct wave_beam *b, struct beam_child *c) {
    if (c->bin == PACK_NO_BIN) {
        c->s.signature += hash_mix(0x6F7574u, b->rows.item);
        return;
    }
    uint32_t version = b->refs[b->layer % 2][(uint64_t)c->parent * b->p->n_bins + c->bin];
    c->s.signature += bin_signature(b, wave_rows_signature(&b->rows, version), c->bin) -
                      bin_signature(b, b->rows.rows[version].signature, c->bin);
}

/* Inserts the child into the sorted list of the best `branch` children of one state, which begins
 * at index `first`. A child that is worse than all of a full list is dropped. */
static void keep_child(struct wave_beam *b, uint32_t first, const struct beam_child *c) {
    uint32_t n = b->n_children - first;
    if (n == b->branch && !child_before(c, &b->children[b->n_children - 1])) return;
    uint32_t at = n == b->branch ? b->n_children - 1 : b->n_children++;
    for (; at > first && child_before(c, &b->children[at - 1]); at--)
        b->children[at] = b->children[at - 1];
    b->children[at] = *c;
}

/* Returns the next bin of the class to try after `bin`. If `bin` is empty and the empty bins of the
 * class are equal (is_simple), it skips the bins that are equal to `bin`. Bins that are on at the
 * beginning differ from the others. */
static uint32_t bin_after(const struct wave_beam *b, const struct pack_class *class,
                          uint32_t class_row, uint32_t bin, int is_empty) {
    if (!is_empty || !b->is_simple[class_row]) return bin + 1;
    uint32_t on_end = class->first_bin + class->on_now;
    return bin < on_end ? on_end : class->first_bin + class->n_bins;
}

static void expand_class(struct wave_beam *b, struct pack_meter *m, uint32_t state, uint32_t item,
                         uint32_t class_row, uint32_t first) {
    const struct pack_class *class = &b->p->classes[class_row];
    const uint32_t *refs = b->refs[b->layer % 2] + (uint64_t)state * b->p->n_bins;
    uint32_t end = class->first_bin + class->n_bins, looked = 0, only = PACK_NO_BIN;
    if (b->p->items[item].is_pinned) only = home_of(b->p, item);
    for (uint32_t bin = class->first_bin; bin < end; looked++) {
        struct wave_row *row = &b->rows.rows[refs[bin]];
        uint32_t at = bin;
        bin = bin_after(b, class, class_row, bin, row->n_items == 0);
        if (only != PACK_NO_BIN && only != at) continue;
        if (!b->is_home[at]) {
            if (row->seen == b->expansion) continue;
            row->seen = b->expansion;
        }
        m->done += row->stamp != b->rows.layer;
        const struct wave_fit *fit = wave_rows_check(&b->rows, refs[at]);
        if (!fit->fits) continue;
        struct beam_child c = child_of(b, state, at, refs[at], fit);
        keep_child(b, first, &c);
    }
    m->done += looked / 8;
}

static void wave_beam_expand(struct wave_beam *b, const struct pack_best *best,
                             struct pack_meter *m) {
    uint32_t item = b->order.order[b->layer], state = b->next++, first = b->n_children;
    b->expansion++;
    b->home = home_of(b->p, item);
    find_rests(b, b->refs[b->layer % 2] + (uint64_t)state * b->p->n_bins, item);
    for (uint32_t c = 0; c < b->p->n_classes; c++)
        if (b->allowed[c] == b->layer + 1) expand_class(b, m, state, item, c, first);
    m->done++;
    if (b->n_children == first) {
        struct beam_child c = child_of(b, state, PACK_NO_BIN, 0, NULL);
        b->children[b->n_children++] = c;
    }
    m->states += b->n_children - first;
    uint32_t kept = first;
    for (uint32_t i = first; i < b->n_children; i++) {
        const struct beam_state *s = &b->children[i].s;
        struct pack_value least = {s->left_out, s->price + s->rest};
        if (pack_best_meets(best, least)) continue;
        b->children[kept] = b->children[i];
        sign_child(b, &b->children[kept++]);
    }
    m->pruned += b->n_children - kept;
    b->n_children = kept;
}

/* ---- layers ---- */

#define CHILD_BEFORE(b, x, y) child_before(&(b)->children[x], &(b)->children[y])
HEAP_DEFINE(children, uint32_t, const struct wave_beam *, CHILD_BEFORE, HEAP_NO_INDEX)

/* Frees all versions that no state of the layer uses. */
static void wave_beam_sweep(struct wave_beam *b) {
    uint32_t *refs = b->refs[b->layer % 2];
    for (uint64_t i = 0; i < (uint64_t)b->n_states * b->p->n_bins; i++)
        wave_rows_mark(&b->rows, refs[i]);
    wave_rows_sweep(&b->rows);
}

/* Frees versions until there is one for each state of the next layer. If the states use too many
 * versions, the worse half of the states is dropped. */
static void wave_beam_make_room(struct wave_beam *b, struct pack_meter *m) {
    wave_beam_sweep(b);
    while (b->rows.n_free < b->width && b->n_states > 1) {
        b->n_states /= 2;
        wave_beam_sweep(b);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->n_children; i++)
        if (b->children[i].parent < b->n_states) b->children[kept++] = b->children[i];
    b->n_children = kept;
    m->done += b->n_states * (uint64_t)b->p->n_bins / 16 + 1;
}

/* Makes state n of the next layer from a child. Returns 0 if no version is free. */
static int make_state(struct wave_beam *b, struct beam_state *to, uint32_t n, uint32_t child) {
    const struct beam_child *c = &b->children[child];
    uint64_t n_bins = b->p->n_bins;
    uint32_t *refs = b->refs[(b->layer + 1) % 2] + n * n_bins;
    memcpy(refs, b->refs[b->layer % 2] + c->parent * n_bins, n_bins * sizeof *refs);
    if (c->bin != PACK_NO_BIN) {
        uint32_t row = wave_rows_place(&b->rows, refs[c->bin]);
        if (row == WAVE_NO_ROW) return 0;
        refs[c->bin] = row;
    }
    b->trail[(uint64_t)b->layer * b->width + n] = (struct beam_trail){c->parent, c->bin};
    to[n] = c->s;
    return 1;
}

/* Makes the next layer from the `width` best children that have different signatures. */
static void close_layer(struct wave_beam *b, struct pack_meter *m) {
    uint32_t n, made = 0;
    if (b->rows.n_free < b->width) wave_beam_make_room(b, m);
    n = b->n_children;
    for (uint32_t i = 0; i < n; i++) b->ranked[i] = i;
    children_make(b, b->ranked, n);
    while (n > 0 && made < b->width) {
        uint32_t child = children_take(b, b->ranked, &n);
        uint32_t same = 0;
        while (same < made && b->states[same].signature != b->children[child].s.signature) same++;
        if (same < made) {
            m->pruned++;
            continue;
        }
        if (!make_state(b, b->states, made, child)) break;
        made++;
    }
    m->done += b->p->n_bins * (uint64_t)made / 64 + made;
    uint32_t item = b->order.order[b->layer], home = home_of(b->p, item);
    if (home != PACK_NO_BIN) add_to(&b->home_moves[home], -b->p->items[item].move_price);
    b->n_states = made;
    b->n_children = 0;
    b->next = 0;
    b->layer++;
}

static void open_layer(struct wave_beam *b) {
    uint32_t item = b->order.order[b->layer];
    const struct pack_item *it = &b->p->items[item];
    wave_rows_item(&b->rows, item);
    for (uint32_t i = 0; i < it->n_allowed; i++) b->allowed[it->allowed[i]] = b->layer + 1;
    for (uint32_t c = 0; it->n_allowed == 0 && c < b->p->n_classes; c++)
        b->allowed[c] = b->layer + 1;
}

/* ---- passes ---- */

/* Removes the least element from a heap of n elements. */
static void drop_least(int64_t *heap, uint32_t n) {
    int64_t last = heap[--n];
    uint32_t at = 0;
    for (uint32_t next = 1; next < n; next = 2 * at + 1) {
        if (next + 1 < n && heap[next + 1] < heap[next]) next++;
        if (heap[next] >= last) break;
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = last;
}

/* Sets the discount: the Lagrange multiplier of the constraint that every plan uses at least L
 * bins. Because of this constraint, L bins must be paid in any case. The decision to keep a bin in
 * use should depend on the moves that it saves, and not on its price. The discount is the lowest
 * price of a present bin minus M, or 0 if that is negative. home_moves has, for each present bin,
 * the sum of the move prices of its items. M is the L-th largest of these sums, or 0 if there are
 * fewer than L present bins. The load can rarely be distributed so well that L bins suffice.
 * Therefore L is up to an eighth greater than that number, depending on the pass. */
static void find_discount(struct wave_beam *b) {
    const struct pack_problem *p = b->p;
    uint32_t n = 0, steps = (3 + b->pass) % 5;
    uint32_t want = b->least_bins + steps * (b->least_bins / 32 + 1);
    int64_t price = INT64_MAX;
    for (uint32_t bin = 0; bin < p->n_bins; bin++) {
        if (!b->is_home[bin]) continue;
        price = lesser(price, b->home_price[bin]);
        uint32_t at = n++;
        for (; at > 0; at = (at - 1) / 2) {
            if (b->sorted[(at - 1) / 2] <= b->home_moves[bin]) break;
            b->sorted[at] = b->sorted[(at - 1) / 2];
        }
        b->sorted[at] = b->home_moves[bin];
        if (n > want) drop_least(b->sorted, n--);
    }
    int64_t least = n == want && n > 0 ? b->sorted[0] : 0;
    b->discount = n > 0 && price > least ? price - least : 0;
}

static void wave_beam_begin_pass(struct wave_beam *b) {
    const struct pack_problem *p = b->p;
    b->key = wave_order_make(&b->order, b->pass);
    wave_rows_clear(&b->rows);
    for (uint32_t i = 0; i < b->rows.room; i++) b->rows.rows[i].seen = 0;
    b->expansion = 0;
    memset(b->allowed, 0, p->n_classes * sizeof *b->allowed);
    memset(b->home_moves, 0, p->n_bins * sizeof *b->home_moves);
    for (uint32_t i = 0; i < p->n_items; i++) {
        uint32_t home = home_of(p, i);
        if (home != PACK_NO_BIN) add_to(&b->home_moves[home], p->items[i].move_price);
    }
    b->states[0] = (struct beam_state){0};
    if (p->has_now) find_discount(b);
    for (uint32_t bin = 0; bin < p->n_bins; bin++) {
        if (!b->is_home[bin]) continue;
        add_to(&b->states[0].rest, home_rest(b->home_moves[bin], b->home_price[bin], 0));
        add_to(&b->states[0].guess, home_rest(b->home_moves[bin], b->home_price[bin], b->discount));
    }
    memcpy(b->refs[0], b->rows.bin_base, p->n_bins * sizeof(uint32_t));
    b->n_states = 1;
    b->n_children = b->next = b->layer = 0;
    b->in_pass = 1;
}

/* Follows the back-pointers from a state of the last layer, computes the value of the whole plan,
 * and offers it. Returns 1 if it becomes the best plan. */
static int wave_beam_offer(struct wave_beam *b, struct pack_best *best, uint32_t state) {
    const struct pack_problem *p = b->p;
    for (uint32_t k = p->n_items; k-- > 0;) {
        struct beam_trail t = b->trail[(uint64_t)k * b->width + state];
        const struct pack_item *it = &p->items[b->order.order[k]];
        b->spots[it->first_task] =
            (struct pack_spot){.bin = t.bin, .slice = PACK_NO_SLICE, .start = it->ready};
        state = t.parent;
    }
    struct pack_value value;
    uint32_t bad;
    if (pack_value_of(b->cost, b->spots, &value, &bad, NULL)) return 0;
    return pack_best_offer(best, p, b->spots, value, LSCHED_PACK_METHOD_DP);
}

static void end_pass(struct wave_beam *b, struct pack_best *best, struct pack_meter *m) {
    int is_better = 0;
    uint32_t cheapest = 0;
    for (uint32_t i = 1; i < b->n_states; i++) {
        struct pack_value a = {b->states[i].left_out, b->states[i].price};
        struct pack_value c = {b->states[cheapest].left_out, b->states[cheapest].price};
        if (pack_value_less(a, c)) cheapest = i;
    }
    if (b->n_states) is_better = wave_beam_offer(b, best, cheapest);
    m->done += b->p->n_tasks;
    if (is_better) b->order.best_key = b->key;
    b->pass++;
    b->in_pass = 0;
}

int wave_beam_run(struct wave_beam *b, struct pack_best *best, struct pack_meter *m,
                  const struct pack_value *bound) {
    if (b->too_big || b->p->n_items == 0) return PACK_DONE;
    while (b->pass < BEAM_PASSES && !(bound && pack_best_meets(best, *bound))) {
        if (pack_meter_spent(m)) return PACK_MORE;
        if (!b->in_pass) {
            wave_beam_begin_pass(b);
            m->done += b->p->n_items + b->p->n_bins;
            continue;
        }
        if (b->layer == b->p->n_items || b->n_states == 0) {
            end_pass(b, best, m);
            continue;
        }
        if (b->next == 0) open_layer(b);
        wave_beam_expand(b, best, m);
        if (b->next == b->n_states) close_layer(b, m);
    }
    return PACK_DONE;
}
