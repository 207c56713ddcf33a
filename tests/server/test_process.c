/* The program as launchers, operators and supervisors meet it: arguments, files, signals. */
#include "tests/lib/client.h"
#include "tests/lib/launch.h"
#include "tests/lib/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 20000, MOST_ARGS = 32 };

/* A latchd in a directory of its own, its output in a pipe. */
struct child {
    char dir[40];
    pid_t pid;
    int in, out;
    uid_t user;      /* whom it runs as, if not as we do */
    struct buf said; /* what it printed, ended by NUL after each call */
};

static void begin(struct child *c)
{
    *c = (struct child){.dir = "/tmp/latch-process-XXXXXX", .in = -1, .out = -1};
    assert_non_null(mkdtemp(c->dir));
}

_Noreturn static void become(const struct child *c, const char *name, const char *const *args,
                             const int in[2], const int out[2])
{
    const char *argv[MOST_ARGS] = {name};
    for (size_t i = 0; i < MOST_ARGS - 2 && args[i]; i++)
        argv[i + 1] = args[i];
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(out[1], STDERR_FILENO);
    int program = open(launch_latchd_path(), O_RDONLY | O_CLOEXEC); /* it may be in our home */
    bool ready = chdir(c->dir) == 0;
    if (c->user)
        ready = ready && setgid(c->user) == 0 && setuid(c->user) == 0;
    if (ready)
        fexecve(program, (char *const *)argv, environ);
    _exit(127);
}

static void begin_run(struct child *c, const char *name, const char *const *args)
{
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    fflush(NULL);
    c->pid = fork();
    if (c->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        become(c, name, args, in, out);
    }
    close(in[0]);
    close(out[1]);
    c->in = in[1];
    c->out = out[0];
}

/* Reads on until the output contains `text`, or to its end for NULL. */
static bool await(struct child *c, const char *text)
{
    for (;;) {
        *buf_room(&c->said, 1) = '\0';
        if (text && strstr(buf_bytes(&c->said).p, text))
            return true;
        struct pollfd p = {.fd = c->out, .events = POLLIN};
        if (poll(&p, 1, WAIT_MS) <= 0)
            return false;
        ssize_t n = read(c->out, buf_room(&c->said, 4096), 4095);
        if (n <= 0)
            return text == NULL;
        buf_added(&c->said, (size_t)n);
    }
}

static int exit_code(struct child *c)
{
    int status = -1;
    if (c->in >= 0)
        close(c->in);
    c->in = -1;
    assert_true(await(c, NULL));
    waitpid(c->pid, &status, 0);
    c->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void end(struct child *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGTERM);
        assert_int_equal(exit_code(c), 0);
    }
    close(c->out);
    buf_free(&c->said);
    nftw(c->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define RUN(c, name, ...)    begin_run((c), (name), (const char *const[]){__VA_ARGS__, NULL})
#define SERVER               "--port", "0", "--unixsocket", "s"
#define assert_said(c, text) assert_non_null(strstr(buf_bytes(&(c)->said).p, (text)))
#define READY                "Ready to accept connections"

static void path_in(const struct child *c, const char *name, char out[128])
{
    snprintf(out, 128, "%s/%s", c->dir, name);
}

static void write_file(const struct child *c, const char *name, const char *text)
{
    char path[128];
    path_in(c, name, path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool read_file(const struct child *c, const char *name, char *out, size_t room)
{
    char path[128];
    path_in(c, name, path);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    out[fread(out, 1, room - 1, f)] = '\0';
    fclose(f);
    return true;
}

/* Asks over the unix socket "s". */
static void assert_answer(const struct child *c, const char *command, const char *reply)
{
    char path[128];
    struct client client;
    struct buf got = {0};
    path_in(c, "s", path);
    assert_true(client_connect_unix(&client, path));
    assert_true(client_say(&client, command));
    assert_int_equal(client_read(&client, WAIT_MS, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    assert_string_equal(buf_bytes(&got).p, reply);
    client_close(&client);
    buf_free(&got);
}

/* A run that ends by itself with this output, all of it. */
static void assert_refuses(const char *input, const char *output, const char *const *args)
{
    struct child c;
    begin(&c);
    write_file(&c, "bad.conf", "port 0\n\n  foo bar  \n");
    begin_run(&c, "redis-server", args);
    assert_int_equal(write(c.in, input, strlen(input)), strlen(input));
    assert_int_equal(exit_code(&c), 1);
    assert_said(&c, output);
    end(&c);
}

#define REFUSES(input, output, ...)                                                                \
    assert_refuses((input), (output), (const char *const[]){__VA_ARGS__, NULL})

#define FATAL "\n*** FATAL CONFIG FILE ERROR (Redis 7.4.2) ***\n"
#define AT    FATAL "Reading the configuration file, at line "

TEST(process, mistakes_are_named_with_their_line_in_the_words_of_redis)
{
    REFUSES("", AT "3\n>>> 'foo bar'\nBad directive or wrong number of arguments\n", "bad.conf");
    REFUSES("", AT "2\n>>> 'foo \"bar\"'\nBad directive or wrong number of arguments\n", "--foo",
            "bar");
    REFUSES("", AT "3\n>>> 'timeout \"x\"'\nargument couldn't be parsed into an integer\n",
            "--port", "0", "--timeout", "x");
    REFUSES("", AT "2\n>>> 'port'\nwrong number of arguments\n", "--port");
    REFUSES("", AT "2\n>>> 'port \"1\" \"2\"'\nwrong number of arguments\n", "--port", "1", "2");
    REFUSES("", AT "2\n>>> 'port \"0\" \"-\"'\nwrong number of arguments\n", "--port", "0", "-",
            "--timeout", "1");
    REFUSES("port 0\nuser al on badrule\n",
            AT "2\n>>> 'user al on badrule'\nError in user declaration 'badrule': Syntax error\n",
            "-");
    REFUSES("port 0\nuser al on <secret\n",
            AT "2\n>>> 'user al on '\nError in user declaration '(redacted)': The password you are "
               "trying to remove from the user does not exist\n",
            "-");
    REFUSES("port 0\nuser al on\nuser al off\n",
            AT "3\n>>> 'user al off'\nError in user declaration 'al': Duplicate user found. A user "
               "can only be defined once in config files\n",
            "-");
    REFUSES("port 0\nuser al on (+get\n",
            AT
            "2\n>>> 'user al on (+get'\nError in user declaration '(+get': Unmatched parenthesis "
            "in selector definition\n",
            "-");
    REFUSES("port 0\nuser al on +nosuch\n",
            "Error loading ACL rule '+nosuch' for the user named 'al': Unknown command or category "
            "name in ACL",
            "-");
    REFUSES("port \"0\n", AT "1\n>>> 'port \"0'\nUnbalanced quotes in configuration line\n", "-");
    REFUSES("", "# Fatal error, can't open config file 'nosuch.conf': No such file or directory",
            "--include", "nosuch.conf");
    REFUSES("", FATAL "Can't read the password file 'nosuch': No such file or directory\n",
            "--requirepass-file", "nosuch");
}

TEST(process, options_may_lack_values_where_launchers_leave_them_out)
{
    /* Read to the end, and only then found to listen nowhere. */
    REFUSES("", "Configured to not listen anywhere, exiting.", "--save", "--port", "0");
    REFUSES("", "Configured to not listen anywhere, exiting.", "--port", "0", "--save");
    REFUSES("", "Configured to not listen anywhere, exiting.", "--port 0", "--save", "900", "1",
            "--die-with-parent", "--appendonly", "no", "--include", "none-*.conf");
    REFUSES("port 0\n", "Configured to not listen anywhere, exiting.", "-");
    REFUSES("port 1\n", "Configured to not listen anywhere, exiting.", "-", "--port", "0");
}

TEST(process, an_include_takes_every_file_of_a_pattern)
{
    struct child c;
    begin(&c);
    write_file(&c, "main.conf", "include part-*.conf\nhz 11\n");
    write_file(&c, "part-1.conf", "timeout 1\n");
    write_file(&c, "part-2.conf", "timeout 22\nmaxclients 33\nhz 12\n");
    RUN(&c, "latchd", "main.conf", SERVER);
    assert_true(await(&c, READY));
    assert_answer(&c, "CONFIG GET timeout maxclients hz",
                  "*6\r\n$7\r\ntimeout\r\n$2\r\n22\r\n$10\r\nmaxclients\r\n$2\r\n33\r\n"
                  "$2\r\nhz\r\n$2\r\n11\r\n");
    end(&c);
}

TEST(process, files_that_include_each_other_are_refused)
{
    struct child c;
    begin(&c);
    write_file(&c, "loop.conf", "include loop.conf\n");
    RUN(&c, "latchd", "loop.conf");
    assert_int_equal(exit_code(&c), 1);
    assert_said(&c, "include directives are nested too deeply");
    end(&c);
}

TEST(process, the_environment_stands_between_file_and_options)
{
    struct child c;
    begin(&c);
    write_file(&c, "a.conf", "timeout 1\nhz 21\ntcp-keepalive 31\n");
    setenv("LATCHD_HZ", "22", 1);
    setenv("LATCHD_TCP_KEEPALIVE", "32", 1);
    setenv("LATCHD_PORT", "tcp://10.0.0.1:6379", 1); /* as Kubernetes sets it */
    RUN(&c, "latchd", "a.conf", SERVER, "--tcp-keepalive", "33");
    unsetenv("LATCHD_HZ");
    unsetenv("LATCHD_TCP_KEEPALIVE");
    unsetenv("LATCHD_PORT");
    assert_true(await(&c, READY));
    assert_answer(&c, "CONFIG GET timeout", "*2\r\n$7\r\ntimeout\r\n$1\r\n1\r\n");
    assert_answer(&c, "CONFIG GET hz", "*2\r\n$2\r\nhz\r\n$2\r\n22\r\n");
    assert_answer(&c, "CONFIG GET tcp-keepalive", "*2\r\n$13\r\ntcp-keepalive\r\n$2\r\n33\r\n");
    end(&c);
}

TEST(process, a_bad_variable_is_named)
{
    setenv("LATCHD_TIMEOUT", "soon", 1);
    REFUSES("", "Environment variable LATCHD_TIMEOUT: argument couldn't be parsed into an integer",
            SERVER);
    unsetenv("LATCHD_TIMEOUT");
}

TEST(process, options_without_meaning_are_kept_and_warned_of_once)
{
    struct child c;
    begin(&c);
    RUN(&c, "latchd", SERVER, "--appendonly", "yes", "--save", "900", "1", "--save", "60", "2");
    assert_true(await(&c, READY));
    assert_answer(&c, "CONFIG GET appendonly", "*2\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n");
    const char *first = strstr(buf_bytes(&c.said).p, "option 'save' is accepted");
    assert_non_null(first);
    assert_null(strstr(first + 1, "option 'save' is accepted"));
    assert_said(&c, "option 'appendonly' is accepted");
    end(&c);
}

TEST(process, says_what_launchers_wait_for_under_each_name)
{
    static const char *const names[][2] = {{"redis-server", "Redis"},
                                           {"valkey-server", "Valkey"},
                                           {"/usr/bin/redis-server", "Redis"},
                                           {"latchd", "latchd"}};
    for (size_t i = 0; i < 4; i++) {
        struct child c;
        char banner[80];
        begin(&c);
        RUN(&c, names[i][0], SERVER);
        assert_true(await(&c, READY));
        snprintf(banner, sizeof banner, " * oO0OoO0OoO0Oo %s is starting oO0OoO0OoO0Oo\n",
                 names[i][1]);
        assert_said(&c, banner);
        end(&c);
    }
}

TEST(process, version_and_help_are_made_for_launchers_and_people)
{
    struct child c;
    begin(&c);
    RUN(&c, "redis-server", "--version");
    assert_int_equal(exit_code(&c), 0);
    assert_int_equal(strncmp(buf_bytes(&c.said).p, "Redis server v=7.4.2 sha=", 25), 0);
    assert_said(&c, "\nlatchd ");
    end(&c);
    begin(&c);
    RUN(&c, "latchd", "-h");
    assert_int_equal(exit_code(&c), 0);
    assert_said(&c, "--tcp-backlog");
    assert_said(&c, " appendfsync");
    end(&c);
}

TEST(process, a_picked_port_stands_in_the_log_in_config_and_in_a_file)
{
    struct child c;
    char port[32], line[96];
    begin(&c);
    RUN(&c, "latchd", "--port", "auto", "--port-file", "port", "--unixsocket", "s");
    assert_true(await(&c, READY));
    assert_true(read_file(&c, "port", port, sizeof port));
    struct client client;
    assert_true(client_connect_tcp(&client, "127.0.0.1", atoi(port)));
    client_close(&client);
    snprintf(line, sizeof line, "port=%d.\n", atoi(port));
    assert_said(&c, line);
    snprintf(line, sizeof line, "*2\r\n$4\r\nport\r\n$%zu\r\n%d\r\n", strlen(port) - 1, atoi(port));
    assert_answer(&c, "CONFIG GET port", line);
    end(&c);
}

TEST(process, ping_and_health_read_the_same_options_and_password)
{
    struct child server, check;
    char dir[64];
    begin(&server);
    write_file(&server, "secret", "hush hush\n");
    RUN(&server, "latchd", SERVER, "--requirepass-file", "secret");
    assert_true(await(&server, READY));
    snprintf(dir, sizeof dir, "%s", server.dir);

    begin(&check);
    RUN(&check, "latchd", "ping", "--dir", dir, SERVER, "--requirepass-file", "secret");
    assert_int_equal(exit_code(&check), 0);
    assert_string_equal(buf_bytes(&check.said).p, "PONG\n");
    end(&check);
    begin(&check);
    RUN(&check, "latchd", "health", "--dir", dir, SERVER, "--requirepass", "hush hush");
    assert_int_equal(exit_code(&check), 0);
    assert_said(&check, "healthy: s answered in ");
    end(&check);
    begin(&check);
    RUN(&check, "latchd", "ping", "--dir", dir, SERVER);
    assert_int_equal(exit_code(&check), 1);
    assert_said(&check, "s: NOAUTH Authentication required.\n");
    end(&check);
    end(&server);
    begin(&check);
    RUN(&check, "latchd", "ping", SERVER);
    assert_int_equal(exit_code(&check), 1);
    assert_said(&check, "s: No such file or directory\n");
    end(&check);
}

TEST(process, stops_on_sigterm_and_sigint_and_leaves_no_files)
{
    for (int i = 0; i < 2; i++) {
        struct child c;
        char pid[32];
        begin(&c);
        RUN(&c, "latchd", SERVER, "--pidfile", "pid");
        assert_true(await(&c, READY));
        assert_true(read_file(&c, "pid", pid, sizeof pid));
        assert_int_equal(atoi(pid), c.pid);
        kill(c.pid, i ? SIGINT : SIGTERM);
        assert_int_equal(exit_code(&c), 0);
        assert_said(&c, i ? "Received SIGINT scheduling shutdown..."
                          : "Received SIGTERM scheduling shutdown...");
        assert_false(read_file(&c, "pid", pid, sizeof pid));
        assert_false(read_file(&c, "s", pid, sizeof pid));
        end(&c);
    }
}

/* Waits until the file in the child's directory contains `text`. */
static bool await_file(const struct child *c, const char *name, const char *text)
{
    char contents[4096] = "", events[4096];
    int watch = inotify_init1(IN_CLOEXEC);
    struct pollfd p = {.fd = watch, .events = POLLIN};
    inotify_add_watch(watch, c->dir, IN_CREATE | IN_MODIFY | IN_MOVED_TO);
    bool there;
    while (!(there = read_file(c, name, contents, sizeof contents) && strstr(contents, text)) &&
           poll(&p, 1, WAIT_MS) > 0)
        assert_true(read(watch, events, sizeof events) > 0);
    close(watch);
    return there;
}

TEST(process, says_where_its_unix_socket_is_in_the_older_words_too)
{
    struct child c;
    begin(&c);
    RUN(&c, "latchd", SERVER);
    assert_true(await(&c, READY " unix"));
    assert_said(&c, "The server is now ready to accept connections at s");
    end(&c);
}

TEST(process, sighup_reopens_the_log)
{
    struct child c;
    char old[128], aside[128];
    begin(&c);
    RUN(&c, "latchd", SERVER, "--logfile", "log");
    assert_true(await_file(&c, "log", READY));
    path_in(&c, "log", old);
    path_in(&c, "log.1", aside);
    assert_int_equal(rename(old, aside), 0);
    kill(c.pid, SIGHUP);
    assert_true(await_file(&c, "log", "Received SIGHUP, log reopened."));
    end(&c);
}

TEST(process, log_lines_may_be_json)
{
    struct child c;
    begin(&c);
    RUN(&c, "latchd", SERVER, "--log-format", "json");
    assert_true(await(&c, READY));
    assert_int_equal(strncmp(buf_bytes(&c.said).p, "{\"time\":\"20", 11), 0);
    assert_said(&c, "\"level\":\"notice\",\"pid\":");
    end(&c);
}

TEST(process, rewrites_its_file_and_keeps_the_comments)
{
    struct child c;
    char text[4096];
    begin(&c);
    write_file(&c, "a.conf", "# first\nport 0\nunixsocket s\nappendonly yes\n# last\n");
    RUN(&c, "latchd", "a.conf");
    assert_true(await(&c, READY));
    assert_answer(&c, "CONFIG SET timeout 9 maxmemory 5mb", "+OK\r\n");
    assert_answer(&c, "CONFIG REWRITE", "+OK\r\n");
    assert_true(read_file(&c, "a.conf", text, sizeof text));
    static const char expected[] =
        "# first\nport 0\nunixsocket \"s\"\nappendonly yes\n# last\n"
        "\n# Generated by CONFIG REWRITE\ntimeout 9\nmaxmemory 5mb\ndir \"";
    text[sizeof expected - 1] = '\0';
    assert_string_equal(text, expected);
    end(&c);
}

TEST(process, ends_with_its_parent_when_asked_to)
{
    struct child c;
    begin(&c);
    int out[2], none[2];
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(none, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0)
            become(&c, "latchd", (const char *const[]){SERVER, "--die-with-parent", NULL}, none,
                   out);
        pause();
        _exit(0);
    }
    close(out[1]);
    close(none[0]);
    c.out = out[0];
    assert_true(await(&c, READY));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_true(await(&c, NULL)); /* the last one to hold the pipe has gone */
    assert_said(&c, "Received SIGTERM scheduling shutdown...");
    close(none[1]);
    end(&c);
}

TEST(process, tells_systemd_when_it_is_ready)
{
    struct child c;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char name[64], message[128] = "";
    begin(&c);
    int n = snprintf(name, sizeof name, "@latch-notify-%d", (int)getpid());
    memcpy(at.sun_path, name, (size_t)n);
    at.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, length), 0);
    setenv("NOTIFY_SOCKET", name, 1);
    RUN(&c, "latchd", SERVER, "--supervised", "systemd");
    unsetenv("NOTIFY_SOCKET");
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, WAIT_MS), 1);
    assert_true(recv(fd, message, sizeof message - 1, 0) > 0);
    assert_int_equal(strncmp(message, "READY=1\n", 8), 0);
    end(&c);
    close(fd);
}

TEST(process, serves_a_socket_that_was_opened_for_it)
{
    struct child c;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char path[128], pid[32];
    begin(&c);
    path_in(&c, "s", path);
    memcpy(at.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), in[2], out[2];
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    fflush(NULL);
    c.pid = fork();
    if (c.pid == 0) {
        snprintf(pid, sizeof pid, "%d", (int)getpid());
        setenv("LISTEN_PID", pid, 1);
        setenv("LISTEN_FDS", "1", 1);
        int high_in[2] = {fcntl(in[0], F_DUPFD_CLOEXEC, 20), -1};
        int high_out[2] = {-1, fcntl(out[1], F_DUPFD_CLOEXEC, 20)};
        if (fd != 3)
            dup2(fd, 3);
        become(&c, "latchd", (const char *const[]){"--port", "0", NULL}, high_in, high_out);
    }
    close(fd);
    close(in[0]);
    close(out[1]);
    c.in = in[1];
    c.out = out[0];
    assert_true(await(&c, "Server initialized"));
    assert_answer(&c, "PING", "+PONG\r\n");
    end(&c);
}

TEST(process, goes_to_the_background_when_asked_to)
{
    struct child c;
    char pid[32];
    int status = -1;
    begin(&c);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that the daemon can be waited for */
    RUN(&c, "latchd", SERVER, "--daemonize", "yes", "--pidfile", "pid", "--logfile", "log");
    assert_int_equal(exit_code(&c), 0);
    assert_true(await_file(&c, "log", READY));
    assert_answer(&c, "PING", "+PONG\r\n");
    assert_true(read_file(&c, "pid", pid, sizeof pid));
    pid_t daemon = (pid_t)atoi(pid);
    assert_int_equal(getsid(daemon), daemon);
    kill(daemon, SIGTERM);
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_int_equal(status, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    end(&c);
}

/* The process may have no more memory than it has now. */
static void starve(pid_t pid)
{
    char path[64], pages[256] = "";
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(pages, sizeof pages, f));
    fclose(f);
    rlim_t now = strtoul(pages, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(prlimit(pid, RLIMIT_AS, &(struct rlimit){now, now}, NULL), 0);
}

/* The first key takes the first memory for keys, of which nobody has chosen the size. */
static void set_first_key(const struct child *c)
{
    char path[128];
    struct client client;
    path_in(c, "s", path);
    assert_true(client_connect_unix(&client, path));
    assert_true(client_say(&client, "SET k v"));
    assert_true(client_closed(&client, WAIT_MS));
    client_close(&client);
}

/* What we need ourselves and do not get; of what a client wants, tests/faults tells. */
TEST(process, without_memory_for_itself_it_ends_with_one_line_in_the_log)
{
    static const char last[] = " # latchd: out of memory (";
    for (int daemonized = 0; daemonized < 2; daemonized++) {
        struct child c;
        char text[4096];
        int status = 0;
        begin(&c);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        RUN(&c, "latchd", SERVER, "--daemonize", daemonized ? "yes" : "no", "--pidfile", "pid",
            "--logfile", "log");
        assert_true(await_file(&c, "log", READY));
        assert_true(read_file(&c, "pid", text, sizeof text));
        pid_t pid = (pid_t)atoi(text);
        assert_answer(&c, "PING", "+PONG\r\n"); /* all that starting takes has been taken */
        starve(pid);
        set_first_key(&c);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_true(read_file(&c, "log", text, sizeof text));
        const char *at = strstr(text, last);
        assert_non_null(at);
        assert_string_equal(strchr(at, '\n'), "\n"); /* and nothing after it */
        if (daemonized)
            assert_int_equal(exit_code(&c), 0);
        c.pid = 0;
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        end(&c);
    }
}

/* A device for which the disk is always full, under another name; false where none can be made. */
static bool make_full(const struct child *c, const char *name)
{
    char path[128];
    path_in(c, name, path);
    return mknod(path, S_IFCHR | 0666, makedev(1, 7)) == 0 || symlink("/dev/full", path) == 0;
}

TEST(process, goes_on_when_the_disk_is_full)
{
    struct child c;
    char log[128];
    begin(&c);
    assert_true(make_full(&c, "full"));
    RUN(&c, "latchd", SERVER, "--logfile", "log", "--pidfile", "full", "--enable-debug-command",
        "yes");
    assert_true(await_file(&c, "log", "Failed to write PID file: No space left on device"));
    assert_true(await_file(&c, "log", READY));
    path_in(&c, "log", log);
    assert_int_equal(remove(log), 0);
    assert_true(make_full(&c, "log"));
    kill(c.pid, SIGHUP);
    assert_answer(&c, "DEBUG LOG nobody-will-read-this", "+OK\r\n");
    assert_answer(&c, "SET k v", "+OK\r\n");
    assert_answer(&c, "GET k", "$1\r\nv\r\n");
    kill(c.pid, SIGTERM);
    assert_int_equal(exit_code(&c), 0);
    path_in(&c, "full", log);
    assert_int_equal(access(log, F_OK), 0); /* what is no file is not removed */
    end(&c);
}

/* It will run as that user, in a directory of its own, in which "theirs" is root's. */
static void hand_over(struct child *c, uid_t user)
{
    char theirs[128];
    path_in(c, "theirs", theirs);
    assert_int_equal(mkdir(theirs, 0755), 0);
    assert_int_equal(chown(c->dir, user, user), 0);
    c->user = user;
}

TEST(process, a_user_without_rights_is_told_what_it_may_not_write)
{
    enum { NOBODY = 65534 };
    struct child c;
    char pid[32], path[128];
    if (geteuid() != 0)
        skip();
    begin(&c);
    hand_over(&c, NOBODY);
    RUN(&c, "latchd", SERVER, "--logfile", "theirs/log");
    assert_int_equal(exit_code(&c), 1);
    assert_said(&c, "Can't open the log file: Permission denied\n");
    end(&c);

    begin(&c);
    hand_over(&c, NOBODY);
    RUN(&c, "latchd", SERVER, "--logfile", "log", "--pidfile", "theirs/pid");
    assert_true(await_file(&c, "log", "Failed to write PID file: Permission denied"));
    assert_true(await_file(&c, "log", READY));
    path_in(&c, "log", path);
    assert_int_equal(chown(path, 0, 0), 0);
    kill(c.pid, SIGHUP);
    assert_true(await_file(&c, "log", "the log cannot be reopened: Permission denied"));
    assert_answer(&c, "PING", "+PONG\r\n");
    end(&c);

    /* A file that was made for it can be written where no other can be. */
    begin(&c);
    hand_over(&c, NOBODY);
    write_file(&c, "theirs/pid", "");
    path_in(&c, "theirs/pid", path);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    RUN(&c, "latchd", SERVER, "--pidfile", "theirs/pid");
    assert_true(await(&c, READY));
    assert_true(read_file(&c, "theirs/pid", pid, sizeof pid));
    assert_int_equal(atoi(pid), c.pid);
    end(&c);
}
