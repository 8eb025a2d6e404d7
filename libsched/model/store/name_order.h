/*
 * name_order.h -- the live rows of a table in the order of their names, kept while rows come and
 * go.
 *
 * Each row has a mark, a 64-bit number. Of two rows, the row whose name sorts first has the smaller
 * mark. Therefore code that breaks ties by name compares two numbers and reads no names. A new row
 * gets a mark between the marks of its neighbours; the marks of other rows stay. If no number is
 * left between two neighbours, all rows get new marks, evenly spaced. New marks do not change the
 * order, so that a structure that has compared marks stays valid.
 *
 * To find the neighbours of a new name, the rows are stored in runs. A run is a sorted list of at
 * most NAME_ORDER_RUN rows, and the runs are sorted, too.
 *
 * Always holds: each row in the runs is live in the table and has the generation gen[row]. The
 * caller takes out all rows that ended before it puts in any row, because a name can be compared
 * only while its row is live.
 *
 * Cost: a row that comes or goes costs O(log n) comparisons of names or marks, and moves at most
 * NAME_ORDER_RUN row numbers and, when a run becomes full or empty, the list of runs. New marks for
 * all rows cost O(n). They are needed after many insertions at one place: after more than 200 if
 * the names ascend, and with 100,000 rows after at least 10. name_order_list() costs O(n).
 *
 * Why not dense ranks: one new row changes the ranks of all rows after it, and everything that was
 * compared or stored by rank.
 */
#ifndef LIBSCHED_NAME_ORDER_H
#define LIBSCHED_NAME_ORDER_H

#include "model/store/columns.h"

#define NAME_ORDER_RUN 256u

/* The table whose rows are in order, and its columns for names and generations. */
struct name_order_of {
    uint16_t table, name, gen;
};

struct name_run {
    uint32_t slot; /* the rows of the run are row[slot * NAME_ORDER_RUN], and those after it */
    uint32_t n;    /* number of rows, at least 1 */
};

struct name_order {
    struct name_order_of of;
    uint64_t *mark; /* by row of the table */
    /* by row of the table: generation of the row when it was put in; 0 if it is not in the runs */
    uint32_t *gen;
    uint32_t cap_mark, cap_gen;
    struct name_run *run;
    uint32_t n_runs, cap_runs;
    uint32_t *row; /* rows of the runs, by slot; the first word of a free slot is the next one */
    uint32_t cap_row, n_slots, free_slot;
    uint32_t n;       /* number of rows in the runs */
    uint64_t changes; /* number of rows that were put in or taken out so far */
};

void name_order_open(struct name_order *o, struct name_order_of of);
void name_order_close(struct name_order *o, struct columns *k);
/* Makes room for the marks of all rows of the table. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t name_order_reserve(struct name_order *o, struct columns *k);
/* Brings all rows up to date: sorts the rows that are new and merges them with the other rows.
 * Costs O(rows + new rows x log(new rows)). If memory runs out, the order is empty afterwards.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t name_order_renew(struct name_order *o, struct columns *k);
/* True if the row was put in and still has the same name, or was not put in and is not live. */
int name_order_is_current(const struct name_order *o, const struct columns *k, uint32_t row);
/* Takes out a row that was put in. */
void name_order_take_out(struct name_order *o, struct columns *k, uint32_t row);
/* Puts in a live row that is not in the runs. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t name_order_put_in(struct name_order *o, struct columns *k, uint32_t row);
/* Writes the rows to list[] in the order of names; the list has room for o->n rows. */
void name_order_list(const struct name_order *o, uint32_t *list);

#endif
