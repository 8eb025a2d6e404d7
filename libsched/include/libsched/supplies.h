/*
 * supplies.h -- supplies: things of which the whole cluster, or a domain of a topology, has an
 * amount that its tasks share. Licences, watts of a rack and of a row, channels and shares of a
 * network are supplies.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches,
 * errors and threads.
 *
 * A task says in its group what it needs (lsched_group_desc.supplies). It counts at every place of
 * the supply above its node: the whole cluster, and each domain for which an amount was set. No
 * task is placed where one of these places has less left than the task needs. What a node itself
 * has is a resource kind and no supply.
 *
 * Sources of the rules: licences and hierarchical resources of Slurm (docs/semantics.md, 29).
 */
#ifndef LIBSCHED_SUPPLIES_H
#define LIBSCHED_SUPPLIES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_SUPPLIES_MAX          1024 /* supplies of one cluster */
#define LSCHED_SUPPLIES_PER_TASK_MAX 8
#define LSCHED_SUPPLY_NEED_MAX       1099511627776 /* 2^40: most that one task can need */

/* What each task of a group needs of one supply, which must exist. */
typedef struct lsched_supply_need {
    uint32_t size;
    uint32_t reserved_zero;
    lsched_text supply;
    int64_t amount; /* 1 to LSCHED_SUPPLY_NEED_MAX, in the units of the supply */
} lsched_supply_need;

/* A supply. It is never removed; with the amount 0, no task that needs it starts. */
typedef struct lsched_supply_desc {
    uint32_t size;
    uint32_t reserved_zero;
    uint64_t tag;
    lsched_text name;
    int64_t
        amount; /* of the whole cluster: 0 to 2^62; LSCHED_UNLIMITED: only domains have limits */
} lsched_supply_desc;
/* Adds supplies. Returns the number of supplies that were added. Errors of an element:
 * LSCHED_E_EXISTS, LSCHED_E_INVAL (no name), LSCHED_E_RANGE (the amount), LSCHED_E_LIMIT. Not
 * thread-safe: one call at a time for each cluster. Cost: O(supplies) for each element. */
LSCHED_API int32_t lsched_supplies_add(lsched_cluster *cluster, const lsched_supply_desc *supplies,
                                       size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                       int32_t *status, lsched_error *err);

/* What one place has of a supply. `labels` name the place: no label, the whole cluster; else a
 * domain, by the keys and values of all levels of the topology down to that domain, in any order. */
typedef struct lsched_supply_update {
    uint32_t size;
    uint32_t set; /* LSCHED_SUPPLY_SET_* */
    lsched_text supply;
    lsched_text topology; /* empty: the only one */
    const lsched_label *labels;
    uint32_t n_labels;
    uint32_t reserved_zero;
    int64_t amount;  /* 0 to 2^62, or LSCHED_UNLIMITED: the place sets no limit */
    int64_t foreign; /* part of the amount that others use, outside of this cluster: 0 to 2^61 */
} lsched_supply_update;
enum lsched_supply_set { LSCHED_SUPPLY_SET_AMOUNT = 1, LSCHED_SUPPLY_SET_FOREIGN = 2 };
/* Sets amounts of supplies. The first element for a domain makes the domain a place of the supply;
 * what the element does not set is LSCHED_UNLIMITED and 0 then. An amount below what tasks hold
 * stops nothing: no task that needs the supply is placed there until enough is left. A place keeps
 * its amounts when its last node leaves, for a domain of the same name. Returns the number of
 * elements that were applied. IDEMPOTENT: values that are set already are LSCHED_UNCHANGED. Errors
 * of an element: LSCHED_E_NOENT (no such supply, or no node in such a domain), LSCHED_E_KEY (the
 * labels are not the first levels of the topology), LSCHED_E_RANGE, LSCHED_E_INVAL (nothing to
 * set). Not thread-safe: one call at a time for each cluster. Cost: O(supplies + levels), and for
 * the first amount of a domain O(nodes and tasks in the domain). */
LSCHED_API int32_t lsched_supplies_update(lsched_cluster *cluster,
                                          const lsched_supply_update *updates, size_t n,
                                          size_t elem_size, const lsched_batch_opts *opts,
                                          int32_t *status, lsched_error *err);

/* A place of a supply. Texts are valid until the next call that changes the cluster. */
typedef struct lsched_supply_info {
    uint32_t size;
    uint32_t levels; /* 0: the whole cluster; else the number of levels that name the domain */
    lsched_text supply;
    lsched_text topology; /* empty: the whole cluster */
    lsched_text domain;   /* value of the last of these levels; empty: the whole cluster */
    uint64_t tag;         /* of the supply */
    int64_t amount;       /* in the units of the supply, as all below; LSCHED_UNLIMITED: no limit */
    int64_t foreign;      /* in these units: what others use of the amount */
    int64_t used;         /* in these units: what tasks hold, and those that were told to stop */
    int64_t coming;       /* in these units: what such tasks give back, less what is nominated */
    /* in these units: what a task that starts now can have; below 0: more is used than there is;
     * LSCHED_UNLIMITED: the place sets no limit */
    int64_t left;
} lsched_supply_info;
/* Writes the next place of a supply to *out, in no particular order, and returns 1; 0 at the end.
 * Before the first call, set *cursor to 0. Errors: those of every call. */
LSCHED_API int32_t lsched_supplies_next(const lsched_cluster *cluster, uint64_t *cursor,
                                        lsched_supply_info *out, lsched_error *err);
/* Writes one place of a supply to *out; the arguments are those of lsched_supply_update.
 * LSCHED_E_NOENT: the domain is no place of the supply. Else the errors of lsched_supplies_update. */
LSCHED_API int32_t lsched_supply_get(const lsched_cluster *cluster, lsched_text supply,
                                     lsched_text topology, const lsched_label *labels,
                                     size_t n_labels, lsched_supply_info *out, lsched_error *err);

/* clang-format off */
#define LSCHED_SUPPLY_NEED_INIT LSCHED_INIT(lsched_supply_need)
#define LSCHED_SUPPLY_DESC_INIT LSCHED_INIT(lsched_supply_desc)
#define LSCHED_SUPPLY_UPDATE_INIT LSCHED_INIT(lsched_supply_update)
#define LSCHED_SUPPLY_INFO_INIT LSCHED_INIT(lsched_supply_info)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
