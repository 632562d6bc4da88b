/* Every program that the tests run, chosen by the first argument. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* Uses this much cpu time. */
static void burn(double seconds) {
    double end = now(CLOCK_PROCESS_CPUTIME_ID) + seconds;
    while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
        for (int i = 0; i < 10000; i++) sink += i;
}

static void touch(size_t megabytes) {
    char *p = mmap(0, megabytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) { puts("refused"); exit(0); }
    for (size_t i = 0; i < megabytes << 20; i += 4096) p[i] = 1;
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, 0);
}

static void print_file(const char *path) {
    char buffer[1 << 16];
    int fd = open(path, O_RDONLY);
    if (fd < 0) { printf("%s: %s\n", path, strerror(errno)); return; }
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0) fwrite(buffer, 1, n, stdout);
    close(fd);
}

static void say(const char *what, long result) {
    if (result < 0) printf("%s: %s\n", what, strerror(errno));
    else printf("%s: done\n", what);
}

static int overflow(int depth) {
    volatile char frame[4096];
    frame[0] = depth;
    return overflow(depth + 1) + frame[0];
}

static void *burn_thread(void *seconds) {
    double end = now(CLOCK_THREAD_CPUTIME_ID) + *(double *)seconds;
    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        for (int i = 0; i < 10000; i++) sink += i;
    return 0;
}

static char untouched[1UL << 30];

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "true";
    long n = argc > 2 ? atol(argv[2]) : 0;
#define IS(name) if (!strcmp(what, name))
    IS("true") return 0;
    IS("exit") return n;
    IS("hello") { puts("hello"); fputs("world\n", stderr); return 0; }
    IS("cores") {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set)) return 1;
        for (int i = 0; i < CPU_SETSIZE; i++) if (CPU_ISSET(i, &set)) printf("%d ", i);
        if (n) { CPU_ZERO(&set); for (int i = 0; i < CPU_SETSIZE; i++) CPU_SET(i, &set); sched_setaffinity(0, sizeof set, &set); }
        return 0;
    }
    IS("cat") {
        int c;
        while ((c = getchar()) != EOF) putchar(c);
        return 0;
    }
    IS("cat-by-name") { print_file("/dev/stdin"); return 0; }
    IS("write-by-name") {
        FILE *f = fopen("/dev/stdout", "w");
        if (!f) { perror("stdout"); return 1; }
        fputs("by name\n", f);
        return 0;
    }
    IS("close-stdin") { close(0); return 0; }
    IS("abort") abort();
    IS("segv") { *(volatile int *)8 = 1; return 0; }
    IS("fpe") { volatile int zero = 0, one = argc; return one / zero; }
    IS("ill") __builtin_trap();
    IS("raise") { raise(n); return 0; }
    IS("kill-self") { kill(getpid(), n); pause(); return 0; }
    IS("sigpipe") {
        int p[2];
        pipe(p);
        close(p[0]);
        write(p[1], "x", 1);
        return 0;
    }
    IS("overflow") return overflow(0);
    IS("spin") for (;;) sink++;
    IS("sleep") { sleep(n ? n : 1000); return 0; }
    IS("burn") { burn(n / 1e3); return 0; }
    IS("burn-and-tell") {
        burn(n / 1e3);
        printf("%ld\n", (long)(now(CLOCK_PROCESS_CPUTIME_ID) * 1e6));
        return 0;
    }
    IS("stubborn") {
        for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
        for (;;) sink++;
    }
    IS("ignored-children") {
        /* Nobody ever waits for them, so no parent's usage contains theirs. */
        signal(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 2; i++)
            if (!fork()) { burn(n / 2e3); _exit(0); }
        while (wait(0) > 0 || errno != ECHILD) {}
        return 0;
    }
    IS("ignored-children-spin") {
        signal(SIGCHLD, SIG_IGN);
        for (int i = 0; i < 2; i++)
            if (!fork()) for (;;) sink++;
        pause();
    }
    IS("threads") {
        pthread_t t[4];
        double each = n / 4e3;
        for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, burn_thread, &each);
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
        return 0;
    }
    IS("daemon") {
        /* Leaves a grandchild in a session of its own that holds the output open. */
        if (!fork()) {
            setsid();
            if (!fork()) { for (;;) sleep(1); }
            _exit(0);
        }
        wait(0);
        puts("left");
        return 0;
    }
    IS("busy-daemon") {
        /* The daemon says when it has used n ms, and goes on. */
        int p[2];
        char byte;
        pipe(p);
        if (!fork()) {
            setsid();
            if (!fork()) {
                burn(n / 1e3);
                write(p[1], "x", 1);
                for (;;) sink++;
            }
            _exit(0);
        }
        wait(0);
        read(p[0], &byte, 1);
        return 0;
    }
    IS("touch") { touch(n); return 0; }
    IS("touch-children") {
        for (int i = 0; i < 8; i++)
            if (!fork()) { touch(n / 8); pause(); }
        while (wait(0) > 0) {}
        return 0;
    }
    IS("untouched") { untouched[5] = 1; return 0; }
    IS("memfd") {
        int fd = memfd_create("x", 0);
        char block[1 << 16];
        memset(block, 1, sizeof block);
        for (long i = 0; i < n * 16; i++)
            if (write(fd, block, sizeof block) < 0) { perror("write"); return 1; }
        return 0;
    }
    IS("flood") {
        char block[1 << 16];
        memset(block, 'a', sizeof block);
        for (;;) write(1, block, sizeof block);
    }
    IS("flood-stderr") {
        char block[1 << 10];
        memset(block, 'e', sizeof block);
        for (long i = 0; i < n; i++) write(2, block, sizeof block);
        puts("still here");
        return 0;
    }
    IS("write-exactly") {
        for (long i = 0; i < n; i++) putchar('a');
        return 0;
    }
    IS("sparse") {
        int fd = open("/w/big", O_CREAT | O_RDWR, 0600);
        ftruncate(fd, 8L << 30);
        puts("made");
        return 0;
    }
    IS("fill") {
        char block[1 << 16], path[64];
        memset(block, 1, sizeof block);
        snprintf(path, sizeof path, "%s/f%d", argv[2], 0);
        long total = 0;
        for (int i = 0; i < 64; i++) {
            snprintf(path, sizeof path, "%s/f%d", argv[2], i);
            int fd = open(path, O_CREAT | O_WRONLY, 0600);
            for (int k = 0; k < 4 && fd >= 0; k++) {
                ssize_t got = write(fd, block, sizeof block);
                if (got > 0) total += got;
            }
            close(fd);
        }
        printf("%ld\n", total);
        return 0;
    }
    IS("fork-bomb") {
        long made = 0;
        for (int i = 0; i < 1000; i++) {
            pid_t p = fork();
            if (!p) { pause(); _exit(0); }
            if (p > 0) made++;
        }
        printf("%ld\n", made);
        return 0;
    }
    IS("forks") {
        for (int i = 0; i < n; i++) {
            if (!fork()) _exit(0);
            wait(0);
        }
        printf("%d\n", getpid());
        return 0;
    }
    IS("kill-all") {
        say("kill -1", kill(-1, SIGKILL));
        say("kill 1", kill(1, SIGKILL));
        say("kill parent", kill(getppid(), SIGSTOP));
        say("kill group", kill(getppid(), SIGTERM));
        return 0;
    }
    IS("sockets") {
        say("inet", socket(AF_INET, SOCK_STREAM, 0));
        say("inet6", socket(AF_INET6, SOCK_DGRAM, 0));
        say("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
        say("vsock", socket(AF_VSOCK, SOCK_STREAM, 0));
        return 0;
    }
    IS("read") { print_file(argv[2]); return 0; }
    IS("list") {
        char command[] = "";
        (void)command;
        int fd = open(argv[2], O_RDONLY | O_DIRECTORY);
        if (fd < 0) { printf("%s: %s\n", argv[2], strerror(errno)); return 0; }
        char buffer[1 << 15];
        long got;
        while ((got = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
            for (long at = 0; at < got;) {
                char *name = buffer + at + 19;
                if (strcmp(name, ".") && strcmp(name, "..")) puts(name);
                at += *(unsigned short *)(buffer + at + 16);
            }
        return 0;
    }
    IS("fds") {
        for (int i = 0; i < 1024; i++)
            if (fcntl(i, F_GETFD) >= 0) printf("%d ", i);
        puts("");
        return 0;
    }
    IS("env") {
        extern char **environ;
        for (char **e = environ; *e; e++) puts(*e);
        return 0;
    }
    IS("identity") {
        char name[64] = "";
        gethostname(name, sizeof name);
        char cwd[64] = "";
        getcwd(cwd, sizeof cwd);
        sigset_t mask;
        sigprocmask(0, 0, &mask);
        int blocked = 0, ignored = 0;
        for (int i = 1; i < 65; i++) {
            struct sigaction a;
            if (sigismember(&mask, i) == 1) blocked++;
            if (!sigaction(i, 0, &a) && a.sa_handler != SIG_DFL) ignored++;
        }
        printf("pid %s uid %d gid %d host %s cwd %s blocked %d ignored %d nnp %d\n", getpid() > 1 ? ">1" : "1",
               getuid(), getgid(), name, cwd, blocked, ignored, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
        return 0;
    }
    IS("limits") {
        struct { const char *name; int which; } all[] = {
            {"core", RLIMIT_CORE}, {"nofile", RLIMIT_NOFILE}, {"stack", RLIMIT_STACK}, {"fsize", RLIMIT_FSIZE},
            {"memlock", RLIMIT_MEMLOCK}, {"nproc", RLIMIT_NPROC}};
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
            struct rlimit l;
            getrlimit(all[i].which, &l);
            printf("%s %ld %ld\n", all[i].name, (long)l.rlim_cur, (long)l.rlim_max);
        }
        return 0;
    }
    IS("leave") {
        /* Traces of every kind that a later run could look for. */
        close(open("/w/file", O_CREAT | O_WRONLY, 0600));
        symlink("/etc/passwd", "/tmp/link");
        mkfifo("/w/fifo", 0600);
        mkdir("/dev/shm/deep", 0700);
        chmod("/w", 0700);
        if (!fork()) { setsid(); pause(); }
        return 0;
    }
    IS("escape") {
        say("unshare user", unshare(CLONE_NEWUSER));
        say("unshare mount", unshare(CLONE_NEWNS));
        long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
        if (!child) _exit(0);
        say("clone user", child);
        say("clone3", syscall(SYS_clone3, 0, 0));
        say("chroot", chroot("/tmp"));
        say("mount", syscall(SYS_mount, "x", "/tmp", "tmpfs", 0, 0));
        say("setns", syscall(SYS_setns, 0, CLONE_NEWUSER));
        say("ptrace", syscall(SYS_ptrace, 16, 1, 0, 0));
        say("keyctl", syscall(SYS_keyctl, 0, -3, 1));
        say("io_uring", syscall(SYS_io_uring_setup, 1, 0));
        say("bpf", syscall(SYS_bpf, 0, 0, 0));
        say("setuid", setuid(0));
        say("sethostname", sethostname("x", 1));
        return 0;
    }
    IS("peek") {
        const char *files[] = {"/proc/1/environ", "/proc/1/mem", "/proc/1/fd", "/proc/1/stat", "/proc/1/exe"};
        for (int i = 0; i < 5; i++) say(files[i], open(files[i], O_RDONLY));
        return 0;
    }
    IS("int80") {
#ifdef __x86_64__
        __asm__ volatile("int $0x80" : : "a"(20) : "memory");
#endif
        return 0;
    }
    IS("x32") { syscall(0x40000000 + 39); return 0; }
    IS("outputs") {
        FILE *f = fopen("/w/out", "w");
        fputs("result", f);
        fclose(f);
        chmod("/w/out", 0755);
        symlink("/etc/passwd", "/w/link");
        mkfifo("/w/fifo", 0666);
        f = fopen("/w/large", "w");
        for (int i = 0; i < 100000; i++) putc('x', f);
        fclose(f);
        return 0;
    }
    IS("interactor") {
        /* Answers guesses of a secret number; 42 when it is found within 20, 43 otherwise. */
        for (int i = 0; i < 20; i++) {
            long guess;
            if (scanf("%ld", &guess) != 1) return 43;
            if (guess == n) { puts("="); fflush(stdout); return 42; }
            puts(guess < n ? "<" : ">");
            fflush(stdout);
        }
        return 43;
    }
    IS("guesser") {
        long low = 0, high = 1 << 20;
        char answer[4];
        for (;;) {
            long guess = (low + high) / 2;
            printf("%ld\n", guess);
            fflush(stdout);
            if (scanf("%3s", answer) != 1) return 7;
            if (*answer == '=') return 0;
            if (*answer == '<') low = guess + 1; else high = guess - 1;
        }
    }
    IS("bad-guesser") {
        char answer[4];
        for (;;) {
            puts("0");
            fflush(stdout);
            if (scanf("%3s", answer) != 1) return 7;
        }
    }
    IS("count-input") {
        long total = 0, got;
        char block[1 << 16];
        while ((got = read(0, block, sizeof block)) > 0) total += got;
        fprintf(stderr, "%ld", total);
        return 0;
    }
    IS("close-output") {
        /* The other reads the end of its input while this one lives. */
        char byte;
        close(1);
        return read(0, &byte, 1) ? 1 : 5;
    }
    fprintf(stderr, "no such program: %s\n", what);
    return 99;
}
