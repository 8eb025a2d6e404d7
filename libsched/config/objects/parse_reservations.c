/*
 * parse_reservations.c -- see parse_reservations.h. A scenario writes:
 *
 *   reservations:
 *     night: {nodes: [n0, n1], queue: research, start: 18h, end: 20h, every: 24h}
 *     rack:  {labels: {rack: r1}, queue: research, user: alice, start: 1h, end: 2h}
 */
#include "config/objects/parse_reservations.h"

#include <libsched/reservations.h>

#include <string.h>

#include "config/read/quantity_reader.h"

static int32_t reservation_nodes(struct field_reader *r, uint32_t value, void *out) {
    lsched_reservation_desc *d = out;
    struct scn_list names = {NULL, 0, 0};
    int32_t code = read_names(r, value, &names);
    d->node_names = names.items;
    d->n_node_names = names.n;
    return code;
}

static int32_t reservation_labels(struct field_reader *r, uint32_t value, void *out) {
    lsched_reservation_desc *d = out;
    struct scn_list labels = {NULL, 0, 0};
    int32_t code = read_map(r, value, "labels", NULL, 0, &labels, read_label);
    d->labels = labels.items;
    d->n_labels = labels.n;
    return code;
}

static int32_t reservation_entry(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD_KEY("nodes", reservation_nodes),
        FIELD_KEY("labels", reservation_labels),
        FIELD(lsched_reservation_desc, "queue", read_text, queue_name),
        FIELD(lsched_reservation_desc, "user", read_text, user),
        FIELD(lsched_reservation_desc, "user_group", read_text, user_group),
        FIELD(lsched_reservation_desc, "start", read_time, start_us),
        FIELD(lsched_reservation_desc, "end", read_time, end_us),
        FIELD(lsched_reservation_desc, "every", read_duration, every_us),
        FIELD(lsched_reservation_desc, "tag", read_u64, tag),
    };
    struct action *action = out;
    lsched_reservation_desc *d = read_add(r, &action->items, &action->marks, sizeof *d, key);
    if (!d) return LSCHED_E_NOMEM;
    *d = (lsched_reservation_desc)LSCHED_RESERVATION_DESC_INIT;
    d->start_us = INT64_MIN; /* not given */
    int32_t code = read_single_name(r, key, &d->name);
    if (!code) code = READ_MAP(r, value, "a reservation", fields, d, NULL);
    if (!code && d->start_us == INT64_MIN)
        code = complain_at(&r->complain, LSCHED_E_KEY, read_mark(r, value),
                           "a reservation needs a start, such as start: 18h");
    return code ? code : 1;
}

int32_t read_reservations(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_RESERVATIONS, "reservations", reservation_entry);
}
