/*
 * place_pieces.c -- see place_pieces.h.
 *
 * An insertion sort is enough: a node has at most 128 devices, and its list is usually almost
 * sorted. The sort takes O(devices^2) at worst.
 */
#include "algorithms/support/place_pieces.h"

static int model_allowed(const lsched_task_shape *task, uint32_t model) {
    if (task->n_models == 0) return 1;
    for (uint32_t i = 0; i < task->n_models; i++)
        if (task->models[i] == model) return 1;
    return 0;
}

/* True if the device can hold the share that the task asks for. The task also takes the device
 * memory that it asks for. If it asks for no memory, its fraction of the device's memory equals its
 * share of the device. */
static int can_hold(const lsched_view *view, const lsched_task_shape *task, uint32_t device) {
    if (view->device_free_milli[device] < task->device_milli) return 0;
    if (!model_allowed(task, view->device_model[device])) return 0;
    int whole_only = view->device_share[device] == LSCHED_SHARING_WHOLE;
    if (task->device_milli < 1000 && whole_only) return 0;
    int64_t need = task->device_memory_bytes;
    if (need == 0) {
        int64_t all = view->device_memory_bytes[device];
        int64_t milli = task->device_milli;
        need = all / 1000 * milli + all % 1000 * milli / 1000;
    }
    return view->device_memory_free_bytes[device] >= need;
}

void place_pieces_read(struct place_pieces *pieces, const lsched_view *view,
                       const lsched_task_shape *task, uint32_t node) {
    uint32_t n = view->node_device_count[node];
    uint32_t first = view->node_device_first[node];
    if (n > LSCHED_DEVICES_PER_NODE_MAX) n = LSCHED_DEVICES_PER_NODE_MAX;
    pieces->n = n;
    pieces->fits = (struct piece_set){{0}};
    pieces->same_model = 1;
    pieces->idle_milli = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t free_milli = view->device_free_milli[first + i];
        uint32_t j = i;
        for (; j > 0 && pieces->free_milli[j - 1] <= free_milli; j--) {
            pieces->free_milli[j] = pieces->free_milli[j - 1];
            pieces->device[j] = pieces->device[j - 1];
        }
        pieces->free_milli[j] = free_milli;
        pieces->device[j] = (uint8_t)i;
        pieces->idle_milli += free_milli;
    }
    for (uint32_t j = 0; j < n; j++) {
        uint32_t device = first + pieces->device[j];
        pieces->model[j] = view->device_model[device];
        if (pieces->model[j] != pieces->model[0]) pieces->same_model = 0;
        if (task->gpu_devices && can_hold(view, task, device)) piece_set_add(&pieces->fits, j);
    }
}

struct piece_set place_pieces_tightest(const struct place_pieces *pieces, uint32_t count) {
    struct piece_set chosen = {{0}};
    for (uint32_t j = pieces->n; j > 0 && count > 0; j--) {
        if (!piece_set_has(&pieces->fits, j - 1)) continue;
        piece_set_add(&chosen, j - 1);
        count--;
    }
    return chosen;
}

/* Of several devices with the same free share, this function also chooses the device with the
 * lowest index first. Therefore it walks each run of such pieces from the end. */
struct piece_set place_pieces_loosest(const struct place_pieces *pieces, uint32_t count) {
    struct piece_set chosen = {{0}};
    for (uint32_t start = 0, end = 0; start < pieces->n && count > 0; start = end) {
        while (end < pieces->n && pieces->free_milli[end] == pieces->free_milli[start]) end++;
        for (uint32_t j = end; j > start && count > 0; j--) {
            if (!piece_set_has(&pieces->fits, j - 1)) continue;
            piece_set_add(&chosen, j - 1);
            count--;
        }
    }
    return chosen;
}

void place_pieces_devices(const struct place_pieces *pieces, const struct piece_set *chosen,
                          uint64_t *device_words) {
    for (uint32_t j = 0; j < pieces->n; j++) {
        uint32_t d = pieces->device[j];
        if (piece_set_has(chosen, j)) device_words[d / 64] |= (uint64_t)1 << d % 64;
    }
}
