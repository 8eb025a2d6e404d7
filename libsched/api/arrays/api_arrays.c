/* api_arrays.c -- the query about job arrays (include/libsched/arrays.h). */
#include "api/door/args.h"
#include "model/arrays/array.h"

LSCHED_API int32_t lsched_array_get(const lsched_cluster *c, lsched_id id, lsched_array_info *out,
                                    lsched_error *err) {
    uint32_t job;
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    const struct columns *k = &c->k;
    rc = arg_id(k, id, LSCHED_KIND_JOB, &job, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    if (a == NO_ROW)
        return fail(err, LSCHED_E_STATE, "job '%.*s' is neither an array nor an element of one",
                    (int)name.len, name.ptr);
    uint32_t array = k->c[C_ARRAY_JOB].u32[a];
    lsched_array_info info = {.size = sizeof info,
                              .count = k->c[C_ARRAY_COUNT].u32[a],
                              .waiting = array_weight(k, array),
                              .begun = k->c[C_ARRAY_LIVE].u32[a],
                              .succeeded = k->c[C_ARRAY_SUCCEEDED].u32[a],
                              .failed = array_failed(k, a),
                              .array = arg_id_of(k, LSCHED_KIND_JOB, array),
                              .index = LSCHED_ARRAY_NO_INDEX};
    if (array != job) (void)array_named(k, name, &info.index);
    return arg_out(out, &info, sizeof info);
}
