/*
 * explain_devices.c -- see explain_devices.h.
 *
 * Each device is counted under the first property that excludes the device. The properties are
 * checked in this order: the model, the terms of the selector from first to last, the taints, the
 * size and the sharing mode. Cost: O(devices) for each alternative.
 */
#include "engine/exclusions/explain_devices.h"

#include "engine/exclusions/explain_machine.h"
#include "engine/exclusions/explain_nodes.h"
#include "model/devices/device_match.h"
#include "model/nodes/node.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/leaf.h"

struct excluded {
    uint64_t devices, /* number of all devices */
        left;         /* devices that no property excludes */
    uint64_t model,   /* devices excluded by their model */
        size,         /* devices excluded by their size or sharing mode */
        closed,       /* devices that are cordoned or failed */
        tainted;      /* devices with a taint that the task does not tolerate */
    /* nodes on which the search for devices that match gave up (match_graph.h) */
    uint32_t given_up;
    uint64_t part[SELECTOR_PARTS_MAX]; /* devices excluded by each term of the selector */
    /* devices excluded by each term because they do not have its attribute */
    uint64_t lacks[SELECTOR_PARTS_MAX],
        /* devices excluded by each term because the term fails with an error on them */
        fails[SELECTOR_PARTS_MAX];
};

static int has_model(const struct columns *k, uint32_t device, uint32_t shape) {
    uint32_t n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (models[i] == k->c[C_DEVICE_MODEL].u32[device]) return 1;
    return n == 0;
}

static void count_device(const struct columns *k, uint32_t device, uint32_t shape,
                         struct excluded *x) {
    uint32_t selector = k->c[C_SHAPE_SELECTOR].u32[shape];
    uint8_t answer = selector == NO_ROW
                         ? (uint8_t)SELECTOR_TAKES
                         : selector_answer(k, selector, k->c[C_DEVICE_CLASS].u16[device]);
    x->devices++;
    if (!has_model(k, device, shape)) {
        x->model++;
    } else if (answer != SELECTOR_TAKES) {
        uint32_t part = selector_part(answer) % SELECTOR_PARTS_MAX;
        x->part[part]++;
        x->lacks[part] += (answer & SELECTOR_LACKS) != 0;
        x->fails[part] += (answer & SELECTOR_FAILS) != 0;
    } else if (!device_allowed(k, device, shape)) {
        x->tainted++;
    } else if (device_is_closed(k, device)) {
        x->closed++;
    } else if (!device_takes(k, device, shape, DEVICE_EMPTY)) {
        x->size++;
    } else {
        x->left++;
    }
}

/* Returns the number of nodes that have enough devices for one task. A device counts if no property
 * excludes it. The devices of a node must also satisfy the match and distinct attributes together.
 * *x gets the counts of excluded devices, and of nodes whose search for devices gave up. */
static uint32_t explain_devices_count_nodes(const struct columns *k, uint32_t shape,
                                            struct excluded *x) {
    uint32_t need = k->c[C_SHAPE_DEVICES].u32[shape], nodes = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[n];
        device_set fit = 0;
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++) {
            uint64_t before = x->left;
            count_device(k, first + i, shape, x);
            if (x->left > before) fit |= device_set_bit(i);
        }
        struct match_graph friends;
        if (need == 0 || device_set_count(fit) < need) continue;
        if (need > 1 && device_match_asked(k, shape)) {
            device_match_graph(k, n, shape, &friends);
            if (!match_graph_have(&friends, fit, need)) {
                x->given_up += (uint32_t)match_graph_gives_up(&friends, fit, need);
                continue;
            }
        }
        nodes++;
    }
    return nodes;
}

enum { PART_SHOWN = 72 };

/* Writes the text of a selector term on one line. A text of more than PART_SHOWN bytes is
 * shortened, but never inside a UTF-8 character. */
static void put_part(struct text_out *o, lsched_text part) {
    char line[PART_SHOWN + 1];
    size_t n = part.len < PART_SHOWN ? (size_t)part.len : PART_SHOWN;
    while (n < part.len && n > 0 && ((unsigned char)part.ptr[n] & 0xC0u) == 0x80u) n--;
    for (size_t i = 0; i < n; i++) line[i] = (unsigned char)part.ptr[i] < 0x20 ? ' ' : part.ptr[i];
    line[n] = '\0';
    text_put(o, "%s%s", line, n < part.len ? "..." : "");
}

/* Writes the causes with their numbers of devices, such as "; 2 excluded by device.memory >= 40, 4
 * by device.mps". Only the first cause has the word "excluded". */
static void put_excluded(const struct columns *k, uint32_t shape, const struct excluded *x,
                         struct text_out *o) {
    uint32_t selector = k->c[C_SHAPE_SELECTOR].u32[shape], said = 0;
    const char *begin[] = {"; ", ", "};
    if (x->model)
        text_put(o, "%s%" PRIu64 "%s by their model", begin[said > 0], x->model,
                 said ? "" : " excluded"),
            said++;
    for (uint32_t i = 0; selector != NO_ROW && i < device_selector_n_parts(k, selector); i++) {
        if (x->part[i] == 0) continue;
        text_put(o, "%s%" PRIu64 "%s by ", begin[said > 0], x->part[i], said ? "" : " excluded");
        put_part(o, device_selector_part_text(k, selector, i));
        if (x->lacks[i]) text_put(o, " (%" PRIu64 " without the attribute)", x->lacks[i]);
        if (x->fails[i])
            text_put(o, " (on %" PRIu64 " its evaluation fails because of a wrong type)",
                     x->fails[i]);
        said++;
    }
    if (x->size)
        text_put(o, "%s%" PRIu64 "%s because they are too small or are not shared in such parts",
                 begin[said > 0], x->size, said ? "" : " excluded"),
            said++;
    if (x->closed)
        text_put(o, "%s%" PRIu64 "%s because they are cordoned or failed", begin[said > 0],
                 x->closed, said ? "" : " excluded"),
            said++;
    if (x->tainted)
        text_put(o, "%s%" PRIu64 "%s by taints that it does not tolerate", begin[said > 0],
                 x->tainted, said ? "" : " excluded");
}

void explain_devices_put_closed(const struct columns *k, uint32_t shape, struct text_out *o) {
    uint32_t closed = 0, failed = 0, foreign = 0;
    if (k->c[C_SHAPE_DEVICES].u32[shape] == 0) return;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_CLOSED].u8[n] == 0) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[n];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[n]; i++) {
            if (!device_is_closed(k, first + i) || !device_allowed(k, first + i, shape)) continue;
            closed++;
            failed += (k->c[C_DEVICE_CLOSED].u8[first + i] & DEVICE_FAILED) != 0;
            foreign += k->c[C_DEVICE_CLOSED].u8[first + i] == DEVICE_FOREIGN;
        }
    }
    if (closed == 0) return;
    text_put(o, "; %u device%s %s out of service (%u failed, %u cordoned", closed, plural(closed),
             closed == 1 ? "is" : "are", failed, closed - failed - foreign);
    text_put(o, foreign ? ", %u used by others)" : ")", foreign);
}

/* Writes the attributes in which the devices of a task must all be equal (match) or all be
 * different (distinct), such as ", alike in numa". */
static void put_lists(const struct columns *k, uint32_t shape, struct text_out *o) {
    struct reader r;
    if (!shape_part(k, shape, SHAPE_PART_CLAIM, &r)) return;
    reader_text(&r);
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0, n = reader_u32(&r); i < n; i++) {
            lsched_text name = reader_text(&r);
            text_put(o, "%s%s",
                     i      ? ", "
                     : list ? ", no two alike in "
                            : ", alike in ",
                     shown(name).text);
        }
}

static int is_claim(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] &&
           (k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW || k->c[C_SHAPE_N_MODELS].u32[shape] ||
            device_match_asked(k, shape));
}

static void put_devices_of(const struct explain *e, uint32_t shape) {
    const struct columns *k = e->k;
    struct excluded x;
    memset(&x, 0, sizeof x);
    uint32_t nodes = explain_devices_count_nodes(k, shape, &x),
             need = k->c[C_SHAPE_DEVICES].u32[shape];
    PUT_LINE(e->o, "devices", "%" PRIu64 " of %" PRIu64 " could serve", x.left, x.devices);
    put_excluded(k, shape, &x, e->o);
    text_put(e->o, "; %u node%s ha%s %u", nodes, plural(nodes), nodes == 1 ? "s" : "ve", need);
    if (need > 1) put_lists(k, shape, e->o);
    if (x.given_up)
        text_put(e->o, "; on %s the search for such devices gave up after %u steps",
                 counted(x.given_up, "node").text, LIMIT_MATCH_STEPS);
    text_put(e->o, "\n");
}

/* Writes the GPUs that a task asks for, with at most three of the allowed models, such as "8 GPUs
 * (H100-80GB)". */
static void put_request(const struct columns *k, uint32_t shape, struct text_out *o) {
    uint32_t kind = LSCHED_GPU, n = k->c[C_SHAPE_N_MODELS].u32[shape];
    const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[shape]) : NULL;
    put_amount(k, o, kind, k->c[C_SHAPE_REQ + kind].i64[shape]);
    for (uint32_t i = 0; i < n && i < 3; i++)
        text_put(o, "%s%s", i ? " or " : " (",
                 shown_name(k, intern_text(k, T_STRING, models[i])).text);
    if (n) text_put(o, n > 3 ? " ...)" : ")");
}

static void put_alternative(const struct explain *e, uint32_t shape) {
    const struct columns *k = e->k;
    struct node_counts m = explain_nodes_count(k, shape, 0);
    put_label(e->o, "instead");
    put_request(k, shape, e->o);
    text_put(e->o, " on one node");
    explain_machine_put_wishes(k, shape, e->o);
    text_put(e->o, ": %u can hold that, %u ha%s room now\n", m.able, m.fit,
             m.fit == 1 ? "s" : "ve");
}

void explain_devices(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[e->job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             g = e->w.task_group < n ? e->w.task_group : 0;
    while (g + 1 < n && group_shape(k, jobshape, g) == NO_ROW) g++;
    uint32_t row = group_row(k, jobshape, g), shape = leaf_shape(k, e->job, g);
    if (is_claim(k, shape)) put_devices_of(e, shape);
    if (shape != k->c[C_GROUP_SHAPE].u32[row])
        return; /* the group already has tasks; all its tasks use this alternative */
    for (uint32_t a = 1; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
        put_alternative(e, group_alternative(k, row, a));
        if (is_claim(k, group_alternative(k, row, a)))
            put_devices_of(e, group_alternative(k, row, a));
    }
}
