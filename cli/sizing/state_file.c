/* state_file.c -- see state_file.h. */
#define _GNU_SOURCE /* flock, mkstemp, realpath */

#include "cli/sizing/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/support/cli_errors.h"

static int state_failed(const char *path) {
    complain("%s: cannot write: %s", path, strerror(errno));
    return EXIT_INTERNAL;
}

/* ---- opening ---- */

static void state_close(struct state_file *f) {
    int lock = f->lock;
    char *target = f->target;
    f->lock = -1;
    f->path = NULL;
    f->target = NULL;
    f->is_new = false;
    if (lock >= 0) close(lock);
    free(target);
}

/* Opens the file under its name and locks it. *again: the name leads to another file by now. */
static int state_lock(struct state_file *f, bool *again) {
    struct stat has, named;
    int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;
    *again = false;
    f->lock = open(f->path, flags);
    bool missing = f->lock < 0 && errno == ENOENT;
    if (missing) f->lock = open(f->path, flags | O_CREAT, 0666);
    if (f->lock < 0 || fstat(f->lock, &has) != 0) return state_failed(f->path);
    if (!S_ISREG(has.st_mode)) {
        complain("%s: expected a file that can be replaced, no device, pipe or folder", f->path);
        return EXIT_INPUT;
    }
    if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return state_failed(f->path);
        complain("%s: another run uses this file: expected one run at a time", f->path);
        return EXIT_INPUT;
    }
    *again = stat(f->path, &named) != 0 || named.st_dev != has.st_dev ||
             named.st_ino != has.st_ino || fstat(f->lock, &has) != 0;
    f->mode = (unsigned)has.st_mode & 0777;
    f->is_new = missing && has.st_size == 0;
    return EXIT_OK;
}

/* The folder of the file, which the caller frees. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? must_copy(path, (size_t)(slash - path) + 1) : must_copy(".", 1);
}

/* Asks at once for what the end of the run needs: to make a file in the folder. */
static int check_folder(const struct state_file *f) {
    char *folder = folder_of(f->target);
    int rc = access(folder, W_OK | X_OK) == 0 ? EXIT_OK : state_failed(folder);
    free(folder);
    return rc;
}

int state_file_open(struct state_file *f, const char *path) {
    bool again = path != NULL;
    int rc = EXIT_OK;
    *f = (struct state_file){.lock = -1};
    while (rc == EXIT_OK && again) {
        state_close(f);
        f->path = path;
        rc = state_lock(f, &again);
    }
    if (rc != EXIT_OK) state_close(f);
    if (rc != EXIT_OK || path == NULL) return rc;
    f->target = realpath(path, NULL);
    return f->target != NULL ? check_folder(f) : state_failed(path);
}

/* ---- replacing ---- */

/* Writes all bytes so that they are on the disk, and closes the file. */
static bool write_whole(int file, const char *text, size_t len, unsigned mode) {
    size_t n = 0;
    bool good = fchmod(file, (mode_t)mode) == 0;
    while (good && n < len) {
        ssize_t more = write(file, text + n, len - n);
        if (more > 0)
            n += (size_t)more;
        else
            good = more < 0 && errno == EINTR;
    }
    good = good && fsync(file) == 0;
    int before = errno;
    bool closed = close(file) == 0;
    if (!good) errno = before;
    return good && closed;
}

/* Lets the new name last a power failure. Some file systems cannot, which is no error. */
static void sync_folder(const char *target) {
    char *folder = folder_of(target);
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
        (void)fsync(dir);
        close(dir);
    }
    free(folder);
}

int state_file_replace(struct state_file *f, const char *text, size_t len) {
    static const char ending[] = ".XXXXXX";
    if (f->path == NULL) return EXIT_OK;
    size_t n = strlen(f->target);
    char *beside = must_alloc(n + sizeof ending);
    memcpy(beside, f->target, n);
    memcpy(beside + n, ending, sizeof ending);
    int file = mkstemp(beside);
    bool good =
        file >= 0 && write_whole(file, text, len, f->mode) && rename(beside, f->target) == 0;
    int rc = good ? EXIT_OK : state_failed(f->path);
    if (file >= 0 && !good) unlink(beside);
    free(beside);
    if (!good) {
        state_file_drop(f);
        return rc;
    }
    sync_folder(f->target);
    state_close(f);
    return EXIT_OK;
}

void state_file_drop(struct state_file *f) {
    if (f->path == NULL) return;
    if (f->is_new && f->target != NULL) unlink(f->target);
    state_close(f);
}
