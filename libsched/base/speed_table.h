/*
 * speed_table.h -- a table of speeds: how fast a kind of work runs on a model of device.
 *
 * The table is plain data without pointers, because a policy has one. A speed is in thousandths;
 * the numbers of one kind are compared with each other and with no other kind's, so each kind can
 * have a unit of its own. What is not said is 1.0.
 *
 * A kind can also have a row of points: how fast a whole job of it runs on a number of devices. It
 * has a unit of its own, too.
 *
 * Invariants of a table with kinds: the names of kinds are sorted and different, those of models
 * different, none is empty, and the bytes behind a name are 0; every speed of a kind on a model is
 * from 1 to SPEED_MILLI_MAX. The points of a row are sorted by different numbers of devices, each
 * from 1 to SPEED_DEVICES_MAX, and have speeds from 1 to SPEED_POINT_MILLI_MAX.
 */
#ifndef LIBSCHED_SPEED_TABLE_H
#define LIBSCHED_SPEED_TABLE_H

#include <libsched/libsched.h>

enum {
    SPEED_KINDS_MAX = 32,
    SPEED_MODELS_MAX = 32,
    SPEED_NAME_BYTES = 32, /* bytes of the name of a kind, including the NUL */
    /* of a model; a node can have no longer one */
    SPEED_MODEL_BYTES = LSCHED_NAME_BYTES_MAX + 1,
    SPEED_MILLI_NONE = 1000,
    SPEED_MILLI_MAX = 1000000,
    SPEED_POINTS_MAX = 16,
    SPEED_DEVICES_MAX = 4096,
    SPEED_POINT_MILLI_MAX = 1000000000
};

struct speed_point {
    uint32_t devices, milli;
};

struct speed_table {
    uint32_t n;        /* number of kinds; 0: there is no table */
    uint32_t n_models; /* number of models */
    uint32_t others;   /* 1 + the kind of tasks that name no kind of the table; 0: no kind */
    uint32_t by_price; /* 1: speed for the price of a device counts; 0: speed alone */
    uint32_t milli[SPEED_KINDS_MAX][SPEED_MODELS_MAX];
    char name[SPEED_KINDS_MAX][SPEED_NAME_BYTES];
    char model[SPEED_MODELS_MAX][SPEED_MODEL_BYTES];
    uint32_t n_points[SPEED_KINDS_MAX]; /* of a kind; 0: it has no row of points */
    struct speed_point point[SPEED_KINDS_MAX][SPEED_POINTS_MAX];
};

#endif
