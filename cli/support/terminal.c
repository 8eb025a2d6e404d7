/*
 * terminal.c -- see terminal.h.
 */
#define _GNU_SOURCE
#include "cli/support/terminal.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { REDRAW_NS = 100000000, BAR = 24, LINE_MAX_COLUMNS = 100, EXIT_INTERRUPTED = 128 + SIGINT };

/* State that the signal handler reads: whether the terminal shows a bar, and the id of the process
 * that draws the bar. */
static volatile sig_atomic_t bar_is_drawn;
static pid_t main_process;

static void say(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* the program has no way to report this error */
}

/* Handles SIGINT. A signal handler is only allowed to call functions such as write and _exit. A
 * child process exits without a message, because the parent process prints it. */
static void interrupted(int number) {
    (void)number;
    if (getpid() == main_process) {
        if (bar_is_drawn) say("\r\033[K");
        say("lsched: interrupted\n");
    }
    _exit(EXIT_INTERRUPTED);
}

void terminal_watch_interrupt(void) {
    struct sigaction now, then = {.sa_handler = interrupted};
    main_process = getpid();
    sigemptyset(&then.sa_mask);
    if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(SIGINT, &then, NULL);
}

int terminal_width(FILE *stream) {
    struct winsize size;
    int fd = fileno(stream);
    if (fd < 0 || !isatty(fd)) return 0;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

static int64_t read_clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_core_ns(void) {
    return read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void progress_begin(struct progress *progress, bool forced, bool forbidden, uint64_t total) {
    memset(progress, 0, sizeof *progress);
    progress->width = terminal_width(stderr);
    progress->terminal = progress->width > 0;
    progress->on = !forbidden && (forced || progress->terminal);
    progress->total = total > 0 ? total : 1;
    progress->started_ns = read_clock_ns(CLOCK_MONOTONIC);
    /* the first bar is drawn after one interval, therefore short work shows no bar */
    progress->drawn_ns = progress->started_ns;
}

static void write_left(const struct progress *progress, int64_t now_ns, char *text, size_t cap) {
    text[0] = '\0';
    int64_t spent_ns = now_ns - progress->started_ns;
    /* it is too early to estimate the time that is left */
    if (spent_ns < 1000000000 || progress->done == 0) return;
    double left_s = (double)spent_ns * 1e-9 * (double)(progress->total - progress->done) /
                    (double)progress->done;
    if (left_s >= 90) {
        snprintf(text, cap, "  %.0f min left", left_s / 60);
    } else {
        snprintf(text, cap, "  %.0f s left", left_s);
    }
}

static void draw(const struct progress *progress, int64_t now_ns, const char *label) {
    char left[32], line[256];
    char bar[BAR + 1];
    int full = (int)(progress->done * BAR / progress->total);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(BAR - full));
    bar[BAR] = '\0';
    write_left(progress, now_ns, left, sizeof left);
    int percent = (int)(progress->done * 100 / progress->total);
    int columns = snprintf(line, sizeof line, "[%s] %3d %%%s  %s", bar, percent, left, label);
    int room = progress->width - 1 < LINE_MAX_COLUMNS ? progress->width - 1 : LINE_MAX_COLUMNS;
    /* a bar that is wider than the terminal would wrap, and the next bar could not overwrite it */
    if (columns > room) columns = room;
    bar_is_drawn = 1;
    fprintf(stderr, "\r%.*s\033[K", columns, line);
    fflush(stderr);
}

void progress_step(struct progress *progress, uint64_t done, const char *label) {
    progress->done = done < progress->total ? done : progress->total;
    if (!progress->on) return;
    if (!progress->terminal) {
        unsigned tenths = (unsigned)(progress->done * 10 / progress->total);
        if (tenths > progress->tenths) {
            progress->tenths = tenths;
            fprintf(stderr, "%3u %%  %s\n", tenths * 10, label);
        }
        return;
    }
    int64_t now_ns = read_clock_ns(CLOCK_MONOTONIC);
    if (now_ns - progress->drawn_ns < REDRAW_NS) return;
    progress->drawn_ns = now_ns;
    draw(progress, now_ns, label);
}

void progress_hide(struct progress *progress) {
    if (!progress->on || !progress->terminal) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar_is_drawn = 0;
    progress->drawn_ns = 0;
}
