// Preloaded: the n-th write, sync or rename below a folder fails once, or kills the process in its middle.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[PATH_MAX];
static long calls, failing = -1;
static int code;

// code: an errno, or 0 to kill. From here on, calls are counted from 0.
void arm(const char *below, long number, int with) {
    strncpy(folder, below, sizeof folder - 1);
    calls = 0, failing = number, code = with;
}

long counted(void) { return calls; }

static int below(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    return *folder && length >= (ssize_t)strlen(folder) && !strncmp(path, folder, strlen(folder));
}

static int fails(int counts) {
    if (!counts || calls++ != failing) return 0;
    errno = code;
    return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    if (!fails(below(descriptor))) return real(descriptor, bytes, count);
    if (!code) real(descriptor, bytes, count / 2), raise(SIGKILL);
    return -1;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    REAL(fwrite);
    if (!fails(below(fileno(file)))) return real(bytes, size, count, file);
    if (!code) real(bytes, size, count / 2, file), fflush(file), raise(SIGKILL);
    return 0;
}

int fsync(int descriptor) {
    REAL(fsync);
    if (!fails(below(descriptor))) return real(descriptor);
    if (!code) raise(SIGKILL);
    return -1;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (!fails(*folder && !strncmp(to, folder, strlen(folder)))) return real(from, to);
    if (!code) raise(SIGKILL);
    return -1;
}
