// A small stand-in for testlib's checkers, interactors and validators: the same names, arguments and exit codes, as
// far as these tests need them.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

enum TResult { _ok = 0, _wa = 1, _pe = 2, _fail = 3, _unexpected_eof = 4, _points = 7, _partially = 8 };

struct InStream {
    std::istream *in = nullptr;
    std::ifstream file;
    TResult ends_early = _pe;
    void open(const char *path) {
        file.open(path);
        if (!file) { fprintf(stderr, "FAIL can't open %s\n", path); exit(_fail); }
        in = &file;
    }
    std::string readToken() {
        std::string token;
        if (!(*in >> token)) { fprintf(stderr, "unexpected eof\n"); exit(ends_early); }
        return token;
    }
    int readInt() { return std::stoi(readToken()); }
    bool seekEof() { *in >> std::ws; return in->eof(); }
};

static InStream inf, ouf, ans;
static std::ofstream tout;

static void registerTestlibCmd(int argc, char **argv) {
    if (argc < 4) { fprintf(stderr, "FAIL needs input, output and answer\n"); exit(_fail); }
    inf.open(argv[1]);
    ouf.open(argv[2]);
    ans.open(argv[3]);
    ans.ends_early = _fail;
}

static void registerInteraction(int argc, char **argv) {
    if (argc < 3) { fprintf(stderr, "FAIL needs input and output\n"); exit(_fail); }
    inf.open(argv[1]);
    tout.open(argv[2]);
    if (!tout) { fprintf(stderr, "FAIL can't write %s\n", argv[2]); exit(_fail); }
    ouf.in = &std::cin;
    if (argc > 3) ans.open(argv[3]);
}

static void registerValidation(int, char **) {
    inf.in = &std::cin;
    inf.ends_early = _fail;
}

[[noreturn]] static void quitf(TResult result, const char *format, ...) {
    const char *words[] = {"ok ", "wrong answer ", "wrong output format ", "FAIL ", "unexpected eof "};
    va_list arguments;
    va_start(arguments, format);
    fputs(result <= 4 ? words[result] : result == _points ? "points " : "partially correct ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(result);
}
