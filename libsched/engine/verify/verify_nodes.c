/*
 * verify_nodes.c -- see verify_nodes.h. No free amount is allowed to be negative, except on an
 * overfull node. A node becomes overfull when an imported task does not fit or when the capacity of
 * the node shrinks. Such a node must be marked as overfull.
 *
 * The amount that comes free later is the amount that releasing tasks hold, without overdue tasks.
 * Nominations must take no more than the free amount and this amount together, in every resource
 * kind and on every device of a nomination. This rule always holds, because a call that takes room
 * away also withdraws nominations. The only exception is a device that an import made overfull;
 * such a device is not checked.
 */
#include "engine/verify/verify_nodes.h"

#include "engine/verify/verify_daily_demand.h"
#include "engine/verify/verify_device.h"
#include "engine/verify/verify_read.h"
#include "model/shapes/placement.h"

struct node_sums {
    wide_i128 amount[KINDS_MAX];
    struct device_charge device[LSCHED_DEVICES_PER_NODE_MAX];
};

struct node_use {
    struct node_sums held, releasing, claimed;
    uint32_t tasks,                  /* number of tasks on the node */
        excess;                      /* number of tasks on the node that are marked as excess */
    struct verify_devices excess_on; /* the devices that hold a task marked as excess */
    uint32_t future;                 /* number of tasks that are releasing or nominated */
    struct daily_peaks day[KINDS_MAX];
};

static void verify_nodes_add_task(const struct columns *k, uint32_t node, uint32_t task,
                                  struct node_sums *s) {
    uint32_t shape = verify_shape(k, task), first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t r = 0; r < verify_kinds(k); r++)
        if (!verify_daily_demand_is(k, shape, r)) s->amount[r] += verify_device_amount(k, task, r);
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        if (!verify_has_device(&held, i)) continue;
        struct device_charge p = verify_device_charge(k, first + i, shape);
        s->device[i].milli += p.milli;
        s->device[i].memory += p.memory;
        s->device[i].sm_count += p.sm_count;
        s->device[i].limit += p.limit;
        /* the node's sums do not include what is on closed devices */
        if (k->c[C_DEVICE_CLOSED].u8[first + i]) s->amount[LSCHED_GPU] -= p.milli;
    }
}

static int32_t verify_nodes_count_task(struct check *c, uint32_t node, uint32_t task,
                                       struct node_use *u) {
    const struct columns *k = c->k;
    struct verify_devices held = verify_devices_of(k, task);
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node];
    uint8_t state = verify_state_of(k, task);
    if (verify_exceeds(&held, n))
        return check_fail(c, "%s is on devices %s of %s, which has only %u devices",
                          NAME(T_TASK, task), verify_devices_shown(&held).text, NAME(T_NODE, node),
                          n);
    u->tasks++;
    u->future += state == LSCHED_TASK_RELEASING || state == LSCHED_TASK_NOMINATED;
    verify_nodes_add_task(k, node, task, state == LSCHED_TASK_NOMINATED ? &u->claimed : &u->held);
    if (verify_leaves(k, task)) verify_nodes_add_task(k, node, task, &u->releasing);
    if (state == LSCHED_TASK_NOMINATED || !k->c[C_TASK_EXCESS].u8[task]) return LSCHED_OK;
    u->excess++;
    for (uint32_t w = 0; w < 2; w++) u->excess_on.word[w] |= held.word[w];
    return LSCHED_OK;
}

static int32_t verify_nodes_check_device(struct check *c, uint32_t node, uint32_t i,
                                         const struct node_use *u) {
    const struct columns *k = c->k;
    const struct device_charge *held = &u->held.device[i];
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i, closed = k->c[C_DEVICE_CLOSED].u8[d],
             milli_free = !closed && held->milli < 1000 ? 1000 - (uint32_t)held->milli : 0;
    int64_t mem = k->c[C_DEVICE_MEM].i64[d], mem_free = k->c[C_DEVICE_MEM_FREE].i64[d];
    if (mem < 0 || mem > LSCHED_AMOUNT_MAX)
        return check_fail(c, "device %u of %s has %lld bytes", i, NAME(T_NODE, node),
                          (long long)mem);
    if ((closed & DEVICE_FAILED) && !k->c[C_DEVICE_FAILURES].u32[d])
        return check_fail(c, "device %u of %s has failed, but no failure of it is counted", i,
                          NAME(T_NODE, node));
    /* Tasks of a failed device are lost. Only the orchestrator can say later that one is there. */
    if ((closed & DEVICE_FAILED) && held->milli && !verify_has_device(&u->excess_on, i))
        return check_fail(c, "device %u of %s has failed, but a task holds %lld parts of it", i,
                          NAME(T_NODE, node), verify_shown(held->milli));
    if (closed && u->claimed.device[i].milli)
        return check_fail(c, "device %u of %s takes no task, but a task is nominated for it", i,
                          NAME(T_NODE, node));
    if (k->c[C_DEVICE_FREE_MILLI].u16[d] != milli_free)
        return check_fail(
            c, "device %u of %s records %u of 1000 parts as free, but its tasks hold %lld", i,
            NAME(T_NODE, node), k->c[C_DEVICE_FREE_MILLI].u16[d], verify_shown(held->milli));
    if ((wide_i128)mem_free != mem - held->memory)
        return check_fail(
            c,
            "device %u of %s records %lld bytes as free, but its tasks hold %lld of %lld "
            "bytes",
            i, NAME(T_NODE, node), (long long)mem_free, verify_shown(held->memory), (long long)mem);
    if ((held->milli > 1000 || mem_free < 0) && !verify_has_device(&u->excess_on, i))
        return check_fail(
            c,
            "device %u of %s is overfull (%lld milli, %lld bytes free), and no task on it is "
            "marked as imported excess",
            i, NAME(T_NODE, node), verify_shown(held->milli), (long long)mem_free);
    return LSCHED_OK;
}

static int32_t check_amounts(struct check *c, uint32_t node, const struct node_use *u) {
    const struct columns *k = c->k;
    int negative = 0;
    if (k->c[C_NODE_FOREIGN].i64[node])
        return check_fail(c, "others use an amount of no kind on %s", NAME(T_NODE, node));
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        int64_t cap = k->c[C_NODE_CAP + r].i64[node], room = k->c[C_NODE_FREE + r].i64[node];
        int64_t foreign = k->c[C_NODE_FOREIGN + r].i64[node];
        if (foreign < 0 || foreign > LSCHED_AMOUNT_MAX / 2 || (r == LSCHED_GPU && foreign))
            return check_fail(c, "others use %lld of %s on %s", (long long)foreign, NAME(T_KIND, r),
                              NAME(T_NODE, node));
        if ((wide_i128)room != (wide_i128)cap - foreign - u->held.amount[r] - u->day[r].peak)
            return check_fail(c, "%s records %lld of %s as free, but its tasks hold %lld of %lld",
                              NAME(T_NODE, node), (long long)room, NAME(T_KIND, r),
                              verify_shown(u->held.amount[r] + u->day[r].peak), (long long)cap);
        negative |= room < 0;
    }
    int marked = k->c[C_NODE_EXCESS].u8[node], expected = negative || u->excess > 0;
    if (marked != expected)
        return check_fail(
            c,
            "%s is %s as overfull, but %u of its tasks are marked as excess, and %s is "
            "below 0",
            NAME(T_NODE, node), marked ? "marked" : "not marked", u->excess,
            negative ? "something" : "nothing");
    return LSCHED_OK;
}

/* ---- amounts that come free or are nominated ---- */

static int32_t check_coming_device(struct check *c, uint32_t node, uint32_t i,
                                   const struct node_use *u) {
    const struct columns *k = c->k;
    const struct device_charge *held = &u->held.device[i], *releasing = &u->releasing.device[i],
                               *claimed = &u->claimed.device[i];
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
    wide_i128 milli = releasing->milli - claimed->milli,
              memory = releasing->memory - claimed->memory;
    if (k->c[C_DEVICE_COMING_MILLI].i32[d] != milli || k->c[C_DEVICE_COMING_MEM].i64[d] != memory)
        return check_fail(
            c,
            "device %u of %s expects %d parts of 1000 and %lld bytes, but its releasing "
            "tasks less its nominated tasks give %lld and %lld",
            i, NAME(T_NODE, node), k->c[C_DEVICE_COMING_MILLI].i32[d],
            (long long)k->c[C_DEVICE_COMING_MEM].i64[d], verify_shown(milli), verify_shown(memory));
    /* an overfull device keeps a free amount of 0 until the excess is gone */
    if (verify_has_device(&u->excess_on, i)) return LSCHED_OK;
    if ((claimed->milli && 1000 - held->milli + milli < 0) ||
        (claimed->memory && k->c[C_DEVICE_MEM].i64[d] - held->memory + memory < 0))
        return check_fail(
            c,
            "nominations on device %u of %s are %lld parts of 1000 and %lld bytes more "
            "than %s",
            i, NAME(T_NODE, node), verify_shown(held->milli - 1000 - milli),
            verify_shown(held->memory - k->c[C_DEVICE_MEM].i64[d] - memory), "will be there");
    return LSCHED_OK;
}

static int32_t check_coming(struct check *c, uint32_t node, const struct node_use *u) {
    const struct columns *k = c->k;
    if (k->c[C_NODE_FUTURE].u32[node] != u->future)
        return check_fail(c, "%s counts %u releasing and nominated tasks, but has %u",
                          NAME(T_NODE, node), k->c[C_NODE_FUTURE].u32[node], u->future);
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        wide_i128 coming =
            u->releasing.amount[r] - u->claimed.amount[r] + u->day[r].peak - u->day[r].later;
        wide_i128 then = (wide_i128)k->c[C_NODE_CAP + r].i64[node] -
                         k->c[C_NODE_FOREIGN + r].i64[node] - u->held.amount[r] - u->day[r].peak +
                         coming;
        if (k->c[C_NODE_COMING + r].i64[node] != coming)
            return check_fail(
                c,
                "%s expects %lld of %s, but its releasing tasks less its nominated tasks "
                "give %lld",
                NAME(T_NODE, node), (long long)k->c[C_NODE_COMING + r].i64[node], NAME(T_KIND, r),
                verify_shown(coming));
        if ((u->claimed.amount[r] || u->day[r].claimed) && then < 0)
            return check_fail(c, "nominations on %s need %lld more of %s than will be free there",
                              NAME(T_NODE, node), verify_shown(-then), NAME(T_KIND, r));
    }
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        int32_t rc = check_coming_device(c, node, i, u);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t check_node_amounts(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], whole = 0, closed = 0, tainted = 0;
    struct node_use u;
    memset(&u, 0, sizeof u);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        int32_t rc = verify_nodes_count_task(c, node, t, &u);
        if (rc != LSCHED_OK) return rc;
    }
    if (u.tasks != k->c[C_NODE_TASKS].u32[node])
        return check_fail(c, "%s counts %u tasks and has %u", NAME(T_NODE, node),
                          k->c[C_NODE_TASKS].u32[node], u.tasks);
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc = verify_nodes_check_device(c, node, i, &u);
        if (rc == LSCHED_OK)
            rc = verify_device_shared(c, node, i, &u.held.device[i], &u.releasing.device[i],
                                      &u.claimed.device[i], verify_has_device(&u.excess_on, i));
        if (rc != LSCHED_OK) return rc;
        int shut = k->c[C_DEVICE_CLOSED].u8[k->c[C_NODE_DEVICE_FIRST].u32[node] + i] != 0;
        whole += !shut && u.held.device[i].milli == 0;
        closed += (uint32_t)shut;
        tainted += k->c[C_DEVICE_TAINTS].u32[k->c[C_NODE_DEVICE_FIRST].u32[node] + i] != 0;
    }
    if (tainted != k->c[C_NODE_TAINTED].u8[node])
        return check_fail(c, "%s counts %u devices with taints, but has %u", NAME(T_NODE, node),
                          k->c[C_NODE_TAINTED].u8[node], tainted);
    if (closed != k->c[C_NODE_CLOSED].u8[node])
        return check_fail(c, "%s counts %u closed devices, but has %u", NAME(T_NODE, node),
                          k->c[C_NODE_CLOSED].u8[node], closed);
    if (whole != k->c[C_NODE_GPU_WHOLE].u8[node])
        return check_fail(c, "%s counts %u unused devices, but has %u", NAME(T_NODE, node),
                          k->c[C_NODE_GPU_WHOLE].u8[node], whole);
    if (k->c[C_NODE_CAP + LSCHED_GPU].i64[node] != (int64_t)(n - closed) * 1000)
        return check_fail(c, "%s has %lld milli-GPU in %u devices that are not closed",
                          NAME(T_NODE, node), (long long)k->c[C_NODE_CAP + LSCHED_GPU].i64[node],
                          n - closed);
    int32_t rc = verify_device_shared_node(c, node);
    for (uint32_t r = 1; r < verify_kinds(k) && rc == LSCHED_OK; r++)
        rc = verify_daily_demand(c, node, r, &u.day[r]);
    if (rc == LSCHED_OK) rc = check_amounts(c, node, &u);
    return rc == LSCHED_OK ? check_coming(c, node, &u) : rc;
}

/* ---- the node's class and domains follow from the node's own columns ---- */

/* True if the class lists every resource kind of which the node has an amount, with that amount,
 * and no other kind. */
static int class_has_amounts(const struct columns *k, uint32_t node, struct reader *r) {
    for (uint32_t kind = 1; kind < verify_kinds(k); kind++) {
        int64_t cap = k->c[C_NODE_CAP + kind].i64[node];
        if (cap == 0) continue;
        if (text_order(reader_text(r), text_of(k, k->c[C_KIND_NAME].u32[kind])) != 0 ||
            reader_i64(r) != cap)
            return 0;
    }
    return reader_u32(r) == UINT32_MAX;
}

/* Compares the reader's next bytes with the content of an interned row, and moves the reader behind
 * them. Returns 1 if they are equal, else 0. */
static int blob_follows(const struct columns *k, uint32_t table, uint32_t row, struct reader *r) {
    lsched_text want = text_of(k, intern_text(k, table, row));
    if ((uint64_t)(r->end - r->p) < want.len) return 0;
    lsched_text have = {(const char *)r->p, want.len};
    r->p += want.len;
    return text_order(have, want) == 0;
}

/* True if the model, the memory and the sharing mode in the device's class equal those in the
 * device's own columns. */
static int devclass_is_right(const struct columns *k, uint32_t d) {
    struct reader r =
        reader_of(k, intern_text(k, T_DEVCLASS, (uint32_t)k->c[C_DEVICE_CLASS].u16[d]));
    return text_order(reader_text(&r),
                      text_of(k, intern_text(k, T_STRING, k->c[C_DEVICE_MODEL].u32[d]))) == 0 &&
           reader_i64(&r) == k->c[C_DEVICE_MEM].i64[d] &&
           (reader_u32(&r) & 0xFFu) == k->c[C_DEVICE_SHARE].u8[d] && !r.bad;
}

/* True if the class lists the closed devices of the node: a marker, and then a bit for each device,
 * 32 to a word. A node without closed devices has neither. */
static int closed_follow(const struct columns *k, uint32_t node, struct reader *r) {
    uint32_t n = k->c[C_NODE_N_DEVICES].u8[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node],
             word = 0, closed = 0;
    for (uint32_t i = 0; i < n; i++) closed += k->c[C_DEVICE_CLOSED].u8[first + i] != 0;
    if (closed == 0) return 1;
    if (reader_u32(r) != UINT32_MAX) return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i % 32 == 0) word = reader_u32(r);
        if ((word >> i % 32 & 1) != (k->c[C_DEVICE_CLOSED].u8[first + i] != 0)) return 0;
    }
    return 1;
}

/* True if the class lists the taints of the node's devices: a marker, then for each device with
 * taints its index + 1 and the taints, then 0. A node without such devices has none of this. */
static int device_taints_follow(const struct columns *k, uint32_t node, struct reader *r) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], any = 0;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++) {
        uint32_t taints = k->c[C_DEVICE_TAINTS].u32[first + i];
        if (taints == 0) continue;
        if (any++ == 0 && reader_u32(r) != UINT32_MAX - 1) return 0;
        if (reader_u32(r) != i + 1 || !blob_follows(k, T_TAINTS, taints - 1, r)) return 0;
    }
    return any == 0 || reader_u32(r) == 0;
}

static int class_is_right(const struct columns *k, uint32_t node) {
    uint32_t class = k->c[C_NODE_CLASS].u32[node], first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    struct reader r = reader_of(k, intern_text(k, T_CLASS, class));
    if (!class_has_amounts(k, node, &r)) return 0;
    for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
        if (!devclass_is_right(k, first + i) ||
            !blob_follows(k, T_DEVCLASS, k->c[C_DEVICE_CLASS].u16[first + i], &r))
            return 0;
    if (!blob_follows(k, T_LABELS, k->c[C_NODE_LABELS].u32[node], &r)) return 0;
    uint32_t taints = k->c[C_CLASS_TAINTS].u32[class], machine = k->c[C_CLASS_MACHINE].u32[class];
    if (!closed_follow(k, node, &r) || !device_taints_follow(k, node, &r)) return 0;
    if (reader_u32(&r) != k->c[C_CLASS_TASKS_MAX].u32[class]) return 0;
    uint32_t n = reader_u32(&r);
    if ((n == 0) != (taints == NO_ROW) || (n && !blob_follows(k, T_TAINTS, taints, &r))) return 0;
    if (machine != NO_ROW && !blob_follows(k, T_MACHINE, machine, &r)) return 0;
    return !r.bad && r.p == r.end;
}

/* Checks the node's domain of a topology. If the node has a label for each level, it must be in the
 * domains that its label values name. If a label is missing, the node must be in no domain of the
 * topology. */
static int32_t check_domain(struct check *c, uint32_t node, uint32_t t) {
    const struct columns *k = c->k;
    struct reader r = reader_of(k, k->c[C_TOPOLOGY_LEVELS].u32[t]);
    uint32_t n = k->c[C_TOPOLOGY_N_LEVELS].u32[t], d = k->c[C_NODE_DOMAIN0 + t].u32[node], has = 0;
    lsched_text value[LSCHED_TOPOLOGY_LEVELS_MAX];
    for (uint32_t l = 0; l < n; l++)
        has += (uint32_t)verify_label(k, k->c[C_NODE_LABELS].u32[node], reader_text(&r), &value[l]);
    if ((has == n) != (d != NO_ROW))
        return check_fail(c, "%s has %u of the %u labels of %s, but it is %s it",
                          NAME(T_NODE, node), has, n, NAME(T_TOPOLOGY, t),
                          d == NO_ROW ? "not in" : "in");
    if (d == NO_ROW) return LSCHED_OK;
    for (uint32_t l = n; l-- > 0; d = k->c[C_DOMAIN_PARENT].u32[d])
        if (d == NO_ROW || k->c[C_DOMAIN_LEVEL].u32[d] != l ||
            k->c[C_DOMAIN_TOPOLOGY].u32[d] != t ||
            text_order(value[l], text_of(k, k->c[C_DOMAIN_NAME].u32[d])) != 0)
            return check_fail(c, "%s: its labels name a domain of %s that it is not in",
                              NAME(T_NODE, node), NAME(T_TOPOLOGY, t));
    return LSCHED_OK;
}

static int32_t verify_nodes_check_node(struct check *c, uint32_t node) {
    int32_t rc = check_node_amounts(c, node);
    if (rc == LSCHED_OK && !class_is_right(c->k, node))
        rc = check_fail(c, "the node class of %s differs from the node's properties",
                        NAME(T_NODE, node));
    for (uint32_t t = 0; t < table_rows(c->k, T_TOPOLOGY) && rc == LSCHED_OK; t++)
        rc = check_domain(c, node, t);
    return rc;
}

int32_t verify_nodes(struct check *c) {
    return verify_each(c, T_NODE, verify_nodes_check_node);
}
