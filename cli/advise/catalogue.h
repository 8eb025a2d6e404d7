/*
 * catalogue.h -- the node types that can be added to a cluster.
 *
 * A catalogue is a scenario with nodes and nothing else. A name with a range is a type, and the
 * range says how many nodes of the type can be had at most: `h100-[0-63]`. A node has its price per
 * hour, and perhaps its power. An absence that begins at 0 is the time until the node has booted
 * (`leaves: 0, back: 10m`); with `leaves_every`, the node is lost and replaced again and again, as
 * spot nodes are. Catalogues need no reader of their own this way, and a type can have all that a
 * node can have.
 *
 * Types are in the order of their names, and the nodes of a type too. catalogue_add() gives all
 * nodes to a cluster; a trial then removes those that it does not want.
 */
#ifndef LSCHED_CLI_CATALOGUE_H
#define LSCHED_CLI_CATALOGUE_H

#include "cli/plan/scenario_session.h"

enum { CATALOGUE_NODES_MAX = 4096, CATALOGUE_TYPES_MAX = 64 };

struct node_offer {
    lsched_text name;                /* of the description */
    lsched_description *description; /* owned */
    lsched_id id;                    /* in the cluster that catalogue_add() filled */
    int64_t price_micro, power_milliwatt;
    size_t type;
};

struct node_type {
    lsched_text name; /* the name of its nodes without the counter */
    size_t first, n;  /* its nodes */
    int64_t boot_us;  /* 0: at once */
    int64_t life_us;  /* expected time until a node is lost; 0: it stays */
};

struct catalogue {
    struct session session;
    struct node_offer *offers; /* owned */
    size_t n;
    struct node_type types[CATALOGUE_TYPES_MAX];
    size_t n_types;
};

/* The name of a node without its counter, and without the separator before it. */
lsched_text catalogue_group(lsched_text node);
/* Reads a catalogue. Returns an exit code; an error has been reported. The caller calls
 * catalogue_close() in any case. */
int catalogue_open(const char *path, struct catalogue *out);
/* The same for a file that the caller has read, and keeps until catalogue_close(). */
int catalogue_open_text(const struct input_file *file, struct catalogue *out);
void catalogue_close(struct catalogue *catalogue);
/* Adds all nodes to a cluster, with times after now_us, and notes their ids. Returns an exit
 * code. */
int catalogue_add(struct catalogue *catalogue, lsched_cluster *cluster, int64_t now_us);
/* Adds one node as the catalogue describes it, with its absence. Returns LSCHED_OK or an error. */
int32_t catalogue_add_one(const struct catalogue *catalogue, size_t offer, lsched_cluster *cluster,
                          int64_t now_us, lsched_error *err);
/* Leaves out the nodes that the cluster has, by their names: they were added before. Returns an
 * exit code. */
int catalogue_leave_out(struct catalogue *catalogue, const lsched_cluster *cluster);

#endif
