/*
 * contention_table.h -- a table of slow-downs: how much slower a kind of work runs while another
 * kind holds a share of the same device.
 *
 * The table is plain data without pointers, because a policy has one, and the columns keep a copy
 * (model/shapes/work_kind.h). A slow-down is in thousandths: 1000 means that the other kind does no
 * harm, 1250 that the work takes a quarter longer. milli[a][b] is what `a` suffers beside `b`, and
 * can differ from milli[b][a].
 *
 * `most` bars pairs, and `avoid` says from where on placement prefers another place
 * (model/devices/contention.h).
 *
 * Invariants of a table with kinds: names are not empty, sorted and different, and the bytes behind
 * a name are 0; every slow-down is from 1000 to CONTENTION_MILLI_MAX. What does not exist is 0, so
 * that equal tables have equal bytes.
 */
#ifndef LIBSCHED_CONTENTION_TABLE_H
#define LIBSCHED_CONTENTION_TABLE_H

#include <stdint.h>

enum {
    CONTENTION_KINDS_MAX = 32,
    CONTENTION_NAME_BYTES = 32, /* bytes of a name, including the NUL */
    CONTENTION_MILLI_NONE = 1000,
    CONTENTION_MILLI_MAX = 60000
};

struct contention_table {
    uint32_t n;      /* number of kinds; 0: there is no table */
    uint32_t most;   /* slow-down that no task may exceed, in thousandths; 0: no bound */
    uint32_t others; /* 1 + the kind of tasks that name no kind of the table; 0: no kind */
    uint32_t avoid;  /* slow-down above which placement avoids a pair, in thousandths; 0: never */
    uint32_t alone;  /* 1: the estimates of jobs are for devices without neighbours */
    uint16_t milli[CONTENTION_KINDS_MAX][CONTENTION_KINDS_MAX];
    /* barred[a] has bit b if a task of kind `a` and one of kind `b` may not share a device: the
     * slow-down of one of them beside the other is above `most` */
    uint32_t barred[CONTENTION_KINDS_MAX];
    char name[CONTENTION_KINDS_MAX][CONTENTION_NAME_BYTES];
};

/* Computes `barred` from the slow-downs and `most`. */
static inline void contention_table_bar(struct contention_table *t) {
    for (uint32_t a = 0; a < t->n; a++) {
        t->barred[a] = 0;
        for (uint32_t b = 0; t->most && b < t->n; b++)
            if (t->milli[a][b] > t->most || t->milli[b][a] > t->most) t->barred[a] |= 1u << b;
    }
}

#endif
