/*
 * check.c -- see check.h: runs the checks in order, and reports an error of the undo check.
 */
#include "model/check/check.h"

#include "model/check/check_tables.h"
#include "model/check/check_links.h"
#include "model/check/check_blocks.h"
#include "model/check/check_indexes.h"
#include "model/check/check_shapes.h"
#include "model/check/check_devclasses.h"
#include "model/check/check_days.h"
#include "model/check/check_holders.h"
#include "model/check/check_lists.h"
#include "model/check/check_heaps.h"
#include "model/check/check_refusals.h"
#include "model/check/check_releasing.h"
#include "model/check/check_supplies.h"
#include "model/check/check_gates.h"
#include "model/check/check_allowances.h"
#include "model/check/check_crowd.h"
#include "model/check/check_warnings.h"
#include "model/store/undo_check.h"

/* If the undo check is on (undo_check.h), checks that no word was changed without a record in the
 * undo log. */
static int32_t check_undo(struct check *c) {
    uint32_t column, row;
    if (!undo_check_found(c->k, &column, &row)) return LSCHED_OK;
    return check_fail(c, "row %u of %s was changed without an entry in the undo log", row,
                      column_def_name(&column_defs[column]));
}

int32_t columns_check(struct check *c) {
    /* The checks in their order: each check relies on the checks before it. */
    static int32_t (*const parts[])(struct check *) = {
        check_undo,       check_tables,     check_links,     check_blocks,   check_indexes,
        check_shapes,     check_devclasses, check_days,      check_holders,  check_lists,
        check_heaps,      check_refusals,   check_releasing, check_supplies, check_gates,
        check_allowances, check_crowd,      check_warnings};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int32_t rc = parts[i](c);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
