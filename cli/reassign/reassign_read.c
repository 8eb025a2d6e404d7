/*
 * reassign_read.c -- see reassign_read.h.
 *
 * A model of 5,000 machines has 25,000,000 move costs. Therefore numbers are read from the text
 * directly, and not as fields of rows.
 */
#include "cli/reassign/reassign_read.h"

#include <inttypes.h>
#include <string.h>

#include "cli/input/row_scan.h"
#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

struct number_scan {
    const char *at, *end, *line_from;
    uint32_t line;
    struct csv_field field; /* the last number, for messages */
    lsched_error *err;
};

static void scan_begin(struct number_scan *s, const char *text, size_t len, lsched_error *err) {
    *s = (struct number_scan){.at = text + utf8_mark(text, len), .end = text + len, .err = err};
    s->line_from = text;
    s->line = 1;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_spaces(struct number_scan *s) {
    for (; s->at < s->end && is_space(*s->at); s->at++) {
        if (*s->at != '\n') continue;
        s->line++;
        s->line_from = s->at + 1;
    }
}

/* Reads the next number, which must be from `least` to `most`. */
static int32_t scan_number(struct number_scan *s, const char *what, int64_t least, int64_t most,
                           int64_t *out) {
    uint64_t value = 0;
    bool digits = true, huge = false;
    skip_spaces(s);
    const char *from = s->at;
    for (; s->at < s->end && !is_space(*s->at); s->at++) {
        uint64_t digit = (uint64_t)(unsigned char)*s->at - '0';
        digits &= digit <= 9;
        huge |= value > ((uint64_t)INT64_MAX - 9) / 10;
        if (digits && !huge) value = 10 * value + digit;
    }
    uint32_t column = (uint32_t)(from - s->line_from) + 1;
    if (s->at == from)
        return error_at(s->err, LSCHED_E_SYNTAX, s->line, column,
                        "expected the %s, got the end of the file: the file is cut off, or a count "
                        "in it is wrong",
                        what);
    s->field = (struct csv_field){from, (size_t)(s->at - from), column};
    *out = (int64_t)value;
    if (digits && !huge && *out >= least && *out <= most) return 0;
    return scan_field_error(s->err, digits ? LSCHED_E_RANGE : LSCHED_E_SYNTAX, s->line, &s->field,
                            "%s: expected a whole number from %" PRId64 " to %" PRId64, what, least,
                            most);
}

/* Returns an error if the rest of the file is too short for this many numbers. */
static int32_t scan_expect(const struct number_scan *s, uint64_t n, const char *what) {
    uint64_t left = (uint64_t)(s->end - s->at) / 2;
    if (left >= n) return 0;
    return error_at(s->err, LSCHED_E_SYNTAX, s->line, (uint32_t)(s->at - s->line_from) + 1,
                    "expected %" PRIu64 " more numbers for the %s, got space for at most %" PRIu64
                    ": the file is cut off, or a count in it is wrong",
                    n, what, left);
}

static int32_t scan_end(struct number_scan *s, const char *after) {
    skip_spaces(s);
    const char *from = s->at;
    if (from == s->end) return 0;
    while (s->at < s->end && !is_space(*s->at)) s->at++;
    struct csv_field field = {from, (size_t)(s->at - from), (uint32_t)(from - s->line_from) + 1};
    return scan_field_error(s->err, LSCHED_E_SYNTAX, s->line, &field,
                            "expected the end of the file after the %s", after);
}

static int32_t scan_count(struct number_scan *s, const char *what, int64_t least, int64_t most,
                          uint32_t *out) {
    int64_t value = 0;
    int32_t rc = scan_number(s, what, least, most, &value);
    if (rc == 0) *out = (uint32_t)value;
    return rc;
}

/* ---- resources and machines ---- */

static int32_t read_resources(struct number_scan *s, struct reassign *p) {
    int32_t rc = scan_count(s, "number of resources", 1, REASSIGN_RESOURCES_MAX, &p->n_resources);
    if (rc < 0) return rc;
    p->transient = must_alloc_zero(p->n_resources * sizeof p->transient[0]);
    p->load_weight = must_alloc_zero(p->n_resources * sizeof p->load_weight[0]);
    for (uint32_t r = 0; rc == 0 && r < p->n_resources; r++) {
        uint32_t flag = 0;
        rc = scan_count(s, "flag of a transient resource", 0, 1, &flag);
        p->transient[r] = flag == 1;
        if (rc == 0)
            rc = scan_number(s, "weight of the load cost", 0, REASSIGN_AMOUNT_MAX,
                             &p->load_weight[r]);
    }
    return rc;
}

static void set_travel(struct reassign *p, size_t i, uint32_t value) {
    if (p->travel_bytes == 1)
        ((uint8_t *)p->travel)[i] = (uint8_t)value;
    else if (p->travel_bytes == 2)
        ((uint16_t *)p->travel)[i] = (uint16_t)value;
    else
        ((uint32_t *)p->travel)[i] = value;
}

/* Gives each cell the bytes that the value needs. The cells before `i` keep their values; they are
 * moved from the last to the first, so that none is overwritten before it is read. */
static void widen_travel(struct reassign *p, size_t i, uint32_t value) {
    uint32_t bytes = value > UINT16_MAX ? 4 : 2;
    size_t all = (size_t)p->n_machines * p->n_machines;
    p->travel = must_resize(p->travel, all * bytes);
    for (size_t k = i; k-- > 0;) {
        uint32_t old =
            p->travel_bytes == 1 ? ((uint8_t *)p->travel)[k] : ((uint16_t *)p->travel)[k];
        if (bytes == 2)
            ((uint16_t *)p->travel)[k] = (uint16_t)old;
        else
            ((uint32_t *)p->travel)[k] = old;
    }
    p->travel_bytes = bytes;
}

static int32_t read_travel(struct number_scan *s, struct reassign *p, uint32_t m) {
    int32_t rc = 0;
    for (uint32_t to = 0; rc == 0 && to < p->n_machines; to++) {
        uint32_t value = 0;
        size_t i = (size_t)m * p->n_machines + to;
        rc = scan_count(s, "cost of a move between machines", 0, REASSIGN_AMOUNT_MAX, &value);
        if (value > UINT16_MAX ? p->travel_bytes < 4 : value > UINT8_MAX && p->travel_bytes < 2)
            widen_travel(p, i, value);
        if (value > p->travel_most) p->travel_most = value;
        set_travel(p, i, value);
    }
    return rc;
}

static int32_t read_machine(struct number_scan *s, struct reassign *p, uint32_t m) {
    int64_t most = REASSIGN_AMOUNT_MAX;
    int32_t rc = scan_count(s, "neighbourhood of a machine", 0, most, &p->neighbourhood[m]);
    if (rc == 0) rc = scan_count(s, "location of a machine", 0, most, &p->location[m]);
    int64_t *capacity = p->capacity + (size_t)m * p->n_resources;
    int64_t *safety = p->safety + (size_t)m * p->n_resources;
    for (uint32_t r = 0; rc == 0 && r < p->n_resources; r++)
        rc = scan_number(s, "capacity of a machine", 0, REASSIGN_AMOUNT_MAX, &capacity[r]);
    for (uint32_t r = 0; rc == 0 && r < p->n_resources; r++)
        rc = scan_number(s, "safety capacity of a machine", 0, REASSIGN_AMOUNT_MAX, &safety[r]);
    return rc == 0 ? read_travel(s, p, m) : rc;
}

static int32_t read_machines(struct number_scan *s, struct reassign *p) {
    int32_t rc = scan_count(s, "number of machines", 1, REASSIGN_MACHINES_MAX, &p->n_machines);
    uint64_t n = p->n_machines;
    if (rc == 0) rc = scan_expect(s, n * (2 + 2 * (uint64_t)p->n_resources + n), "machines");
    if (rc < 0) return rc;
    size_t cells = (size_t)n * p->n_resources;
    p->neighbourhood = must_alloc_zero((size_t)n * sizeof p->neighbourhood[0]);
    p->location = must_alloc_zero((size_t)n * sizeof p->location[0]);
    p->capacity = must_alloc_zero(cells * sizeof p->capacity[0]);
    p->safety = must_alloc_zero(cells * sizeof p->safety[0]);
    p->travel_bytes = 1;
    p->travel = must_alloc((size_t)n * n);
    for (uint32_t m = 0; rc == 0 && m < n; m++) rc = read_machine(s, p, m);
    return rc;
}

/* ---- services and processes ---- */

static int32_t read_service(struct number_scan *s, struct reassign *p, uint32_t service,
                            size_t *links_capacity) {
    uint32_t n = 0, other = 0, at = p->needs_at[service];
    int32_t rc =
        scan_count(s, "spread of a service", 0, REASSIGN_MACHINES_MAX, &p->spread[service]);
    if (rc == 0)
        rc = scan_count(s, "number of dependencies of a service", 0, REASSIGN_LINKS_MAX - at, &n);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        rc = scan_count(s, "service that a service depends on", 0, p->n_services - 1, &other);
        if (rc < 0 || other == service) continue;
        p->needs = must_grow(p->needs, at, links_capacity, sizeof p->needs[0]);
        p->needs[at++] = other;
    }
    p->needs_at[service + 1] = at;
    return rc;
}

static int32_t read_services(struct number_scan *s, struct reassign *p) {
    size_t links_capacity = 0;
    int32_t rc = scan_count(s, "number of services", 1, REASSIGN_SERVICES_MAX, &p->n_services);
    if (rc == 0) rc = scan_expect(s, 2 * (uint64_t)p->n_services, "services");
    if (rc < 0) return rc;
    p->spread = must_alloc_zero(p->n_services * sizeof p->spread[0]);
    p->needs_at = must_alloc_zero((p->n_services + (size_t)1) * sizeof p->needs_at[0]);
    for (uint32_t i = 0; rc == 0 && i < p->n_services; i++)
        rc = read_service(s, p, i, &links_capacity);
    return rc;
}

static int32_t read_process(struct number_scan *s, struct reassign *p, uint32_t i) {
    uint32_t *need = p->need + (size_t)i * p->n_resources;
    int32_t rc = scan_count(s, "service of a process", 0, p->n_services - 1, &p->service[i]);
    for (uint32_t r = 0; rc == 0 && r < p->n_resources; r++)
        rc = scan_count(s, "requirement of a process", 0, REASSIGN_AMOUNT_MAX, &need[r]);
    return rc == 0
               ? scan_count(s, "cost of moving a process", 0, REASSIGN_AMOUNT_MAX, &p->move_cost[i])
               : rc;
}

static int32_t read_processes(struct number_scan *s, struct reassign *p) {
    int32_t rc = scan_count(s, "number of processes", 1, REASSIGN_PROCESSES_MAX, &p->n_processes);
    uint64_t n = p->n_processes;
    if (rc == 0) rc = scan_expect(s, n * (2 + (uint64_t)p->n_resources), "processes");
    if (rc < 0) return rc;
    p->service = must_alloc_zero((size_t)n * sizeof p->service[0]);
    p->need = must_alloc_zero((size_t)n * p->n_resources * sizeof p->need[0]);
    p->move_cost = must_alloc_zero((size_t)n * sizeof p->move_cost[0]);
    for (uint32_t i = 0; rc == 0 && i < n; i++) rc = read_process(s, p, i);
    return rc;
}

/* ---- costs ---- */

static int32_t read_balances(struct number_scan *s, struct reassign *p) {
    int64_t last = p->n_resources - 1, most = REASSIGN_AMOUNT_MAX;
    int32_t rc = scan_count(s, "number of balance costs", 0, REASSIGN_BALANCES_MAX, &p->n_balances);
    if (rc < 0) return rc;
    p->balances = must_alloc_zero((p->n_balances + (size_t)1) * sizeof p->balances[0]);
    for (uint32_t b = 0; rc == 0 && b < p->n_balances; b++) {
        struct reassign_balance *balance = &p->balances[b];
        rc = scan_count(s, "first resource of a balance cost", 0, last, &balance->first);
        if (rc == 0)
            rc = scan_count(s, "second resource of a balance cost", 0, last, &balance->second);
        if (rc == 0) rc = scan_number(s, "target of a balance cost", 0, most, &balance->target);
        if (rc == 0) rc = scan_number(s, "weight of a balance cost", 0, most, &balance->weight);
    }
    return rc;
}

static int32_t read_weights(struct number_scan *s, struct reassign *p) {
    int64_t most = REASSIGN_AMOUNT_MAX;
    int32_t rc = scan_number(s, "weight of process moves", 0, most, &p->process_weight);
    if (rc == 0) rc = scan_number(s, "weight of service moves", 0, most, &p->service_weight);
    if (rc == 0) rc = scan_number(s, "weight of machine moves", 0, most, &p->machine_weight);
    return rc == 0 ? scan_end(s, "weight of machine moves") : rc;
}

int32_t reassign_read_model(const char *text, size_t len, struct reassign *out, lsched_error *err) {
    static int32_t (*const parts[])(struct number_scan *, struct reassign *) = {
        read_resources, read_machines, read_services, read_processes, read_balances, read_weights};
    struct number_scan s;
    int32_t rc = 0;
    memset(out, 0, sizeof *out);
    scan_begin(&s, text, len, err);
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof parts[0]; i++) rc = parts[i](&s, out);
    if (rc == 0 && !reassign_finish(out))
        rc =
            error_at(err, LSCHED_E_RANGE, s.line, 1,
                     "expected weights, targets and capacities with which no assignment costs more "
                     "than %" PRId64 ", got larger ones; use smaller units",
                     REASSIGN_COST_MAX);
    return rc;
}

int32_t reassign_read_assignment(const char *text, size_t len, const struct reassign *p,
                                 uint32_t **at, lsched_error *err) {
    struct number_scan s;
    int32_t rc = 0;
    *at = must_alloc_zero(p->n_processes * sizeof(*at)[0]);
    scan_begin(&s, text, len, err);
    for (uint32_t i = 0; rc == 0 && i < p->n_processes; i++)
        rc = scan_count(&s, "machine of a process", 0, p->n_machines - 1, &(*at)[i]);
    return rc == 0 ? scan_end(&s, "machine of the last process") : rc;
}
