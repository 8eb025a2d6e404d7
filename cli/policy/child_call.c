/*
 * child_call.c -- see child_call.h. The child is made with fork and without exec, because it needs
 * code and data that the parent has in memory. This is safe, because the program has only one
 * thread.
 *
 * The limits are set with setrlimit. In builds with a sanitizer the child has no memory limit,
 * because a sanitizer uses terabytes of address space.
 */
#define _XOPEN_SOURCE 700 /* for the functions of struct rlimit */
#include "cli/policy/child_call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

static void bound(int resource, size_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = most;
    setrlimit(resource, &limit);
}

static void bound_all(const struct child_bounds *bounds) {
    bound(RLIMIT_CORE, 0);
    bound(RLIMIT_CPU, bounds->core_seconds);
#ifndef HAS_SANITIZER
    bound(RLIMIT_AS, bounds->memory_bytes);
#endif
}

static bool send_all(int to, const char *from, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = write(to, from, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Reads until the pipe ends or until it has read `bytes` bytes. Returns the number of bytes that
 * were read. */
static size_t receive(int from, char *to, size_t bytes) {
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = read(from, to + got, bytes - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    return got;
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

static void tell_end(int status, const struct child_bounds *bounds, char words[CHILD_WORDS_BYTES]) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        snprintf(words, CHILD_WORDS_BYTES, "it took more than %u s", bounds->core_seconds);
    else if (WIFSIGNALED(status))
        snprintf(words, CHILD_WORDS_BYTES, "it crashed with signal %d", WTERMSIG(status));
    else
        snprintf(words, CHILD_WORDS_BYTES, "it ended early with code %d", WEXITSTATUS(status));
}

/* Discards what the child writes to stderr, because messages of a crashing library do not help
 * users. The parent reports how the child ended. */
static void say_nothing(void) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

bool child_call(void (*work)(const void *input, void *out), const void *input, void *out,
                size_t bytes, const struct child_bounds *bounds, char words[CHILD_WORDS_BYTES]) {
    int ends[2];
    pid_t child = -1;
    /* without this call, the child would have a copy of the parent's buffered output */
    fflush(NULL);
    if (pipe(ends) == 0) {
        child = fork();
        if (child < 0) close(ends[0]), close(ends[1]);
    }
    if (child < 0) {
        snprintf(words, CHILD_WORDS_BYTES, "no process for it: %s", strerror(errno));
        return false;
    }
    if (child == 0) {
        close(ends[0]);
        bound_all(bounds);
        say_nothing();
        work(input, out);
        _exit(send_all(ends[1], out, bytes) ? 0 : 1);
    }
    close(ends[1]);
    size_t got = receive(ends[0], out, bytes);
    close(ends[0]);
    int status = wait_for(child);
    if (got == bytes && status == 0) return true;
    tell_end(status, bounds, words);
    return false;
}
