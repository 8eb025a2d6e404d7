/*
 * image_seeds.c -- the seeds of the fuzzer of images (load_image.c): clusters that scenarios leave
 * behind, saved in today's form.
 *
 *   image_seeds CORPUS SCENARIO...          writes CORPUS/NAME.img for each .../NAME.yaml
 *   image_seeds --check CORPUS SCENARIO...  says what of this is not so any more
 *
 * A seed of an older form is refused at its header and exercises nothing behind it. So the check
 * loads each .img of the corpus whole, wants one for each scenario, and wants every table to have a
 * row in some seed. Inputs that once broke something may have any form: they do not end in .img.
 */
#include <dirent.h>
#include <libsched/scenario.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state/cluster.h"

struct bytes {
    uint8_t *at;
    size_t n, cap;
};

static void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes *x = user;
    if (n > x->cap - x->n) {
        x->cap = 2 * x->cap + n;
        x->at = realloc(x->at, x->cap);
    }
    if (!x->at) stop("image_seeds", "no memory");
    memcpy(x->at + x->n, bytes, n);
    x->n += n;
    return 0;
}

static struct bytes read_all(const char *path) {
    struct bytes x = {NULL, 0, 0};
    char block[4096];
    FILE *f = fopen(path, "rb");
    if (!f) stop(path, "cannot be read");
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) append(&x, block, n);
    if (ferror(f)) stop(path, "cannot be read");
    fclose(f);
    return x;
}

/* "CORPUS/NAME.img" of "any/NAME.yaml". */
static void seed_path(const char *corpus, const char *scenario, char path[4096]) {
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    const char *end = strrchr(name, '.');
    int len = end ? (int)(end - name) : (int)strlen(name);
    if (snprintf(path, 4096, "%s/%.*s.img", corpus, len, name) >= 4096) stop(scenario, "long name");
}

static void say_failure(void *user, const lsched_error *failure) {
    *(int *)user = 1;
    fprintf(stderr, "%s\n", failure->message);
}

static lsched_cluster *play(const char *path) {
    struct bytes text = read_all(path);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario_run_opts run = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int failed = 0;
    run.flags = LSCHED_RUN_VERIFY;
    run.on_failure = say_failure;
    run.user = &failed;
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){(const char *)text.at, text.n},
                                       lsched_cstr(path), &scenario, &err);
    if (rc >= 0) rc = lsched_scenario_cluster_opts(scenario, &opts);
    if (rc >= 0) rc = lsched_cluster_create(&opts, &c, &err);
    if (rc >= 0) rc = lsched_scenario_run(scenario, c, &run, NULL, &err);
    if (rc < 0 || failed) stop(path, err.message);
    lsched_scenario_destroy(scenario);
    free(text.at);
    return c;
}

static void write_seed(const char *corpus, const char *scenario) {
    struct bytes saved = {NULL, 0, 0};
    lsched_error err = LSCHED_ERROR_INIT;
    char path[4096];
    lsched_cluster *c = play(scenario);
    seed_path(corpus, scenario, path);
    if (lsched_cluster_save(c, append, &saved, &err) < 0) stop(path, err.message);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(saved.at, 1, saved.n, f) != saved.n || fclose(f) != 0)
        stop(path, "cannot be written");
    printf("%s: %zu bytes\n", path, saved.n);
    free(saved.at);
    lsched_cluster_destroy(c);
}

/* ---- check ---- */

static int load_seed(const char *path, uint8_t filled[TABLES]) {
    struct bytes image = read_all(path);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_cluster_load(&opts, image.at, image.n, &c, &err);
    free(image.at);
    if (rc < 0) {
        fprintf(stderr, "%s: %s: %s\n", path, lsched_error_name(rc), err.message);
        return 1;
    }
    for (uint32_t t = 0; t < TABLES; t++) filled[t] |= table_rows(&c->k, t) > 0;
    lsched_cluster_destroy(c);
    return 0;
}

static int check(const char *corpus, char **scenario, int n) {
    uint8_t filled[TABLES] = {0};
    char path[4096];
    int bad = 0, seeds = 0;
    for (int i = 0; i < n; i++) {
        seed_path(corpus, scenario[i], path);
        FILE *f = fopen(path, "rb");
        if (f) fclose(f);
        if (!f) fprintf(stderr, "%s: there is none\n", path);
        bad += !f;
    }
    DIR *dir = opendir(corpus);
    if (!dir) stop(corpus, "cannot be listed");
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 4, ".img") != 0) continue;
        if (snprintf(path, sizeof path, "%s/%s", corpus, e->d_name) >= (int)sizeof path)
            stop(e->d_name, "long name");
        bad += load_seed(path, filled);
        seeds++;
    }
    closedir(dir);
    int loaded = !bad;
    for (uint32_t t = 0; t < TABLES && loaded; t++) {
        if (filled[t]) continue;
        fprintf(stderr, "no seed has a row of %s: let a scenario make one\n", table_names[t]);
        bad++;
    }
    if (bad)
        fprintf(stderr, "build the target image_seeds_write: it writes the seeds anew\n");
    else
        printf("%d seeds load, with rows in all of %d tables\n", seeds, (int)TABLES);
    return bad > 0;
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "--check") == 0) return check(argv[2], argv + 3, argc - 3);
    if (argc < 3 || argv[1][0] == '-')
        stop("image_seeds", "usage: image_seeds [--check] CORPUS SCENARIO...");
    for (int i = 2; i < argc; i++) write_seed(argv[1], argv[i]);
    return 0;
}
