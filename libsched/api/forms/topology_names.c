/* topology_names.c -- see topology_names.h. */
#include "api/forms/topology_names.h"

#include "base/suggest.h"
#include "base/text_out.h"
#include "model/shapes/domain.h"

enum { NAME_SHOWN = 40 };

static int topology_names_len(lsched_text t) {
    return (int)(t.len > NAME_SHOWN ? NAME_SHOWN : t.len);
}

static void topology_names_put(struct text_out *o, struct suggest *near, lsched_text name) {
    suggest_offer(near, name.ptr, (size_t)name.len);
    text_put(o, "%s%.*s", o->n ? ", " : "", topology_names_len(name), name.ptr);
}

/* Writes "; did you mean 'x'?", or if no known name is similar, the known names. */
static void topology_names_cure(const struct suggest *near, const char *before, const char *known,
                                char *cure, size_t cap) {
    struct text_out o = {cure, cap, 0};
    if (near->best)
        text_put(&o, "; did you mean '%.*s'?", (int)near->best_len, near->best);
    else
        text_put(&o, "%s%s", before, known);
}

int32_t topology_names_no_tree(const struct columns *k, lsched_text name, int32_t code,
                               const char *where, lsched_error *err) {
    char known[160] = "", cure[200];
    struct text_out o = {known, sizeof known, 0};
    struct suggest near;
    suggest_begin(&near, name.ptr, (size_t)name.len);
    EACH_LIVE(k, T_TOPOLOGY, t)
        topology_names_put(&o, &near, text_of(k, k->c[C_TOPOLOGY_NAME].u32[t]));
    if (o.n == 0)
        return fail(err, code,
                    "%s: a topology is needed, but the cluster has no topology; add one with "
                    "lsched_topologies_add",
                    where);
    if (name.len == 0)
        return fail(err, code, "%s: the cluster has several topologies; name the topology, too: %s",
                    where, known);
    topology_names_cure(&near, "; expected ", known, cure, sizeof cure);
    return fail(err, code, "%s: no topology is called '%.*s'%s", where, topology_names_len(name),
                name.ptr, cure);
}

int32_t topology_names_no_level(const struct columns *k, uint32_t tree, lsched_text level,
                                int or_node, const char *where, lsched_error *err) {
    static const lsched_text node = {"node", 4};
    char known[160] = "", cure[200];
    struct text_out o = {known, sizeof known, 0};
    struct suggest near;
    lsched_text name = text_of(k, k->c[C_TOPOLOGY_NAME].u32[tree]);
    suggest_begin(&near, level.ptr, (size_t)level.len);
    for (uint32_t l = 0; l < k->c[C_TOPOLOGY_N_LEVELS].u32[tree]; l++)
        topology_names_put(&o, &near, topology_level_key(k, tree, l));
    if (or_node) topology_names_put(&o, &near, node);
    topology_names_cure(&near, "; its levels are ", known, cure, sizeof cure);
    return fail(err, LSCHED_E_KEY, "%s: topology '%.*s' has no level '%.*s'%s", where,
                topology_names_len(name), name.ptr, topology_names_len(level),
                level.len ? level.ptr : "", cure);
}
