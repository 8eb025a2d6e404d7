/*
 * csv_openb.c -- any bytes as an openb node list and task list: read whole, or refused with a
 * line and a column.
 *
 * The readers belong to the program and not to the library, so their sources are compiled into
 * this harness.
 */
#include "cli/support/cli_errors.c"
#include "cli/input/csv_reader.c"
#include "cli/input/last_line.c"
#include "cli/traces/openb_trace.c"

static void require(bool condition) {
    if (!condition) abort();
}

static void check_error(int32_t rc, const lsched_error *err, size_t len) {
    require(rc == err->code && rc < 0);
    require(err->line >= 1 && err->column >= 1 && err->column <= len + 1);
    require(memchr(err->message, '\0', sizeof err->message) != NULL && err->message[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    struct openb_nodes nodes;
    struct openb_tasks tasks;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *text = (const char *)data;
    int32_t rc = openb_nodes_read(text, len, &nodes, &err);
    if (rc == LSCHED_OK) {
        require(nodes.n > 0 && nodes.gpus > 0 &&
                (uint64_t)nodes.gpus <= LSCHED_DEVICES_PER_NODE_MAX * nodes.n);
        for (size_t i = 0; i < nodes.n; i++) {
            require(nodes.items[i].name.len >= 1 && nodes.items[i].line >= 2);
            require(nodes.items[i].gpus == 0 || nodes.items[i].model.len >= 1);
        }
        openb_nodes_free(&nodes);
    } else {
        check_error(rc, &err, len);
        require(nodes.items == NULL);
    }
    rc = openb_tasks_read(text, len, &tasks, &err);
    if (rc == LSCHED_OK) {
        require(tasks.n > 0 && tasks.gpu_milli > 0);
        openb_tasks_free(&tasks);
    } else {
        check_error(rc, &err, len);
        require(tasks.items == NULL);
    }
    return 0;
}
