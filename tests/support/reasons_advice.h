/*
 * reasons_advice.h -- what a reason advises, done: the resource that it names is added, the limit raised, the time waited for.
 *
 * The advice is read off the record and the text alone, as a person would; what the maker of the world knows is used only to write the
 * change down. Where neither names a number, a name or a time there is no advice, and the reason is of no help.
 */
#ifndef TESTS_REASONS_ADVICE_H
#define TESTS_REASONS_ADVICE_H

#include "support/reasons_world.h"

struct reasons_advice {
    struct rw world;     /* played again: the change is one of the job or of running work itself */
    char event[5000];    /* after the world's own events */
    char less[5000];     /* the same with one unit less, "" where no number is exact */
    int is_about_others; /* it mends what keeps others from being stopped */
};

/* Rows of the table: codes of waits, then codes of evictions. */
enum {
    REASONS_CODES = LSCHED_WAIT_GAIN + 1,
    REASONS_ROWS = REASONS_CODES + LSCHED_NO_VICTIM_NOT_ASKED + 1
};
const char *reasons_row_name(uint32_t row);

/* 1, or 0 if nothing is named. The reason itself, and (about_others) why others were not stopped. */
int reasons_advise(const struct rw *w, lsched_cluster *c, const lsched_waiting *r, const char *text,
                   int about_others, struct reasons_advice *a);

#endif
