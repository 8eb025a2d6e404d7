/*
 * replay_main.c -- runs a fuzz harness over files instead of under libFuzzer: every file in the
 * directories (or files) named on the command line, in name order, so that a failure is found
 * again at the same place.
 *
 * It makes the corpus a plain regression test in every build, also with gcc. No input at all is an
 * error: a corpus that moved away must not look like a pass.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An exact-size copy, so that a sanitizer sees a read one byte past the end. */
static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (!file || fstat(fileno(file), &info) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file) fclose(file);
        return -1;
    }
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size ? size : 1);
    int failed = !data || fread(data, 1, size, file) != size;
    fclose(file);
    if (failed) {
        fprintf(stderr, "%s: cannot be read whole\n", path);
    } else {
        fprintf(stderr, "%s\n", path); /* the last name printed is the input that crashed */
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    return failed ? -1 : 1;
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int replay_directory(const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, visible, alphasort);
    int total = n < 0 ? -1 : 0;
    if (n < 0) fprintf(stderr, "%s: cannot be listed\n", path);
    for (int i = 0; i < n; i++) {
        size_t room = strlen(path) + strlen(entries[i]->d_name) + 2;
        char *name = malloc(room);
        if (name) {
            snprintf(name, room, "%s/%s", path, entries[i]->d_name);
            total += replay_file(name) < 0 ? -n : 1;
        }
        free(name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return total;
}

int main(int argc, char **argv) {
    int total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        int is_directory = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
        int n = is_directory ? replay_directory(argv[i]) : replay_file(argv[i]);
        if (n < 0) return 1;
        total += n;
    }
    printf("%d inputs\n", total);
    return total > 0 ? 0 : 1;
}
