/* pack_day.c -- packing over time without a cluster: three services whose demand changes over
 * the day, on the fewest servers, and how sure that is. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <libsched/pack.h>
#include <stdio.h>

enum { SLOTS = 4, SERVICES = 3 };
#define HOUR_US INT64_C(3600000000)

static const int64_t bounds[SLOTS + 1] = {0, 6 * HOUR_US, 12 * HOUR_US, 18 * HOUR_US, 24 * HOUR_US};
static const char *const names[SERVICES] = {"assistant", "batches", "game"};
static const int64_t cores[SERVICES][SLOTS] = {
    {10, 60, 60, 20}, /* people at work */
    {80, 20, 10, 60}, /* at night */
    {5, 15, 25, 15},  /* in the afternoon */
};
static const int64_t capacity[1] = {100};
static const lsched_pack_resource cpu = {.size = sizeof cpu, .name = {"cpu", 3}};
static const lsched_pack_class servers = {.size = sizeof servers,
                                          .count = LSCHED_PACK_UNLIMITED,
                                          .capacity = capacity,
                                          .open_price_micro = 1000000};

/* One service: there all day, with a demand for each slot. */
static void make_service(int i, lsched_pack_config *config, lsched_pack_item *item) {
    *config = (lsched_pack_config){
        .size = sizeof *config, .n_slots = SLOTS, .duration_us = 24 * HOUR_US, .demand = cores[i]};
    *item = (lsched_pack_item){
        .size = sizeof *item, .name = lsched_cstr(names[i]), .configs = config, .n_configs = 1};
}

int main(void) {
    lsched_pack_config configs[SERVICES];
    lsched_pack_item items[SERVICES];
    for (int i = 0; i < SERVICES; i++) make_service(i, &configs[i], &items[i]);
    const lsched_pack_problem day = {.size = sizeof day,
                                     .n_resources = 1,
                                     .resources = &cpu,
                                     .classes = &servers,
                                     .n_classes = 1,
                                     .items = items,
                                     .n_items = SERVICES,
                                     .n_slots = SLOTS,
                                     .slot_bounds = bounds,
                                     .resource_size = sizeof cpu,
                                     .class_size = sizeof servers,
                                     .item_size = sizeof items[0],
                                     .config_size = sizeof configs[0],
                                     .reservation_size = sizeof(lsched_pack_reservation)};
    lsched_packer *packer = NULL;
    lsched_pack_place places[SERVICES];
    lsched_pack_info info = {.size = sizeof info};
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_packer_create(&day, NULL, &packer, &err) < 0 ||
        lsched_packer_run(packer, 1000000, &err) < 0 ||
        lsched_packer_get(packer, &info, &err) < 0 ||
        lsched_packer_places(packer, places, SERVICES, &err) < 0 ||
        lsched_pack_check(&day, NULL, places, SERVICES, NULL, &err) < 0) {
        fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
        lsched_packer_destroy(packer);
        return 1;
    }
    for (int i = 0; i < SERVICES; i++) printf("%s: server %" PRIu32 "\n", names[i], places[i].bin);
    printf("servers: %" PRIu32 "%s\n", info.bins, info.proved ? ", the fewest there can be" : "");
    lsched_packer_destroy(packer);
    return info.bins == 1 ? 0 : 1;
}
