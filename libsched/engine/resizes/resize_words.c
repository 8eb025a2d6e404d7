/* resize_words.c -- see resize_words.h. */
#include "engine/resizes/resize_words.h"

#include "model/devices/resource_part.h"
#include "model/resizes/resize.h"

int resize_words_any(const struct columns *k, uint32_t task) {
    return task_size_row(k, task) != NO_ROW && k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING;
}

/* Writes the amounts of the kinds that differ between two shapes: those of `shape`. */
static void put_amounts(const struct columns *k, uint32_t shape, uint32_t other,
                        struct text_out *o) {
    int said = 0;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t a = k->c[C_SHAPE_REQ + r].i64[shape];
        if (a == k->c[C_SHAPE_REQ + r].i64[other]) continue;
        text_put(o, said++ ? " and %s" : "%s", shown_amount(k, r, a).text);
    }
}

/* Writes why the wish of the row waits. The free amounts of the node are the present ones. */
static void put_why(const struct columns *k, uint32_t row, struct text_out *o) {
    uint32_t node = k->c[C_TASK_NODE].u32[k->c[C_RESIZE_TASK].u32[row]],
             q = k->c[C_RESIZE_LIMITING].u32[row], code = k->c[C_RESIZE_CODE].u8[row],
             r = k->c[C_RESIZE_RES].u8[row], base = kind_base(k, r);
    struct shown_words need = shown_amount(k, base, k->c[C_RESIZE_NEED].i64[row]),
                       have = shown_amount(k, base, k->c[C_RESIZE_HAVE].i64[row]);
    if (!(meta(k, M_KINDS) >> LSCHED_DECIDE_RESIZE & 1))
        text_put(o, "the orchestrator does not ask for decisions of the kind resize");
    else if (code == LSCHED_WAIT_ROOM)
        text_put(o, "it needs %s more, and node %s had %s free at the latest try", need.text,
                 shown_node(k, node).text, have.text);
    else if (code == LSCHED_WAIT_NEVER_FITS)
        text_put(o, "node %s has less than that even when empty", shown_node(k, node).text);
    else if (code == LSCHED_WAIT_NONE || q == NO_ROW)
        text_put(o, "a later cycle tries it");
    else if (code == LSCHED_WAIT_LIMIT)
        text_put(o, "it needs %s more, and the limit of queue %s leaves %s", need.text,
                 shown_queue(k, q).text, have.text);
    else if (code == LSCHED_WAIT_QUOTA)
        text_put(o,
                 "it needs %s more, and the guarantee of queue %s leaves %s for jobs that cannot "
                 "be stopped",
                 need.text, shown_queue(k, q).text, have.text);
    else
        text_put(o, "it needs %s more, and only %s are not kept for others, such as for queue %s",
                 need.text, have.text, shown_queue(k, q).text);
}

void resize_words_put(const struct columns *k, uint32_t task, struct text_out *o) {
    uint32_t row = task_size_row(k, task), leaf = k->c[C_TASK_LEAF].u32[task],
             base = leaf_shape(k, k->c[C_TASK_JOB].u32[task], k->c[C_LEAF_GROUP].u32[leaf]),
             real = k->c[C_RESIZE_REAL].u32[row], want = k->c[C_RESIZE_WANT].u32[row];
    text_put(o, "task %u has ", k->c[C_TASK_INDEX].u32[task]);
    put_amounts(k, real, task_size_wants(k, row) ? want : base, o);
    if (!task_size_wants(k, row)) {
        text_put(o, " instead of ");
        put_amounts(k, base, real, o);
        return;
    }
    text_put(o, " and is to have ");
    put_amounts(k, want, real, o);
    if (resize_is_open(k, task)) {
        text_put(o, ": the orchestrator was told so");
        return;
    }
    text_put(o, "; it waits: ");
    put_why(k, row, o);
}
