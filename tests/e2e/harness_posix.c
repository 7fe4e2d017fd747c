#include "tests/e2e/harness_backend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>

#include <criterion/criterion.h>

void sleep_ms(unsigned ms)
{
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&wait, NULL);
}

uint64_t unix_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t machine_now_ns(void)
{
    struct timespec now;
    /* Wine's QueryPerformanceCounter, or what base/plain/clock_posix.c reads. */
    clock_gettime(harness_backend_is_native() ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool harness_backend_is_native(void)
{
    return getenv("UM_NATIVE") != NULL;
}

const char *harness_backend_suffix(void)
{
    return harness_backend_is_native() ? "" : ".exe";
}

const char *windows_path(const char *unix_path)
{
    char *path = harness_backend_text();
    if (harness_backend_is_native()) {
        snprintf(path, PATH_BYTES, "%s", unix_path);
        return path;
    }
    snprintf(path, PATH_BYTES, "Z:%s", unix_path);
    for (char *at = path; *at; at++)
        if (*at == '/')
            *at = '\\';
    return path;
}

FILE *open_file(const char *path, const char *mode)
{
    return fopen(path, mode);
}

bool link_file(const char *from, const char *to)
{
    return symlink(from, to) == 0;
}

void set_variable(const char *name, const char *value)
{
    cr_assert_eq(setenv(name, value, 1), 0);
}

long harness_backend_pid(void)
{
    return getpid();
}

bool harness_backend_make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno != EEXIST;
}

static void redirect(const char *path, int descriptor)
{
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0)
        dup2(file, descriptor);
}

bool harness_backend_start(struct program *started, const char *path, const char *const *args)
{
    const char *argv[MAX_ARGS + 3] = {"wine", path};
    bool native = harness_backend_is_native();
    size_t count = 2;
    pid_t parent = getpid();

    for (; *args && count < MAX_ARGS + 2; args++)
        argv[count++] = *args;
    started->process = fork();
    if (started->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing outlives its test */
        if (getppid() != parent)
            _exit(127);
        setpgid(0, 0);
        redirect("/dev/null", STDIN_FILENO);
        redirect(started->out, STDOUT_FILENO);
        redirect(started->err, STDERR_FILENO);
        execvp(argv[native], (char *const *)(uintptr_t)(argv + native));
        _exit(127);
    }
    return started->process > 0;
}

int harness_backend_reap(struct program *started)
{
    int status;
    if (started->process <= 0)
        return 0;
    pid_t ended = waitpid((pid_t)started->process, &status, WNOHANG);
    if (ended == 0)
        return -1;
    started->process = 0;
    if (ended < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void print_of_thread(const char *threads, const char *thread, const char *what)
{
    char path[PATH_BYTES];
    char line[256];
    snprintf(path, sizeof path, "%s/%s/%s", threads, thread, what);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file))
        line[0] = 0;
    if (file)
        fclose(file);
    fprintf(stderr, " %.*s", (int)strcspn(line, "\n"), line);
}

void harness_backend_print_threads(const struct program *started)
{
    char path[PATH_BYTES];
    const struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)started->process);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        if (entry->d_name[0] == '.')
            continue;
        fprintf(stderr, "thread %s:", entry->d_name);
        print_of_thread(path, entry->d_name, "comm");
        print_of_thread(path, entry->d_name, "wchan");
        print_of_thread(path, entry->d_name, "syscall");
        fprintf(stderr, "\n");
    }
    if (threads)
        closedir(threads);
}

bool is_running(struct program *started)
{
    siginfo_t info = {.si_pid = 0};
    return started->process > 0 &&
           waitid(P_PID, (id_t)started->process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

/* A process whose threads do not get to run is not dead yet, and has its files locked still. */
void kill_hard(struct program *started)
{
    siginfo_t info;
    if (started->process <= 0)
        return;
    kill((pid_t)started->process, SIGKILL);
    waitid(P_PID, (id_t)started->process, &info, WEXITED | WNOWAIT); /* it is reaped later */
}

/* The kernel gives a signal of the process to any of its threads. Wine's handler of SIGINT begins a
 * thread, which takes memory. In a thread that is forking, because it starts a program, that waits
 * for ever for the locks that the fork holds. So the first thread gets the signal. */
void interrupt(struct program *started)
{
    if (started->process > 0)
        syscall(SYS_tgkill, (pid_t)started->process, (pid_t)started->process, SIGINT);
}

static Display *display(void)
{
    static Display *opened;
    if (!opened)
        opened = XOpenDisplay(NULL);
    cr_assert(opened != NULL, "no X display");
    return opened;
}

/* The process that says of a window that it is its own (EWMH, _NET_WM_PID); 0 if none does. */
static unsigned long process_of(Window window)
{
    Atom type;
    int format;
    unsigned long count, rest, pid = 0;
    unsigned char *value = NULL;

    if (XGetWindowProperty(display(), window, XInternAtom(display(), "_NET_WM_PID", False), 0, 1,
                           False, XA_CARDINAL, &type, &format, &count, &rest, &value) == Success &&
        value && format == 32 && count == 1)
        memcpy(&pid, value, sizeof pid);
    if (value)
        XFree(value);
    return pid;
}

bool harness_backend_is_front(const struct target *target)
{
    Window focus;
    int revert;
    unsigned pid = 0;

    XGetInputFocus(display(), &focus, &revert);
    if (focus == None || focus == PointerRoot ||
        process_of(focus) != (unsigned long)target->program.process)
        return false;
    sscanf(probe("foreground", NULL), "%*s %*s %u", &pid);
    return pid == target->pid;
}

void x_move(int x, int y)
{
    XTestFakeMotionEvent(display(), -1, x, y, CurrentTime);
    XSync(display(), False);
}

void x_pointer(int *x, int *y)
{
    Window root = DefaultRootWindow(display());
    Window child;
    unsigned mask;
    int inside_x;
    int inside_y;
    XQueryPointer(display(), root, &root, &child, x, y, &inside_x, &inside_y, &mask);
}

void x_click(int x, int y)
{
    x_move(x, y);
    XTestFakeButtonEvent(display(), 1, True, CurrentTime);
    XTestFakeButtonEvent(display(), 1, False, CurrentTime);
    XSync(display(), False);
}

void x_button(bool down)
{
    XTestFakeButtonEvent(display(), 1, down ? True : False, CurrentTime);
    XSync(display(), False);
}

/* Letters, digits and blanks. */
void x_type(const char *text)
{
    for (; *text; text++) {
        char name[2] = {*text, 0};
        KeySym symbol = *text == ' ' ? XStringToKeysym("space") : XStringToKeysym(name);
        KeyCode code = XKeysymToKeycode(display(), symbol);
        XTestFakeKeyEvent(display(), code, True, CurrentTime);
        XTestFakeKeyEvent(display(), code, False, CurrentTime);
        XSync(display(), False);
    }
}

void x_pixels(int x, int y, int width, int height, uint32_t *pixels)
{
    /* With a compositor the root window's image has everything on it (IncludeInferiors). */
    XImage *image = XGetImage(display(), DefaultRootWindow(display()), x, y, (unsigned)width,
                              (unsigned)height, AllPlanes, ZPixmap);
    cr_assert(image != NULL, "no pixels at %d,%d", x, y);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            *pixels++ = (uint32_t)XGetPixel(image, column, row) & 0xffffff;
    XDestroyImage(image);
}
