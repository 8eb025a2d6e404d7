/* check_supplies.c -- see check_supplies.h. Cost: O(places x (places + levels) + domains). */
#include "model/check/check_supplies.h"

#include "model/store/intern.h"

static int32_t check_supplies_bad(struct check *c, uint32_t place, const char *what) {
    return check_fail(c, "a place of %s: %s", NAME(T_SUPPLY, c->k->c[C_PLACE_SUPPLY].u32[place]),
                      what);
}

/* True if the values of the place are the names of its domain and the domains around it. */
static int names_domain(const struct columns *k, uint32_t place, uint32_t domain) {
    struct reader r = reader_of(k, k->c[C_PLACE_PATH].u32[place]);
    lsched_text value[LSCHED_TOPOLOGY_LEVELS_MAX];
    uint32_t n = k->c[C_PLACE_LEVELS].u32[place];
    for (uint32_t l = 0; l < n; l++) value[l] = reader_text(&r);
    if (r.bad || r.p != r.end) return 0;
    for (uint32_t l = n; domain != NO_ROW && l-- > 0; domain = k->c[C_DOMAIN_PARENT].u32[domain])
        if (k->c[C_DOMAIN_LEVEL].u32[domain] != l ||
            text_order(value[l], text_of(k, k->c[C_DOMAIN_NAME].u32[domain])) != 0)
            return 0;
    return 1;
}

static int32_t check_place(struct check *c, uint32_t p) {
    const struct columns *k = c->k;
    uint32_t tree = k->c[C_PLACE_TOPOLOGY].u32[p], levels = k->c[C_PLACE_LEVELS].u32[p],
             domain = k->c[C_PLACE_DOMAIN].u32[p];
    if ((tree == NO_ROW) != (levels == 0) || (levels == 0 && domain != NO_ROW) ||
        (tree != NO_ROW && levels > k->c[C_TOPOLOGY_N_LEVELS].u32[tree]))
        return check_supplies_bad(c, p, "its topology and its levels do not go together");
    if (levels == 0 && k->c[C_SUPPLY_ROOT].u32[k->c[C_PLACE_SUPPLY].u32[p]] != p)
        return check_supplies_bad(c, p, "the supply has two places for the whole cluster");
    if (domain != NO_ROW && (k->c[C_DOMAIN_TOPOLOGY].u32[domain] != tree ||
                             k->c[C_DOMAIN_LEVEL].u32[domain] + 1 != levels))
        return check_supplies_bad(c, p, "its domain is of another topology or level");
    if (!names_domain(k, p, domain))
        return check_supplies_bad(c, p, "its values are not those of its domain");
    return LSCHED_OK;
}

/* Goes through the list of a domain. seen: 1 for each place that is in a list. */
static int32_t check_list(struct check *c, uint32_t domain, uint8_t *seen) {
    const struct columns *k = c->k;
    for (uint32_t at = k->c[C_DOMAIN_SUPPLIES].u32[domain]; at;
         at = k->c[C_PLACE_NEXT].u32[at - 1]) {
        if (!row_is_live(k, T_PLACE, at - 1) || seen[at - 1] ||
            k->c[C_PLACE_DOMAIN].u32[at - 1] != domain)
            return check_fail(c,
                              "the list of places of supplies at %s has row %u, which is not one",
                              NAME(T_DOMAIN, domain), at - 1);
        seen[at - 1] = 1;
    }
    return LSCHED_OK;
}

/* True if another place is of the same supply and has the same values. */
static int has_twin(const struct columns *k, uint32_t p) {
    for (uint32_t q = 0; q < p; q++)
        if (k->c[C_PLACE_SUPPLY].u32[q] == k->c[C_PLACE_SUPPLY].u32[p] &&
            k->c[C_PLACE_TOPOLOGY].u32[q] == k->c[C_PLACE_TOPOLOGY].u32[p] &&
            k->c[C_PLACE_LEVELS].u32[q] == k->c[C_PLACE_LEVELS].u32[p] &&
            text_compare(k, k->c[C_PLACE_PATH].u32[q], k->c[C_PLACE_PATH].u32[p]) == 0)
            return 1;
    return 0;
}

static int32_t check_places(struct check *c, uint8_t *seen) {
    const struct columns *k = c->k;
    uint64_t lost = 0;
    EACH_LIVE(k, T_DOMAIN, d) {
        int32_t rc = check_list(c, d, seen);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++) {
        if (!row_is_live(k, T_PLACE, p)) return check_fail(c, "row %u of PLACE is free", p);
        int32_t rc = check_place(c, p);
        if (rc != LSCHED_OK) return rc;
        if ((k->c[C_PLACE_DOMAIN].u32[p] != NO_ROW) != seen[p])
            return check_supplies_bad(c, p, "it is not in the list of its domain");
        if (!seen[p] && k->c[C_PLACE_NEXT].u32[p])
            return check_supplies_bad(c, p, "it is in no list, but has a next place");
        if (has_twin(k, p)) return check_supplies_bad(c, p, "another place has the same values");
        lost += k->c[C_PLACE_LEVELS].u32[p] && !seen[p];
    }
    if (lost != meta(k, M_SUPPLY_LOST))
        return check_fail(c, "%llu places of supplies have no domain, but the counter says %llu",
                          (unsigned long long)lost, (unsigned long long)meta(k, M_SUPPLY_LOST));
    return LSCHED_OK;
}

int32_t check_supplies(struct check *c) {
    const struct columns *k = c->k;
    uint32_t n = table_rows(k, T_SUPPLY), places = table_rows(k, T_PLACE);
    if (n > LSCHED_SUPPLIES_MAX) return check_fail(c, "there are %u supplies", n);
    if (meta(k, M_SUPPLY_NEWS) > 1)
        return check_fail(c, "the mark for news of supplies is not 0 or 1");
    for (uint32_t s = 0; s < n; s++) {
        if (!row_is_live(k, T_SUPPLY, s)) return check_fail(c, "row %u of SUPPLY is free", s);
        uint32_t root = k->c[C_SUPPLY_ROOT].u32[s];
        if (k->c[C_PLACE_SUPPLY].u32[root] != s || k->c[C_PLACE_LEVELS].u32[root] != 0)
            return check_fail(c, "%s has another place for the whole cluster", NAME(T_SUPPLY, s));
        for (uint32_t other = 0; other < s; other++)
            if (text_compare(k, k->c[C_SUPPLY_NAME].u32[other], k->c[C_SUPPLY_NAME].u32[s]) == 0)
                return check_fail(c, "two supplies are called %s", NAME(T_SUPPLY, s));
    }
    uint8_t *seen = alloc_zero(k->alloc, places + 1ul);
    if (!seen) return check_nomem(c);
    int32_t rc = check_places(c, seen);
    alloc_free(k->alloc, seen, places + 1ul);
    return rc;
}
