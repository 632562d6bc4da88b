/* Programs that mean harm, chosen by the first argument. What one gets at that it must not it prints as "got: ...". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static volatile unsigned long sink;

static void spin(void) { for (;;) sink++; }

static void got(const char *what) { printf("got: %s\n", what); }

/* The call must fail. */
static void refused(const char *what, long result) { if (result >= 0) got(what); }

static void must_not_open(const char *path, int flags) {
    int fd = open(path, flags);
    if (fd >= 0) { got(path); close(fd); }
}

static void touch(char *p, size_t bytes) { for (size_t i = 0; i < bytes; i += 4096) p[i] = 1; }

static void *spin_thread(void *unused) { spin(); return unused; }
static void *sleep_thread(void *unused) { pause(); return unused; }

static void write_blocks(int fd, size_t bytes) {
    static char block[1 << 16];
    memset(block, 7, sizeof block);
    for (size_t done = 0; done < bytes; done += sizeof block)
        if (write(fd, block, sizeof block) < 0) return;
}

static void fill(const char *folder) {
    char path[64];
    for (int i = 0; i < 4096; i++) {
        snprintf(path, sizeof path, "%s/f%d", folder, i);
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        if (fd < 0) return;
        write_blocks(fd, 8 << 20);
        close(fd);
    }
}

static int deep(int depth) {
    volatile char frame[1 << 14];
    frame[depth & 1023] = depth;
    return deep(depth + 1) + frame[0];
}

static char lot[200UL << 20];

/* Writes what another run of the same program looks for, or looks for it. */
static void mark(const char *word, int leave, int pids) {
    char name[128], value[64];
    struct sockaddr_un abstract = {.sun_family = AF_UNIX};
    snprintf(abstract.sun_path + 1, 100, "%s", word);
    const char *places[] = {"/w", "/tmp", "/dev/shm", "/box", "/proc/self/task", "/dev", "/"};
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "%s/%s", places[i], word);
        if (leave) {
            close(open(name, O_CREAT | O_WRONLY, 0666));
            snprintf(name, sizeof name, "%s/%s.folder", places[i], word);
            mkdir(name, 0777);
        } else if (!access(name, F_OK)) got(name);
        if (leave) setxattr(places[i], "user.mark", word, strlen(word), 0);
        else if (getxattr(places[i], "user.mark", value, sizeof value) > 0) got("an attribute");
    }
    long key = leave ? syscall(SYS_add_key, "user", word, word, 4, -3) : syscall(SYS_request_key, "user", word, 0, -3);
    if (key > 0) got("a key");
    int shm = shmget(1234, 4096, leave ? IPC_CREAT | 0666 : 0);
    if (shm >= 0) got("SysV memory");
    struct { int name; long attr[8]; } *unused = 0;
    (void)unused;
    if (syscall(SYS_mq_open, word, leave ? O_CREAT | O_RDWR : O_RDWR, 0666, 0) >= 0) got("a message queue");
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (leave) { bind(s, (void *)&abstract, sizeof abstract); listen(s, 1); }
    else if (!connect(s, (void *)&abstract, sizeof abstract)) got("an abstract socket");
    if (leave && !fork()) { setsid(); pause(); }
    if (leave) {
        for (int i = 0; i < 50; i++) if (!fork()) _exit(0);
        while (wait(0) > 0 && 0) {}
        sethostname(word, strlen(word));
        prctl(PR_SET_NAME, word);
        setpriority(PRIO_PROCESS, 0, 10);
        umask(0777);
    } else {
        char host[64] = "";
        gethostname(host, sizeof host);
        if (!strcmp(host, word)) got("the host name");
        if (getpriority(PRIO_PROCESS, 0)) got("a priority");
        if (pids && getpid() > 3) printf("got: pid %d tells of earlier processes\n", getpid());
        mode_t mask = umask(022);
        if (mask != 022) got("a file mask");
        cpu_set_t set;
        sched_getaffinity(0, sizeof set, &set);
        if (CPU_COUNT(&set) < 2 && sysconf(_SC_NPROCESSORS_CONF) > 1) got("an affinity");
    }
}

int main(int argc, char **argv) {
    const char *what = argv[1];
    const char *extra = argc > 2 ? argv[2] : "";
    setvbuf(stdout, 0, _IOLBF, 0);
#define IS(name) if (!strcmp(what, name))
    IS("nothing") return 0;
    /* Time. */
    IS("spin") spin();
    IS("sleep") for (;;) pause();
    IS("stubborn") { for (int i = 1; i < 65; i++) signal(i, SIG_IGN); spin(); }
    IS("ignored-children") { signal(SIGCHLD, SIG_IGN); for (int i = 0; i < 3; i++) if (!fork()) spin(); pause(); }
    IS("threads") { pthread_t t; for (int i = 0; i < 3; i++) pthread_create(&t, 0, spin_thread, 0); pause(); }
    IS("other-session") { if (!fork()) { setsid(); if (!fork()) spin(); _exit(0); } for (;;) pause(); }
    IS("stop-parent") { if (!fork()) { kill(getppid(), SIGSTOP); for (;;) pause(); } for (;;) pause(); }
    IS("stop-itself") { kill(0, SIGSTOP); return 0; }
    IS("vfork-bomb") { while (vfork() >= 0) {} for (;;) pause(); }
    IS("relay-race") {
        /* No process lives long enough to be looked at, and nobody waits for any. */
        signal(SIGCHLD, SIG_IGN);
        for (;;) {
            if (fork() > 0) _exit(0);
            for (int i = 0; i < 3000000; i++) sink++;
            if (getppid() != 1) usleep(100);
        }
    }
    /* Memory. */
    IS("malloc") { size_t n = 200 << 20; touch(malloc(n), n); return 0; }
    IS("static") { touch(lot, sizeof lot); return 0; }
    IS("huge") { size_t n = 16UL << 30; touch(mmap(0, n, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), n); return 0; }
    IS("stack") return deep(0);
    IS("memfd") { for (int i = 0; i < 64; i++) write_blocks(memfd_create("x", 0), 8 << 20); return 0; }
    IS("fill") { fill(extra); return 0; }
    IS("shared") { size_t n = 200 << 20; touch(mmap(0, n, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0), n); return 0; }
    IS("many") {
        for (int i = 0; i < 10; i++) if (!fork()) { touch(malloc(20 << 20), 20 << 20); pause(); }
        while (wait(0) > 0) {}
        return 0;
    }
    IS("pipes") {
        /* Memory that belongs to no process. */
        for (int i = 0; i < 100; i++) {
            int p[2];
            if (pipe(p)) break;
            fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
            fcntl(p[1], F_SETFL, O_NONBLOCK);
            write_blocks(p[1], 1 << 20);
        }
        return 0;
    }
    /* Output. */
    IS("flood") for (;;) write_blocks(1, 1 << 20);
    IS("flood-children") { for (int i = 0; i < 3; i++) if (!fork()) for (;;) write_blocks(1, 1 << 20); for (;;) pause(); }
    IS("sparse") { ftruncate(open("/w/x", O_CREAT | O_RDWR, 0600), 8L << 30); return 0; }
    IS("fallocate") { fallocate(open("/w/x", O_CREAT | O_RDWR, 0600), 0, 0, 8L << 30); return 0; }
    IS("inodes") {
        char path[64];
        for (int i = 0; i < 10000; i++) { snprintf(path, sizeof path, "/w/%d", i); if (mknod(path, S_IFREG | 0600, 0)) break; }
        return 0;
    }
    IS("flood-stderr") { write_blocks(2, 64 << 20); return 0; }
    /* Ends. */
    IS("abort") abort();
    IS("segv") { *(volatile int *)8 = 1; return 0; }
    IS("fpe") { volatile int zero = 0; return argc / zero; }
    IS("int80") {
#ifdef __x86_64__
        __asm__ volatile("int $0x80" : : "a"(20) : "memory");
#endif
        return 0;
    }
    IS("x32") { syscall(0x40000000 + 39); return 0; }
    IS("fork-bomb") { for (;;) if (fork() < 0 && errno == EAGAIN) _exit(3); }
    IS("thread-bomb") { pthread_t t; while (!pthread_create(&t, 0, sleep_thread, 0)) {} _exit(3); }
    IS("core") {
        struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
        if (!setrlimit(RLIMIT_CORE, &unlimited)) got("core files");
        prctl(PR_SET_DUMPABLE, 1);
        if (!fork()) abort();
        wait(0);
        if (!access("/w/core", F_OK)) got("/w/core");
        return 0;
    }
    IS("raise-limits") {
        for (int i = 0; i < RLIM_NLIMITS; i++) {
            struct rlimit l;
            getrlimit(i, &l);
            if (l.rlim_max == RLIM_INFINITY) continue;
            l.rlim_max++;
            if (!setrlimit(i, &l)) printf("got: limit %d raised\n", i);
        }
        return 0;
    }
    /* Reach. */
    IS("kill") {
        refused("kill 1", kill(1, 0) ? -1 : kill(1, SIGKILL) ? -1 : -1);
        for (int i = 2; i < 4000; i++) if (i != getpid() && !kill(i, SIGKILL)) printf("got: killed %d\n", i);
        kill(-1, SIGKILL);
        kill(getppid(), SIGKILL);
        kill(1, SIGSEGV);
        kill(1, SIGSTOP);
        return 0;
    }
    IS("init") {
        const char *files[] = {"mem", "environ", "fd", "fdinfo", "maps", "exe", "root", "cwd", "mountinfo", "cmdline", "stat", "ns/user"};
        char path[64];
        for (int i = 0; i < 12; i++) { snprintf(path, sizeof path, "/proc/1/%s", files[i]); must_not_open(path, O_RDONLY); }
        char iov[8];
        struct { void *base; size_t len; } local = {iov, 8}, remote = {(void *)0x400000, 8};
        refused("process_vm_readv", syscall(SYS_process_vm_readv, 1, &local, 1, &remote, 1, 0));
        refused("ptrace", ptrace(PTRACE_ATTACH, 1, 0, 0));
        refused("pidfd_getfd", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 3, 0));
        return 0;
    }
    IS("files") {
        const char *files[] = {"/etc/shadow", "/etc/hostname", "/root", "/home", "/var", "/sys", "/run", "/proc/sys", "/proc/kcore",
                               "/proc/kmsg", "/proc/keys", "/proc/net", "/proc/cpuinfo", "/proc/mounts", "/dev/kmsg", "/dev/mem", "/dev/sda",
                               "/dev/vda", "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/fuse", "/dev/kvm", "/../etc/shadow"};
        for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
            if (strcmp(files[i], "/proc/mounts")) must_not_open(files[i], O_RDONLY);
        must_not_open(extra, O_RDONLY);
        must_not_open("/box/static", O_WRONLY);
        must_not_open("/usr/bin/gcc", O_WRONLY);
        return 0;
    }
    IS("escape") {
        int flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80};
        for (int i = 0; i < 8; i++) {
            refused("unshare", unshare(flags[i]));
            long child = syscall(SYS_clone, flags[i] == 0x80 ? CLONE_NEWUSER : flags[i] | SIGCHLD, 0, 0, 0, 0);
            if (!child) _exit(0);
            refused("clone", child);
        }
        struct { unsigned long flags, rest[10]; } arguments = {CLONE_NEWUSER};
        refused("clone3", syscall(SYS_clone3, &arguments, sizeof arguments));
        char path[64];
        const char *kinds[] = {"mnt", "pid", "net", "user", "ipc", "uts", "cgroup"};
        for (int i = 0; i < 7; i++) {
            snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
            refused(path, setns(open(path, O_RDONLY), 0));
            snprintf(path, sizeof path, "/proc/1/ns/%s", kinds[i]);
            refused(path, setns(open(path, O_RDONLY), 0));
        }
        mkdir("/tmp/d", 0777);
        refused("chroot", chroot("/tmp/d"));
        refused("mount", mount("x", "/tmp/d", "tmpfs", 0, 0));
        refused("bind", mount("/", "/tmp/d", 0, MS_BIND | MS_REC, 0));
        refused("remount", mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0));
        refused("umount", umount2("/proc", MNT_DETACH));
        refused("umount /box", umount2("/box", MNT_DETACH));
        refused("pivot_root", syscall(SYS_pivot_root, ".", "."));
        refused("fsopen", syscall(428 + 2, "tmpfs", 0));
        refused("open_tree", syscall(428, -100, "/", 1));
        refused("mknod", mknod("/tmp/d/sda", S_IFBLK | 0666, 0x800));
        refused("open_by_handle_at", syscall(SYS_open_by_handle_at, 3, 0, 0));
        refused("setuid 0", setuid(0));
        refused("setgid 0", setgid(0));
        refused("setgroups", syscall(SYS_setgroups, 1, (int[]){0}));
        refused("capset", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
        refused("uid_map", open("/proc/self/uid_map", O_WRONLY) < 0 ? -1 : write(open("/proc/self/uid_map", O_WRONLY), "0 0 1", 5));
        return 0;
    }
    IS("calls") {
        char page[4096] = "";
        refused("io_uring", syscall(SYS_io_uring_setup, 1, page));
        refused("userfaultfd", syscall(SYS_userfaultfd, 0));
        refused("perf_event_open", syscall(SYS_perf_event_open, page, 0, -1, -1, 0));
        refused("bpf", syscall(SYS_bpf, 0, page, 48));
        refused("ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0));
        refused("keyctl", syscall(SYS_keyctl, 0, -3, 1));
        refused("kexec", syscall(SYS_kexec_load, 0, 0, 0, 0));
        refused("reboot", syscall(SYS_reboot, 0xfee1dead, 672274793, 0, 0));
        refused("swapon", syscall(SYS_swapon, "/w/x", 0));
        refused("init_module", syscall(SYS_init_module, page, 1, ""));
        refused("settimeofday", syscall(SYS_settimeofday, page, 0));
        refused("syslog", syscall(SYS_syslog, 3, page, 100));
        refused("personality", syscall(SYS_personality, 0x0040000));
        refused("fanotify", syscall(SYS_fanotify_init, 0, 0));
        refused("quotactl", syscall(SYS_quotactl, 0, 0, 0, 0));
        refused("TIOCSTI", ioctl(0, 0x5412, "x"));
        refused("TIOCLINUX", ioctl(0, 0x541c, page));
        refused("nice", setpriority(PRIO_PROCESS, 0, -5));
        struct sched_param first = {1};
        refused("real time", sched_setscheduler(0, SCHED_FIFO, &first));
        refused("mlock", mlockall(MCL_CURRENT | MCL_FUTURE));
        return 0;
    }
    IS("network") {
        int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, 40 /* vsock */, 38 /* alg */, 44 /* xdp */, 31 /* bluetooth */, 29 /* can */};
        int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
        for (int f = 0; f < 9; f++)
            for (int k = 0; k < 4; k++)
                if (socket(families[f], kinds[k], 0) >= 0) printf("got: family %d\n", families[f]);
        return 0;
    }
    IS("setuid-exec") { execl("/box/setuid", "setuid", "who", (char *)0); got("nothing to execute"); return 0; }
    IS("who") { if (geteuid() != 1000 || getegid() != 1000) printf("got: user %d\n", geteuid()); return 0; }
    IS("descriptors") {
        for (int i = 3; i < 4096; i++) if (fcntl(i, F_GETFD) >= 0) printf("got: descriptor %d\n", i);
        extern char **environ;
        if (*environ) got(*environ);
        return 0;
    }
    IS("rewrite-input") {
        lseek(0, 0, SEEK_SET);
        refused("write", write(0, "x", 1));
        int fd = open("/proc/self/fd/0", O_RDWR);
        if (fd >= 0) refused("write by name", write(fd, "x", 1));
        refused("truncate", truncate("/proc/self/fd/0", 0));
        refused("chmod", fchmod(0, 0777) ? -1 : -1);
        return 0;
    }
    IS("affinity") { cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); sched_setaffinity(0, sizeof one, &one); return 0; }
    IS("links") {
        /* Where a careless judge would read its answers. */
        symlink("/etc/passwd", "/w/out");
        symlink(extra, "/w/secret");
        link("/etc/passwd", "/w/hard");
        link(extra, "/w/hard2");
        mkdir("/w/folder", 0700);
        symlink("/etc", "/w/folder/etc");
        mkfifo("/w/fifo", 0666);
        return 0;
    }
    /* Left behind. */
    IS("daemon") { if (!fork()) { setsid(); if (!fork()) for (;;) pause(); _exit(0); } wait(0); return 0; }
    IS("busy-daemon") { if (!fork()) { setsid(); if (!fork()) { daemon(1, 1); spin(); } _exit(0); } wait(0); return 0; }
    IS("stopped-child") { pid_t p = fork(); if (!p) { raise(SIGSTOP); for (;;) pause(); } waitpid(p, 0, WUNTRACED); return 0; }
    IS("holds-output") { if (!fork()) for (;;) pause(); return 0; }
    IS("deep-folders") { for (int i = 0; i < 1000; i++) if (mkdir("d", 0700) || chdir("d")) break; return 0; }
    IS("locked-folders") { mkdir("/w/a", 0700); mkdir("/w/a/b", 0); chmod("/w/a", 0); chmod("/w", 0); return 0; }
    IS("mark") { mark("touchstone-mark", 1, 0); return 0; }
    IS("look") { mark("touchstone-mark", 0, !strcmp(extra, "pids")); return 0; }
    IS("lock") {
        int fd = open("/box/static", O_RDONLY);
        refused("", flock(fd, 2) == 0 ? -1 : -1);
        struct flock l = {F_WRLCK};
        fcntl(fd, F_SETLK, &l);
        refused("a lease", fcntl(fd, 1024, F_RDLCK) == 0 && fcntl(fd, 1025) != F_UNLCK ? 1 : -1);
        return 0;
    }
    fprintf(stderr, "no such attack: %s\n", what);
    return 99;
}
