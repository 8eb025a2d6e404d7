/* problem_check.c -- see problem_check.h. */
#include "pack/problem/problem_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/mig/mig.h"
#include "pack/problem/problem_read.h"

enum { WHAT_BYTES = LSCHED_NAME_BYTES_MAX + 32 };

struct checker {
    const lsched_pack_problem *in;
    lsched_error *err;
    struct pack_totals *totals;
    int64_t last; /* latest start of an item, or end of a reservation, so far */
    /* sum of the durations of all items with a flexible start, in microseconds */
    uint64_t span;
    char what[WHAT_BYTES]; /* name, for messages, of the element that is being checked */
};

static int32_t problem_check_refuse(struct checker *ck, int32_t code, const char *format, ...)
    PRINTF_LIKE(3, 4);

static int32_t problem_check_refuse(struct checker *ck, int32_t code, const char *format, ...) {
    char text[4 * LSCHED_MESSAGE_BYTES]; /* fail() shortens its names */
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return fail(ck->err, code, "%s: %s", ck->what, text);
}

/* Number of bytes of a name that a message quotes, before fail() shortens it. */
static int quoted_bytes(lsched_text name) {
    return (int)(name.len > LSCHED_NAME_BYTES_MAX ? LSCHED_NAME_BYTES_MAX : name.len);
}

static void speak_of(struct checker *ck, const char *kind, uint64_t i, lsched_text name) {
    name = arg_text(name);
    if (name.len)
        snprintf(ck->what, sizeof ck->what, "%s '%.*s'", kind, quoted_bytes(name), name.ptr);
    else
        snprintf(ck->what, sizeof ck->what, "%s %llu", kind, (unsigned long long)i);
}

static int32_t check_price(struct checker *ck, int64_t price, const char *name) {
    if (price >= 0 && price <= LSCHED_PACK_PRICE_MAX) return LSCHED_OK;
    return problem_check_refuse(ck, LSCHED_E_RANGE, "%s is %lld; expected 0 to %lld micro", name,
                                (long long)price, (long long)LSCHED_PACK_PRICE_MAX);
}

static int32_t check_instant(struct checker *ck, int64_t us, const char *name) {
    if (us >= -LSCHED_AMOUNT_MAX / 2 && us <= LSCHED_AMOUNT_MAX / 2) return LSCHED_OK;
    return problem_check_refuse(ck, LSCHED_E_RANGE, "%s is %lld; expected microseconds within 2^61",
                                name, (long long)us);
}

static int32_t check_flag(struct checker *ck, uint32_t value, const char *name) {
    if (value <= 1) return LSCHED_OK;
    return problem_check_refuse(ck, LSCHED_E_INVAL, "%s is %u; expected 0 or 1", name, value);
}

/* Refuses a value whose flag is missing, because the packer would not read it. */
static int32_t check_has(struct checker *ck, uint32_t flags, uint32_t flag, int64_t value,
                         const char *field, const char *flag_name) {
    if ((flags & flag) || value == 0) return LSCHED_OK;
    return problem_check_refuse(ck, LSCHED_E_INVAL,
                                "%s is %lld, but its flag is not set; set %s in flags", field,
                                (long long)value, flag_name);
}

static int32_t check_item_flags(struct checker *ck, const lsched_pack_item *item) {
    const uint32_t known = LSCHED_PACK_ITEM_PINNED | LSCHED_PACK_ITEM_HAS_LATEST |
                           LSCHED_PACK_ITEM_HAS_DEADLINE | LSCHED_PACK_ITEM_HAS_MOVED_AT;
    if (item->flags & ~known)
        return problem_check_refuse(ck, LSCHED_E_INVAL, "unknown flags %#x", item->flags & ~known);
    int32_t rc = check_has(ck, item->flags, LSCHED_PACK_ITEM_HAS_LATEST, item->latest_us,
                           "latest_us", "LSCHED_PACK_ITEM_HAS_LATEST");
    if (rc == LSCHED_OK)
        rc = check_has(ck, item->flags, LSCHED_PACK_ITEM_HAS_DEADLINE, item->deadline_us,
                       "deadline_us", "LSCHED_PACK_ITEM_HAS_DEADLINE");
    if (rc == LSCHED_OK)
        rc = check_has(ck, item->flags, LSCHED_PACK_ITEM_HAS_MOVED_AT, item->moved_at_us,
                       "moved_at_us", "LSCHED_PACK_ITEM_HAS_MOVED_AT");
    return rc;
}

static int32_t check_reservation_flags(struct checker *ck, const lsched_pack_reservation *r) {
    if (r->flags & ~(uint32_t)LSCHED_PACK_RESERVATION_HAS_END)
        return problem_check_refuse(ck, LSCHED_E_INVAL, "unknown flags %#x",
                                    r->flags & ~(uint32_t)LSCHED_PACK_RESERVATION_HAS_END);
    return check_has(ck, r->flags, LSCHED_PACK_RESERVATION_HAS_END, r->to_us, "to_us",
                     "LSCHED_PACK_RESERVATION_HAS_END");
}

/* Writes the quoted name of a resource, or its number if it has none. problem_check_refuse()
 * shortens the name. */
#define RESOURCE_BYTES (LSCHED_NAME_BYTES_MAX + 3)
static void resource_text(const struct checker *ck, uint32_t r, char *out, size_t room) {
    lsched_pack_resource res;
    read_element(&res, sizeof res, ck->in->resources, r, ck->in->resource_size);
    lsched_text name = arg_text(res.name);
    if (name.len)
        snprintf(out, room, "'%.*s'", quoted_bytes(name), name.ptr);
    else
        snprintf(out, room, "resource %u", r);
}

/* ---- resources and classes ---- */

static int32_t check_resource(struct checker *ck, uint32_t i) {
    lsched_pack_resource r;
    lsched_text none = {NULL, 0};
    speak_of(ck, "resource", i, none);
    int32_t rc =
        arg_struct(&r, (uint32_t)sizeof r, element_at(ck->in->resources, i, ck->in->resource_size),
                   ck->in->resource_size, ck->what, ck->err);
    if (rc == LSCHED_OK) rc = arg_reserved(r.reserved_zero, "reserved_zero", ck->what, ck->err);
    if (rc != LSCHED_OK) return rc;
    speak_of(ck, "resource", i, r.name);
    if ((rc = check_flag(ck, r.soft, "soft")) != LSCHED_OK) return rc;
    if (r.z_milli > 10000)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "z_milli is %u; expected 0 to 10000",
                                    r.z_milli);
    if (!r.soft && (r.z_milli || r.overload_price_micro))
        return problem_check_refuse(
            ck, LSCHED_E_INVAL,
            "z_milli and overload_price_micro are for soft resources, but this resource "
            "is hard");
    return check_price(ck, r.overload_price_micro, "overload_price_micro");
}

static int32_t check_class_prices(struct checker *ck, const lsched_pack_class *c) {
    int32_t rc = check_price(ck, c->open_price_micro, "open_price_micro");
    if (rc == LSCHED_OK)
        rc = check_price(ck, c->on_price_micro_per_hour, "on_price_micro_per_hour");
    if (rc == LSCHED_OK) rc = check_price(ck, c->switch_price_micro, "switch_price_micro");
    if (rc == LSCHED_OK) rc = check_price(ck, c->recut_price_micro, "recut_price_micro");
    return rc;
}

static int32_t check_class(struct checker *ck, uint32_t i, uint64_t *bins) {
    lsched_pack_class c;
    lsched_text none = {NULL, 0};
    speak_of(ck, "class", i, none);
    int32_t rc =
        arg_struct(&c, (uint32_t)sizeof c, element_at(ck->in->classes, i, ck->in->class_size),
                   ck->in->class_size, ck->what, ck->err);
    if (rc == LSCHED_OK) rc = arg_reserved(c.reserved_zero, "reserved_zero", ck->what, ck->err);
    if (rc != LSCHED_OK) return rc;
    speak_of(ck, "class", i, c.name);
    class_fill_in(&c);
    int is_last = i + 1 == ck->in->n_classes;
    if (c.count == LSCHED_PACK_UNLIMITED && !is_last)
        return problem_check_refuse(
            ck, LSCHED_E_INVAL,
            "a class without a bound on its bins must be the last of the %u classes",
            ck->in->n_classes);
    if (!c.capacity && ck->in->n_resources)
        return problem_check_refuse(ck, LSCHED_E_NULL, "capacity is NULL; expected %u amounts",
                                    ck->in->n_resources);
    for (uint32_t r = 0; r < ck->in->n_resources; r++) {
        char name[RESOURCE_BYTES];
        resource_text(ck, r, name, sizeof name);
        if (c.capacity[r] < 0 || c.capacity[r] > LSCHED_AMOUNT_MAX)
            return problem_check_refuse(ck, LSCHED_E_RANGE,
                                        "capacity of %s is %lld; expected 0 to 2^62", name,
                                        (long long)c.capacity[r]);
    }
    lsched_text mig = arg_text(c.mig_table);
    if (mig.len && !mig_table_named(mig))
        return problem_check_refuse(
            ck, LSCHED_E_NOENT, "no MIG table is called '%.*s'; take one of lsched_mig_tables_at",
            quoted_bytes(mig), mig.ptr);
    if (c.on_now > c.count)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE, "on_now is %u; expected at most its %u bins", c.on_now, c.count);
    *bins += c.count == LSCHED_PACK_UNLIMITED ? ck->totals->n_tasks : c.count;
    if (*bins > LSCHED_PACK_BINS_MAX)
        return problem_check_refuse(ck, LSCHED_E_LIMIT, "more than %u bins in all",
                                    LSCHED_PACK_BINS_MAX);
    return check_class_prices(ck, &c);
}

/* ---- slots ---- */

static int32_t check_slots(struct checker *ck) {
    const lsched_pack_problem *in = ck->in;
    snprintf(ck->what, sizeof ck->what, "slot_bounds");
    if (in->n_slots == 0) return LSCHED_OK;
    if (in->n_slots > LSCHED_PACK_SLOTS_MAX)
        return problem_check_refuse(ck, LSCHED_E_LIMIT, "%u slots; expected at most %u",
                                    in->n_slots, LSCHED_PACK_SLOTS_MAX);
    if (!in->slot_bounds)
        return problem_check_refuse(ck, LSCHED_E_NULL, "NULL; expected %u instants",
                                    in->n_slots + 1);
    for (uint32_t i = 0; i <= in->n_slots; i++) {
        int32_t rc = check_instant(ck, in->slot_bounds[i], "a bound");
        if (rc != LSCHED_OK) return rc;
        if (i > 0 && in->slot_bounds[i] <= in->slot_bounds[i - 1])
            return problem_check_refuse(
                ck, LSCHED_E_RANGE,
                "slots are out of order: slot %u ends at %lld, which is not after its "
                "beginning (%lld)",
                i - 1, (long long)in->slot_bounds[i], (long long)in->slot_bounds[i - 1]);
    }
    if (in->slot_bounds[in->n_slots] <= in->now_us)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE,
            "the horizon is empty: the last slot ends at %lld, but now_us is %lld",
            (long long)in->slot_bounds[in->n_slots], (long long)in->now_us);
    return LSCHED_OK;
}

/* ---- configs and items ---- */

static int32_t problem_check_amounts(struct checker *ck, const int64_t *list, uint64_t n,
                                     uint32_t c, const char *of) {
    uint64_t per = ck->in->n_resources ? n / ck->in->n_resources : 1;
    for (uint64_t i = 0; list && i < n; i++) {
        if (list[i] >= 0 && list[i] <= LSCHED_AMOUNT_MAX) continue;
        char name[RESOURCE_BYTES], slot[48] = "";
        resource_text(ck, (uint32_t)(i / per), name, sizeof name);
        if (per > 1)
            snprintf(slot, sizeof slot, " in its slot %llu", (unsigned long long)(i % per));
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "config %u: %s of %s%s is %lld; expected 0 to 2^62", c, of,
                                    name, slot, (long long)list[i]);
    }
    return LSCHED_OK;
}

/* Returns the greatest demand of resource r in any slot that has not ended; for a soft resource,
 * the greatest mean. */
static int64_t problem_check_peak_of(const lsched_pack_problem *in, const lsched_pack_config *c,
                                     uint32_t r) {
    if (!c->demand) return 0;
    uint64_t per = c->n_slots ? c->n_slots : 1;
    int64_t most = 0;
    for (uint64_t s = 0; s < per; s++) {
        /* skip slots that have ended */
        if (c->n_slots && in->slot_bounds[c->first_slot + s + 1] <= in->now_us) continue;
        if (c->demand[r * per + s] > most) most = c->demand[r * per + s];
    }
    return most;
}

static int32_t problem_check_profile(struct checker *ck, const lsched_pack_config *c,
                                     uint32_t number) {
    const lsched_pack_problem *in = ck->in;
    if (in->n_slots == 0)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE,
            "config %u has a profile over %u slots, but the horizon is empty: n_slots is 0", number,
            c->n_slots);
    if (c->first_slot >= in->n_slots || c->n_slots > in->n_slots - c->first_slot)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE, "config %u: slots %u to %llu; expected slots below %u", number,
            c->first_slot, (unsigned long long)c->first_slot + c->n_slots - 1, in->n_slots);
    if (!c->demand)
        return problem_check_refuse(ck, LSCHED_E_NULL,
                                    "config %u has a profile over %u slots, but its demand is NULL",
                                    number, c->n_slots);
    if (in->slot_bounds[c->first_slot + c->n_slots] <= in->now_us)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE, "config %u: its profile ends at %lld, before now_us (%lld)", number,
            (long long)in->slot_bounds[c->first_slot + c->n_slots], (long long)in->now_us);
    return LSCHED_OK;
}

/* Checks how long a task of the config runs: the slots of its profile, or its duration. */
static int32_t check_duration(struct checker *ck, const lsched_pack_config *c, uint32_t number) {
    if (c->n_slots) return problem_check_profile(ck, c, number);
    if (c->duration_us <= 0 ||
        (c->duration_us > LSCHED_AMOUNT_MAX / 2 && c->duration_us != INT64_MAX))
        return problem_check_refuse(
            ck, LSCHED_E_RANGE,
            "config %u: duration_us is %lld; expected 1 to 2^61, or LSCHED_NEVER_US for a "
            "duration without end",
            number, (long long)c->duration_us);
    return LSCHED_OK;
}

/* Adds a checked config with n amounts to the totals. */
static void count_config(struct checker *ck, const lsched_pack_item *item,
                         const lsched_pack_config *c, uint64_t n) {
    if (c->n_slots == 0 && c->duration_us != INT64_MAX && item->latest_us != item->ready_us)
        ck->span += (uint64_t)c->duration_us;
    if (c->n_slots == 0 && item->ready_us > ck->last) ck->last = item->ready_us;
    ck->totals->n_configs++;
    ck->totals->n_amounts += n;
    ck->totals->n_sigmas += c->sigma ? n : 0;
    ck->totals->n_profiles += arg_text(c->mig_profile).len ? 1 : 0;
}

static int32_t check_config(struct checker *ck, const lsched_pack_item *item, uint32_t number,
                            lsched_pack_config *c) {
    char what[WHAT_BYTES + 32];
    size_t stride;
    snprintf(what, sizeof what, "%s: config %u", ck->what, number);
    int32_t rc = arg_stride(item->configs, 1, ck->in->config_size, what, &stride, ck->err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_struct(c, (uint32_t)sizeof *c, element_at(item->configs, number, stride), stride, what,
                    ck->err);
    if (rc == LSCHED_OK) rc = arg_reserved(c->reserved_zero, "reserved_zero", what, ck->err);
    if (rc != LSCHED_OK) return rc;
    if ((rc = check_duration(ck, c, number)) != LSCHED_OK) return rc;
    uint64_t n = (uint64_t)ck->in->n_resources * (c->n_slots ? c->n_slots : 1);
    if ((rc = problem_check_amounts(ck, c->demand, n, number, "demand")) != LSCHED_OK) return rc;
    if ((rc = problem_check_amounts(ck, c->sigma, n, number, "sigma")) != LSCHED_OK) return rc;
    if ((rc = check_price(ck, c->resize_price_micro, "resize_price_micro")) != LSCHED_OK) return rc;
    lsched_text profile = arg_text(c->mig_profile);
    uint8_t slices[MIG_VARIANTS_MAX];
    if (profile.len && !mig_profile_slices(profile, NULL, 0, slices))
        return problem_check_refuse(ck, LSCHED_E_NOENT,
                                    "config %u: there is no MIG table with a profile '%.*s'",
                                    number, quoted_bytes(profile), profile.ptr);
    count_config(ck, item, c, n);
    return LSCHED_OK;
}

/* The reason why a config does not fit an empty bin of the class; FITS (0) if it fits. */
enum { FITS = 0, NO_TABLE = 1, TOO_LARGE = 2 };
static int misfit(const struct checker *ck, const lsched_pack_config *c, const lsched_pack_class *k,
                  uint32_t *resource) {
    const lsched_pack_problem *in = ck->in;
    lsched_text profile = arg_text(c->mig_profile), table = arg_text(k->mig_table);
    if (profile.len &&
        (!table.len || mig_profile_named(mig_table_named(table), profile) == MIG_NONE))
        return NO_TABLE;
    for (uint32_t r = 0; r < in->n_resources; r++) {
        lsched_pack_resource res;
        read_element(&res, sizeof res, in->resources, r, in->resource_size);
        *resource = r;
        /* a soft resource with z_milli 0 has no limit, only a price */
        if ((!res.soft || res.z_milli) && problem_check_peak_of(in, c, r) > k->capacity[r])
            return TOO_LARGE;
    }
    return FITS;
}

static int32_t check_fits(struct checker *ck, const lsched_pack_item *item) {
    uint32_t n = item->n_classes ? item->n_classes : ck->in->n_classes, least = 0;
    int why = FITS;
    for (uint32_t i = 0; i < n; i++) {
        lsched_pack_class k;
        read_class(&k, ck->in, item->n_classes ? item->classes[i] : i);
        for (uint32_t c = 0; c < item->n_configs; c++) {
            lsched_pack_config config;
            uint32_t r = 0;
            read_config(&config, ck->in, item, c);
            int w = misfit(ck, &config, &k, &r);
            if (w == FITS) return LSCHED_OK;
            if (w > why) why = w, least = r;
        }
    }
    if (why == NO_TABLE)
        return problem_check_refuse(
            ck, LSCHED_E_NOENT,
            "none of the bins that it may use has a MIG table with its profile");
    char name[RESOURCE_BYTES];
    lsched_pack_config first;
    lsched_pack_class k;
    resource_text(ck, least, name, sizeof name);
    read_config(&first, ck->in, item, 0);
    int64_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        read_class(&k, ck->in, item->n_classes ? item->classes[i] : i);
        if (k.capacity[least] > most) most = k.capacity[least];
    }
    return problem_check_refuse(
        ck, LSCHED_E_RANGE,
        "it is larger than any bin: it needs %lld of %s, but the largest bin that it "
        "may use has %lld",
        (long long)problem_check_peak_of(ck->in, &first, least), name, (long long)most);
}

/* True if the instant `from` is before the first slot, and the first slot has not begun. The
 * packer reads nothing outside the slots. Therefore an item or a reservation must not begin before
 * them. */
static int starts_before_slots(const lsched_pack_problem *in, int64_t from) {
    return in->n_slots && in->now_us < in->slot_bounds[0] && from < in->slot_bounds[0];
}

static int32_t check_times(struct checker *ck, const lsched_pack_item *item,
                           const lsched_pack_config *first) {
    int32_t rc = LSCHED_OK;
    if (item->deadline_us != INT64_MAX) rc = check_instant(ck, item->deadline_us, "deadline_us");
    if (rc == LSCHED_OK && item->moved_at_us != PACK_NEVER_MOVED_US)
        rc = check_instant(ck, item->moved_at_us, "moved_at_us");
    if (rc != LSCHED_OK || first->n_slots) return rc;
    if ((rc = check_instant(ck, item->ready_us, "ready_us")) != LSCHED_OK) return rc;
    if (item->latest_us < item->ready_us)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE,
            "latest_us (%lld) is before ready_us (%lld); set latest_us to ready_us for a fixed "
            "start, or clear LSCHED_PACK_ITEM_HAS_LATEST for any start",
            (long long)item->latest_us, (long long)item->ready_us);
    if (item->latest_us == INT64_MAX) return LSCHED_OK;
    if ((rc = check_instant(ck, item->latest_us, "latest_us")) != LSCHED_OK) return rc;
    int is_over = item->latest_us == item->ready_us
                      ? first->duration_us != INT64_MAX &&
                            item->ready_us + first->duration_us <= ck->in->now_us
                      : item->latest_us < ck->in->now_us;
    if (is_over)
        return problem_check_refuse(
            ck, LSCHED_E_RANGE,
            "it is over: the time in which it may run ends before now_us (%lld)",
            (long long)ck->in->now_us);
    if (item->ready_us == item->latest_us && starts_before_slots(ck->in, item->ready_us))
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "it starts at %lld, before the first slot (%lld)",
                                    (long long)item->ready_us, (long long)ck->in->slot_bounds[0]);
    if (ck->in->n_slots && item->ready_us == item->latest_us &&
        item->ready_us >= ck->in->slot_bounds[ck->in->n_slots])
        return problem_check_refuse(
            ck, LSCHED_E_RANGE, "it starts at %lld, but the last slot ends at %lld",
            (long long)item->ready_us, (long long)ck->in->slot_bounds[ck->in->n_slots]);
    return LSCHED_OK;
}

static int32_t check_configs(struct checker *ck, const lsched_pack_item *item,
                             lsched_pack_config *first) {
    if (item->n_configs == 0 || item->n_configs > LSCHED_PACK_CONFIGS_MAX || !item->configs)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "%u configs; expected 1 to %u",
                                    item->n_configs, LSCHED_PACK_CONFIGS_MAX);
    for (uint32_t c = 0; c < item->n_configs; c++) {
        lsched_pack_config config;
        int32_t rc = check_config(ck, item, c, &config);
        if (rc != LSCHED_OK) return rc;
        if (c == 0) *first = config;
        if (config.n_slots != first->n_slots ||
            (config.n_slots && config.first_slot != first->first_slot))
            return problem_check_refuse(ck, LSCHED_E_INVAL,
                                        "config %u has other slots than config 0", c);
    }
    return LSCHED_OK;
}

static int32_t check_classes_of(struct checker *ck, const lsched_pack_item *item) {
    if (item->n_classes && !item->classes)
        return problem_check_refuse(ck, LSCHED_E_NULL, "classes is NULL; expected %u",
                                    item->n_classes);
    for (uint32_t i = 0; i < item->n_classes; i++) {
        if (item->classes[i] >= ck->in->n_classes)
            return problem_check_refuse(ck, LSCHED_E_NOENT, "class %u; expected one below %u",
                                        item->classes[i], ck->in->n_classes);
        if (i > 0 && item->classes[i] <= item->classes[i - 1])
            return problem_check_refuse(ck, LSCHED_E_INVAL,
                                        "classes must ascend: %u comes after %u", item->classes[i],
                                        item->classes[i - 1]);
    }
    ck->totals->n_allowed += item->n_classes;
    return LSCHED_OK;
}

static int32_t check_place_now(struct checker *ck, const lsched_pack_item *item) {
    if (!item->bins_now) {
        if (item->flags & LSCHED_PACK_ITEM_PINNED)
            return problem_check_refuse(ck, LSCHED_E_INVAL,
                                        "it is pinned, but bins_now does not say in which bin");
        return LSCHED_OK;
    }
    for (uint32_t t = 0; t < tasks_of_item(item); t++)
        if (item->bins_now[t] >= ck->totals->n_bins)
            return problem_check_refuse(ck, LSCHED_E_NOENT,
                                        "task %u is in bin %u; expected one below %llu", t,
                                        item->bins_now[t], (unsigned long long)ck->totals->n_bins);
    if (item->config_now >= item->n_configs)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "config_now is %u; expected one below %u",
                                    item->config_now, item->n_configs);
    if (item->slice_now >= MIG_SLICES)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "slice_now is %u; expected 0 to %u",
                                    item->slice_now, MIG_SLICES - 1);
    ck->totals->n_now += tasks_of_item(item);
    return LSCHED_OK;
}

/* Checks item i. The first pass checks the item's own fields. The second pass, after the bins are
 * counted, checks the item's classes and bins. */
static int32_t check_item(struct checker *ck, uint32_t i, int second) {
    lsched_pack_item item;
    lsched_pack_config first = {0};
    lsched_text none = {NULL, 0};
    speak_of(ck, "item", i, none);
    int32_t rc =
        arg_struct(&item, (uint32_t)sizeof item, element_at(ck->in->items, i, ck->in->item_size),
                   ck->in->item_size, ck->what, ck->err);
    if (rc != LSCHED_OK) return rc;
    speak_of(ck, "item", i, item.name);
    if ((rc = check_item_flags(ck, &item)) != LSCHED_OK) return rc;
    item_fill_in(&item);
    if (second) {
        rc = check_classes_of(ck, &item);
        if (rc == LSCHED_OK) rc = check_fits(ck, &item);
        return rc == LSCHED_OK ? check_place_now(ck, &item) : rc;
    }
    if (ck->span > (uint64_t)LSCHED_AMOUNT_MAX) ck->span = (uint64_t)LSCHED_AMOUNT_MAX;
    if ((rc = check_flag(ck, item.apart, "apart")) != LSCHED_OK) return rc;
    if (item.tasks > LSCHED_PACK_TASKS_MAX)
        return problem_check_refuse(ck, LSCHED_E_LIMIT, "%u tasks; expected at most %u", item.tasks,
                                    LSCHED_PACK_TASKS_MAX);
    if ((rc = check_configs(ck, &item, &first)) != LSCHED_OK) return rc;
    if ((rc = check_times(ck, &item, &first)) != LSCHED_OK) return rc;
    if (item.weight < 0 || item.weight > LSCHED_PACK_PRICE_MAX)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "weight is %lld; expected 0 to %lld",
                                    (long long)item.weight, (long long)LSCHED_PACK_PRICE_MAX);
    rc = check_price(ck, item.late_price_micro_per_hour, "late_price_micro_per_hour");
    if (rc == LSCHED_OK)
        rc = check_price(ck, item.flow_price_micro_per_hour, "flow_price_micro_per_hour");
    if (rc == LSCHED_OK) rc = check_price(ck, item.move_price_micro, "move_price_micro");
    ck->totals->n_tasks += tasks_of_item(&item);
    if (rc == LSCHED_OK && ck->totals->n_tasks > LSCHED_PACK_BINS_MAX)
        return problem_check_refuse(ck, LSCHED_E_LIMIT, "more than %u tasks in all",
                                    LSCHED_PACK_BINS_MAX);
    return rc;
}

/* ---- reservations, options, the whole ---- */

static int32_t check_reservation(struct checker *ck, uint32_t i) {
    lsched_pack_reservation b;
    lsched_text none = {NULL, 0};
    speak_of(ck, "reservation", i, none);
    int32_t rc = arg_struct(&b, (uint32_t)sizeof b,
                            element_at(ck->in->reservations, i, ck->in->reservation_size),
                            ck->in->reservation_size, ck->what, ck->err);
    if (rc == LSCHED_OK) rc = check_reservation_flags(ck, &b);
    if (rc != LSCHED_OK) return rc;
    reservation_fill_in(&b);
    if (b.bin >= ck->totals->n_bins)
        return problem_check_refuse(ck, LSCHED_E_NOENT, "bin %u; expected one below %llu", b.bin,
                                    (unsigned long long)ck->totals->n_bins);
    if ((rc = check_instant(ck, b.from_us, "from_us")) != LSCHED_OK) return rc;
    if (b.to_us != INT64_MAX && (rc = check_instant(ck, b.to_us, "to_us")) != LSCHED_OK) return rc;
    if (b.to_us != INT64_MAX && b.to_us > ck->last) ck->last = b.to_us;
    if (b.to_us <= b.from_us)
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "its end (%lld) is not after its beginning (%lld)",
                                    (long long)b.to_us, (long long)b.from_us);
    if (starts_before_slots(ck->in, b.from_us))
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "it begins at %lld, before the first slot (%lld)",
                                    (long long)b.from_us, (long long)ck->in->slot_bounds[0]);
    for (uint32_t r = 0; b.amount && r < ck->in->n_resources; r++)
        if (b.amount[r] < 0 || b.amount[r] > LSCHED_AMOUNT_MAX) {
            char name[RESOURCE_BYTES];
            resource_text(ck, r, name, sizeof name);
            return problem_check_refuse(ck, LSCHED_E_RANGE,
                                        "amount of %s is %lld; expected 0 to 2^62", name,
                                        (long long)b.amount[r]);
        }
    if (b.mig_slices >> MIG_SLICES)
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "mig_slices is %#x; expected a mask of %u slices", b.mig_slices,
                                    MIG_SLICES);
    return LSCHED_OK;
}

static int32_t problem_check_opts(struct checker *ck, const lsched_pack_opts *o) {
    snprintf(ck->what, sizeof ck->what, "options");
    int32_t reserved = arg_reserved(o->reserved_zero, "reserved_zero", ck->what, ck->err);
    if (reserved != LSCHED_OK) return reserved;
    if (o->method > LSCHED_PACK_METHOD_BOUND)
        return problem_check_refuse(ck, LSCHED_E_INVAL, "method is %u; expected 0 to %u", o->method,
                                    LSCHED_PACK_METHOD_BOUND);
    if (o->beam > 4096 || o->branch > 64)
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "beam is %u and branch %u; expected at most 4096 and 64",
                                    o->beam, o->branch);
    if (o->patience_milli && (o->patience_milli < 1000 || o->patience_milli > 1000000))
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "patience_milli is %u; expected 1000 to 1000000",
                                    o->patience_milli);
    if (o->dwell_us < 0 || o->dwell_us > LSCHED_AMOUNT_MAX / 2)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "dwell_us is %lld; expected 0 to 2^61",
                                    (long long)o->dwell_us);
    if (o->bound_percent > 90)
        return problem_check_refuse(ck, LSCHED_E_RANGE, "bound_percent is %llu; expected 0 to 90",
                                    (unsigned long long)o->bound_percent);
    if (o->method == LSCHED_PACK_METHOD_EXACT && ck->in->n_items > LSCHED_PACK_EXACT_MAX)
        return problem_check_refuse(ck, LSCHED_E_LIMIT,
                                    "the exact method takes up to %u items; there are %u",
                                    LSCHED_PACK_EXACT_MAX, ck->in->n_items);
    return LSCHED_OK;
}

static int32_t problem_check_counts(struct checker *ck) {
    const lsched_pack_problem *in = ck->in;
    snprintf(ck->what, sizeof ck->what, "problem");
    if (in->n_resources > LSCHED_PACK_RESOURCES_MAX || (in->n_resources && !in->resources))
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "%u resources; expected an array of at most %u",
                                    in->n_resources, LSCHED_PACK_RESOURCES_MAX);
    if (in->n_classes == 0 || in->n_classes > LSCHED_PACK_CLASSES_MAX || !in->classes)
        return problem_check_refuse(ck, LSCHED_E_RANGE,
                                    "%u classes of bins; expected an array of 1 to %u",
                                    in->n_classes, LSCHED_PACK_CLASSES_MAX);
    if (in->n_items > LSCHED_PACK_ITEMS_MAX || (in->n_items && !in->items))
        return problem_check_refuse(ck, LSCHED_E_RANGE, "%u items; expected an array of at most %u",
                                    in->n_items, LSCHED_PACK_ITEMS_MAX);
    if (in->n_reservations && !in->reservations)
        return problem_check_refuse(ck, LSCHED_E_NULL, "reservations is NULL; expected %u",
                                    in->n_reservations);
    int32_t rc = check_instant(ck, in->now_us, "now_us");
    return rc == LSCHED_OK
               ? check_price(ck, in->makespan_price_micro_per_hour, "makespan_price_micro_per_hour")
               : rc;
}

/* Checks that every instant of every plan is at most 2^61 microseconds. */
static int32_t check_span(struct checker *ck) {
    int64_t last = ck->last > ck->in->now_us ? ck->last : ck->in->now_us;
    snprintf(ck->what, sizeof ck->what, "problem");
    if (ck->span <= (uint64_t)LSCHED_AMOUNT_MAX / 2 &&
        last <= LSCHED_AMOUNT_MAX / 2 - (int64_t)ck->span)
        return LSCHED_OK;
    return problem_check_refuse(ck, LSCHED_E_RANGE,
                                "if all items ran one after another, the last would end after 2^61 "
                                "microseconds");
}

/* Stores the index of the element in the error record if rc is an error. */
static int32_t at_element(struct checker *ck, uint64_t i, int32_t rc) {
    if (rc < 0 && ck->err && ck->err->size >= offsetof(lsched_error, message))
        ck->err->index = (int64_t)i;
    return rc;
}

int32_t pack_problem_check(const lsched_pack_problem *from, const lsched_pack_opts *opts,
                           struct pack_totals *totals, lsched_error *err) {
    lsched_pack_problem in;
    lsched_pack_opts o;
    struct checker ck = {.in = &in, .err = err, .totals = totals, .last = -LSCHED_AMOUNT_MAX};
    memset(totals, 0, sizeof *totals);
    int32_t rc = read_problem(&in, from, err);
    if (rc == LSCHED_OK) rc = arg_struct(&o, (uint32_t)sizeof o, opts, 0, "options", err);
    if (rc == LSCHED_OK) rc = arg_reserved(in.reserved_zero, "reserved_zero", "problem", err);
    if (rc == LSCHED_OK) rc = problem_check_counts(&ck);
    if (rc == LSCHED_OK) rc = problem_check_opts(&ck, &o);
    for (uint32_t i = 0; rc == LSCHED_OK && i < in.n_resources; i++)
        rc = at_element(&ck, i, check_resource(&ck, i));
    if (rc == LSCHED_OK) rc = check_slots(&ck);
    for (uint32_t i = 0; rc == LSCHED_OK && i < in.n_items; i++)
        rc = at_element(&ck, i, check_item(&ck, i, 0));
    for (uint32_t i = 0; rc == LSCHED_OK && i < in.n_classes; i++)
        rc = at_element(&ck, i, check_class(&ck, i, &totals->n_bins));
    for (uint32_t i = 0; rc == LSCHED_OK && i < in.n_items; i++)
        rc = at_element(&ck, i, check_item(&ck, i, 1));
    for (uint32_t i = 0; rc == LSCHED_OK && i < in.n_reservations; i++)
        rc = at_element(&ck, i, check_reservation(&ck, i));
    return rc == LSCHED_OK ? check_span(&ck) : rc;
}
