/* catalogue.c -- see catalogue.h. */
#include "cli/advise/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "cli/advise/money.h"
#include "cli/support/name_list.h"

static int catalogue_error(const struct catalogue *catalogue, const char *expected,
                           const struct node_offer *offer) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (offer == NULL)
        error_at(&err, LSCHED_E_RANGE, 0, 0, "%s", expected);
    else
        error_at(&err, LSCHED_E_RANGE, 0, 0, "node '%.*s': %s", (int)offer->name.len,
                 offer->name.ptr, expected);
    return library_error(catalogue->session.file.name, &err);
}

static int catalogue_compare(const void *a, const void *b) {
    const struct node_offer *x = a, *y = b;
    return name_compare(&x->name, &y->name);
}

static int read_offers(struct catalogue *catalogue) {
    uint64_t cursor = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_cluster *cluster = catalogue->session.cluster;
    catalogue->offers = must_alloc_zero(CATALOGUE_NODES_MAX * sizeof catalogue->offers[0]);
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0;) {
        if (catalogue->n == CATALOGUE_NODES_MAX)
            return catalogue_error(catalogue, "expected at most 4096 nodes", NULL);
        struct node_offer *offer = &catalogue->offers[catalogue->n];
        if (lsched_describe(cluster, id, &offer->description, &err) < 0)
            return library_error(catalogue->session.file.name, &err);
        const lsched_node_desc *desc = lsched_description_node(offer->description);
        catalogue->n++;
        offer->name = desc->name;
        offer->price_micro = desc->price_micro_per_hour;
        offer->power_milliwatt = desc->power_milliwatt;
    }
    qsort(catalogue->offers, catalogue->n, sizeof catalogue->offers[0], catalogue_compare);
    return EXIT_OK;
}

static int check_offer(const struct catalogue *catalogue, const struct node_offer *offer) {
    const lsched_node_desc *desc = lsched_description_node(offer->description);
    if (desc->state != LSCHED_NODE_READY)
        return catalogue_error(catalogue, "expected a node that is not cordoned", offer);
    if (offer->price_micro <= 0 || offer->price_micro > MONEY_PER_HOUR_MAX)
        return catalogue_error(catalogue,
                               "expected `price`, more than 0 and at most 1000000 per hour", offer);
    if (offer->power_milliwatt > MONEY_MILLIWATT_MAX)
        return catalogue_error(catalogue, "expected `power` of at most 1 MW", offer);
    if (desc->leaves_us > 0 && desc->back_us > 0)
        return catalogue_error(
            catalogue, "expected `leaves: 0`, because the time until `back` is the boot", offer);
    return EXIT_OK;
}

static bool is_name_separator(char c) {
    return c == '-' || c == '_' || c == '.';
}

lsched_text catalogue_group(lsched_text node) {
    size_t len = name_prefix(&node);
    while (len > 1 && len < node.len && is_name_separator(node.ptr[len - 1])) len--;
    return (lsched_text){node.ptr, len};
}

/* The counter of a name is no part of the type, unless the type has a single node. */
static lsched_text type_name(const struct node_offer *offer) {
    return catalogue_group(offer->name);
}

static int begin_type(struct catalogue *catalogue, size_t first, lsched_text name) {
    const lsched_node_desc *desc = lsched_description_node(catalogue->offers[first].description);
    if (catalogue->n_types == CATALOGUE_TYPES_MAX)
        return catalogue_error(catalogue, "expected at most 64 types of nodes", NULL);
    struct node_type *type = &catalogue->types[catalogue->n_types++];
    *type = (struct node_type){.name = name, .first = first};
    if (desc->back_us > 0) type->boot_us = desc->back_us;
    if (desc->leaves_every_us > 0) type->life_us = desc->leaves_every_us - desc->back_us;
    return EXIT_OK;
}

/* True if the offer is of the same type as the offer before it. */
static bool same_type(const struct node_offer *offer) {
    const struct node_offer *before = offer - 1;
    const lsched_node_desc *a = lsched_description_node(before->description);
    const lsched_node_desc *b = lsched_description_node(offer->description);
    lsched_text x = type_name(before), y = type_name(offer);
    return x.len == y.len && memcmp(x.ptr, y.ptr, x.len) == 0 &&
           before->price_micro == offer->price_micro &&
           before->power_milliwatt == offer->power_milliwatt && a->back_us == b->back_us &&
           a->leaves_us == b->leaves_us && a->leaves_every_us == b->leaves_every_us;
}

static int find_types(struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->n; i++) {
        struct node_offer *offer = &catalogue->offers[i];
        int rc = check_offer(catalogue, offer);
        if (rc == EXIT_OK && (i == 0 || !same_type(offer)))
            rc = begin_type(catalogue, i, offer->name);
        if (rc != EXIT_OK) return rc;
        offer->type = catalogue->n_types - 1;
        struct node_type *type = &catalogue->types[offer->type];
        if (++type->n == 2) type->name = type_name(offer);
    }
    return EXIT_OK;
}

static int read_catalogue(struct catalogue *out) {
    lsched_schedule_opts schedule;
    const lsched_scenario_info *info = &out->session.info;
    if (info->nodes == 0) return catalogue_error(out, "expected nodes under `nodes:`", NULL);
    if (info->queues + info->jobs + info->expectations > 0 || info->steps > 1 ||
        info->start_us != 0)
        return catalogue_error(
            out, "expected nodes alone: no start, queues, jobs, events or expectations", NULL);
    int rc = session_apply(&out->session, &schedule);
    if (rc == EXIT_OK) rc = read_offers(out);
    return rc == EXIT_OK ? find_types(out) : rc;
}

int catalogue_open(const char *path, struct catalogue *out) {
    memset(out, 0, sizeof *out);
    int rc = session_open("advise", path, NULL, &out->session);
    return rc == EXIT_OK ? read_catalogue(out) : rc;
}

int catalogue_open_text(const struct input_file *file, struct catalogue *out) {
    memset(out, 0, sizeof *out);
    int rc = session_open_text(file, NULL, &out->session);
    return rc == EXIT_OK ? read_catalogue(out) : rc;
}

void catalogue_close(struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->n; i++)
        lsched_description_destroy(catalogue->offers[i].description);
    free(catalogue->offers);
    session_close(&catalogue->session);
}

/* ---- adding ---- */

/* Adds a node. `ready`: it is cordoned while it boots, and the caller makes it ready, because each
 * job is tried for itself while a node has an absence. */
static int32_t add_offer(const struct catalogue *catalogue, const struct node_offer *offer,
                         bool ready, lsched_cluster *cluster, int64_t now_us, lsched_id *id,
                         lsched_error *err) {
    lsched_node_desc desc = *lsched_description_node(offer->description);
    lsched_amount amounts[LSCHED_RESOURCE_KINDS_MAX];
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < desc.n_capacity && rc >= 0; i++) {
        const char *kind = lsched_resource_name(catalogue->session.cluster, desc.capacity[i].kind);
        amounts[i] = desc.capacity[i];
        rc = lsched_resource_add(cluster, lsched_cstr(kind), err);
        if (rc >= 0) amounts[i].kind = (uint32_t)rc;
    }
    desc.capacity = amounts;
    if (ready && desc.back_us > 0 && desc.leaves_every_us == 0) {
        desc.state = LSCHED_NODE_CORDONED;
        desc.back_us = 0;
    } else if (desc.leaves_us > 0 || desc.back_us > 0) {
        desc.leaves_us += now_us;
        if (desc.back_us > 0) desc.back_us += now_us;
    }
    if (rc >= 0) rc = lsched_nodes_add(cluster, &desc, 1, sizeof desc, NULL, id, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

int catalogue_add(struct catalogue *catalogue, lsched_cluster *cluster, int64_t now_us) {
    for (size_t i = 0; i < catalogue->n; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        struct node_offer *offer = &catalogue->offers[i];
        if (add_offer(catalogue, offer, true, cluster, now_us, &offer->id, &err) < 0)
            return library_error(catalogue->session.file.name, &err);
    }
    return EXIT_OK;
}

int32_t catalogue_add_one(const struct catalogue *catalogue, size_t offer, lsched_cluster *cluster,
                          int64_t now_us, lsched_error *err) {
    lsched_id id = 0;
    return add_offer(catalogue, &catalogue->offers[offer], false, cluster, now_us, &id, err);
}

int catalogue_leave_out(struct catalogue *catalogue, const lsched_cluster *cluster) {
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->n; i++) {
        if (lsched_find(cluster, LSCHED_KIND_NODE, catalogue->offers[i].name) == 0)
            catalogue->offers[kept++] = catalogue->offers[i];
        else
            lsched_description_destroy(catalogue->offers[i].description);
    }
    if (kept == catalogue->n) return EXIT_OK;
    catalogue->n = kept;
    catalogue->n_types = 0;
    return find_types(catalogue);
}
