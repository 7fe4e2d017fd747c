#include "monitor/target/process_posix.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "tests/unit/wait_until.h"

static char name_sh[] = "sh", dash_c[] = "-c";

/* A shell that runs the script. */
static struct um_target_process *launch(char *script, const struct um_target_variable *variables)
{
    char *argv[] = {name_sh, dash_c, script, NULL};
    struct um_target_process *process = NULL;
    cr_assert_eq(um_process_launch(argv, 3, variables, &process), UM_OK);
    return process;
}

static uint32_t code_of(struct um_target_process *process)
{
    uint32_t code = 0;
    WAIT_UNTIL(!um_process_running(process), "it does not end");
    cr_assert_eq(um_process_exit_code(process, &code), UM_OK);
    um_process_close(process);
    return code;
}

Test(process_posix, says_how_a_program_has_ended)
{
    char leaves[] = "exit 7", killed[] = "kill -9 $$", waits[] = "exec sleep 600";
    uint32_t code;
    cr_expect_eq(code_of(launch(leaves, NULL)), 7);
    cr_expect_eq(code_of(launch(killed, NULL)), 128 + 9);
    struct um_target_process *process = launch(waits, NULL);
    cr_expect(um_process_running(process));
    cr_expect_eq(um_process_exit_code(process, &code), UM_ERR_BUSY);
    um_process_kill(process);
    cr_expect_eq(code_of(process), 128 + 9);
}

static size_t started_by(const struct um_target_process *launched, uint32_t *pid)
{
    uint32_t *pids;
    size_t count;
    cr_assert_eq(um_process_started(launched, &pids, &count), UM_OK);
    if (count > 0)
        *pid = pids[0];
    free(pids);
    return count;
}

/* Also what a program between them has started, after both have ended. */
Test(process_posix, knows_what_a_launched_program_has_started)
{
    char starts[] = "(sleep 600 & exit) & wait; exit 7", waits[] = "exec sleep 600";
    struct um_target_process *stranger = launch(waits, NULL), *started;
    struct um_target_process *process = launch(starts, NULL);
    uint32_t code, pid = 0;
    WAIT_UNTIL(!um_process_running(process), "it does not end");
    cr_expect_eq(um_process_exit_code(process, &code), UM_OK);
    cr_expect_eq(code, 7);
    cr_assert_eq(started_by(process, &pid), 1);
    cr_expect_eq(started_by(stranger, &pid), 0);
    cr_assert_eq(um_process_open(pid, &started), UM_OK);
    um_process_kill(started);
    WAIT_UNTIL(started_by(process, &pid) == 0, "it is still in the list");
    um_process_kill(stranger);
    um_process_close(started);
    um_process_close(stranger);
    um_process_close(process);
}

Test(process_posix, follows_a_process_that_is_not_its_own)
{
    char waits[] = "exec sleep 600";
    struct um_target_process *process = launch(waits, NULL), *other;
    uint64_t ns;
    cr_assert_eq(um_process_open(um_process_pid(process), &other), UM_OK);
    cr_expect(um_process_running(other));
    cr_expect_eq(um_process_cpu_ns(other, &ns), UM_OK);
    um_process_kill(process);
    WAIT_UNTIL(!um_process_running(other), "it goes on");
    um_process_close(other);
    um_process_close(process);
    cr_expect_eq(um_process_open(0x3ffffff, &other),
                 UM_ERR_NOT_FOUND); /* above the kernel's most */
}

Test(process_posix, gives_a_program_its_variables)
{
    const struct um_target_variable variables[] = {{"UM_ONE", "1", false},
                                                   {"UM_TWO", "b", true},
                                                   {"UM_THREE", "c", true},
                                                   {NULL, NULL, false}};
    char script[] = "[ \"$UM_ONE-$UM_TWO-$UM_THREE-$UM_FOUR\" = '1-a;b-c-d' ]";
    setenv("UM_ONE", "replaced", 1);
    setenv("UM_TWO", "a", 1);
    setenv("UM_FOUR", "d", 1);
    cr_expect_eq(code_of(launch(script, variables)), 0);
    cr_expect_str_eq(getenv("UM_ONE"), "replaced", "they are not in this process's environment");
}

/* What this process does with its terminal and its signals is its own business. */
Test(process_posix, gives_a_program_nothing_to_read_and_its_signals_back)
{
    char reads[] =
        "read -r line && exit 3; yes 2>/dev/null | head -n 1 >/dev/null; kill -PIPE $$; exit 4";
    signal(SIGPIPE, SIG_IGN);
    cr_expect_eq(code_of(launch(reads, NULL)), 128 + SIGPIPE);
}

/* A helper sees what it needs, and inherits the one file. */
Test(process_posix, helper_gets_little)
{
    char path[] = "/bin/sh", handle_text[16];
    char script[] =
        "[ -z \"$UM_SECRET\" ] && [ \"$HOME\" = /home/of-test ] && [ -e /proc/$$/fd/$0 ]";
    int files[2];
    cr_assert_eq(pipe2(files, O_CLOEXEC), 0);
    snprintf(handle_text, sizeof handle_text, "%d", files[0]);
    char *argv[] = {path, dash_c, script, handle_text, NULL};
    struct um_target_process *process;
    setenv("UM_SECRET", "x", 1);
    setenv("HOME", "/home/of-test", 1);
    cr_assert_eq(um_process_start_helper(argv, 4, files[0], &process), UM_OK);
    cr_expect_eq(code_of(process), 0);
    cr_assert_eq(um_process_start_helper(argv, 4, files[1], &process), UM_OK);
    cr_expect_neq(code_of(process), 0, "it has a file that it was not given");
}

/* Writes a file that may be run, and tries to. */
static enum um_status try_file(const char *text)
{
    char path[] = "/tmp/uimon-XXXXXX";
    char *argv[] = {path, NULL};
    struct um_target_process *process;
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    cr_assert(fchmod(file, 0700) == 0 && close(file) == 0);
    enum um_status status = um_process_launch(argv, 1, NULL, &process);
    unlink(path);
    return status;
}

Test(process_posix, says_that_a_file_is_no_program)
{
    cr_expect_eq(try_file("a text\n"), UM_ERR_FORMAT);
    cr_expect_eq(try_file("#!/no/such/interpreter\n"), UM_ERR_FORMAT);
    cr_expect_eq(try_file(""), UM_ERR_FORMAT);
}

Test(process_posix, finds_programs_by_name_and_path)
{
    char path[256];
    cr_expect_eq(um_process_find_program("sh", path, sizeof path), UM_OK);
    cr_expect(path[0] == '/' && access(path, X_OK) == 0, "%s", path);
    cr_expect_eq(um_process_find_program("/bin/sh", path, sizeof path), UM_OK);
    cr_expect_eq(um_process_find_program("/bin", path, sizeof path), UM_ERR_FORMAT);
    cr_expect_eq(um_process_find_program("/no/such", path, sizeof path), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_process_find_program("no-such-program", path, sizeof path), UM_ERR_NOT_FOUND);
    cr_expect_eq(um_process_find_program("sh", path, 4), UM_ERR_TOO_LARGE);
    setenv("PATH", ".:bin", 1); /* where a stranger may have put something */
    cr_assert_eq(chdir("/bin"), 0);
    cr_expect_eq(um_process_find_program("sh", path, sizeof path), UM_ERR_NOT_FOUND);
}

/* Whether it is in this state now; of one that is gone, whether that is 'Z'. */
static bool is_in(struct um_process_threads *files, char state, struct um_process_thread *thread)
{
    return um_process_thread_read(files, thread) ? thread->state == state : state == 'Z';
}

Test(process_posix, sees_a_thread_wait_and_stop_and_end)
{
    char script[] = "read -r line <&9; read -r line <&9; exec sleep 600";
    int files[2];
    cr_assert_eq(pipe(files), 0);
    cr_assert_geq(dup2(files[0], 9), 0);
    struct um_target_process *process = launch(script, NULL);
    uint32_t pid = um_process_pid(process);
    struct um_process_threads looks;
    struct um_process_thread before, after;
    cr_assert_eq(um_process_thread_open(pid, pid, &looks), UM_OK);
    WAIT_UNTIL(is_in(&looks, 'S', &before) && is_in(&looks, 'S', &after) &&
                   after.switches == before.switches,
               "it does not wait");
    cr_assert_eq(write(files[1], "x\n", 2), 2);
    WAIT_UNTIL(is_in(&looks, 'S', &after) && after.waits > before.waits, "it has not waited again");
    kill((pid_t)pid, SIGSTOP);
    WAIT_UNTIL(is_in(&looks, 'T', &after), "it does not stop");
    kill((pid_t)pid, SIGCONT);
    WAIT_UNTIL(is_in(&looks, 'S', &after), "it does not go on");
    um_process_kill(process);
    WAIT_UNTIL(is_in(&looks, 'Z', &after), "it does not end");
    um_process_thread_close(&looks);
    um_process_close(process);
    cr_expect_eq(um_process_thread_open(pid, 1, &looks), UM_ERR_NOT_FOUND);
}

static bool find_own_parent(void *context, uint32_t pid)
{
    bool *found = context;
    *found |= pid == (uint32_t)getppid();
    return !*found;
}

Test(process_posix, describes_processes)
{
    struct um_target_info info = {.pid = (uint32_t)getpid()};
    bool found = false;
    cr_assert(um_process_describe(&info));
    cr_expect_str_eq(info.name, "unit_tests");
    cr_expect_eq(info.bits, 8 * sizeof(void *));
    cr_expect_gt(info.started, 0);
    cr_expect_str_eq(info.why_not, "");
    cr_expect_eq(um_process_each(find_own_parent, &found), UM_OK);
    cr_expect(found);
    info.pid = 0x3ffffff;
    cr_expect(!um_process_describe(&info));
}
