// Layer by layer: all situations after k throws, sorted so that equal ones meet and only one of them stays.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THROWS 10

typedef struct {
    short cell;
    short gone[MOST_THROWS]; // cells of vanished blocks, ascending; -1 fills the rest
} Situation;

static int width, height, board[400];

static int compare(const void *a, const void *b) {
    return memcmp(a, b, sizeof(Situation));
}

static int is_block(const Situation *s, int cell) {
    if (board[cell] != 1) return 0;
    for (int i = 0; i < MOST_THROWS && s->gone[i] >= 0; i++)
        if (s->gone[i] == cell) return 0;
    return 1;
}

static void remove_block(Situation *s, short cell) {
    int at = 0;
    while (at < MOST_THROWS && s->gone[at] >= 0 && s->gone[at] < cell) at++;
    memmove(s->gone + at + 1, s->gone + at, (size_t)(MOST_THROWS - 1 - at) * sizeof(short));
    s->gone[at] = cell;
}

// 1: the goal was reached; 0: the stone lies before a block, and `next` says how; -1: lost or impossible.
static int slide(const Situation *from, int dx, int dy, Situation *next) {
    int x = from->cell % width, y = from->cell / width, moved = 0;
    for (;;) {
        int nx = x + dx, ny = y + dy;
        if (nx < 0 || nx >= width || ny < 0 || ny >= height) return -1;
        int cell = ny * width + nx;
        if (is_block(from, cell)) {
            if (!moved) return -1;
            *next = *from;
            next->cell = (short)(y * width + x);
            remove_block(next, (short)cell);
            return 0;
        }
        x = nx;
        y = ny;
        moved = 1;
        if (board[cell] == 3) return 1;
    }
}

static int solve(void) {
    Situation *layer = malloc(sizeof *layer);
    size_t count = 1;
    memset(layer, 0xff, sizeof *layer);
    for (int i = 0; i < width * height; i++)
        if (board[i] == 2) layer->cell = (short)i;
    for (int throws = 1; throws <= MOST_THROWS; throws++) {
        Situation *next = malloc((4 * count + 1) * sizeof *next);
        size_t found = 0;
        for (size_t i = 0; i < count; i++) {
            for (int d = 0; d < 4; d++) {
                int end = slide(&layer[i], (d == 0) - (d == 1), (d == 2) - (d == 3), &next[found]);
                if (end == 1) {
                    free(layer);
                    free(next);
                    return throws;
                }
                if (end == 0) found++;
            }
        }
        qsort(next, found, sizeof *next, compare);
        size_t kept = 0;
        for (size_t i = 0; i < found; i++)
            if (kept == 0 || compare(&next[kept - 1], &next[i]) != 0) next[kept++] = next[i];
        free(layer);
        layer = next;
        count = kept;
    }
    free(layer);
    return -1;
}

int main(void) {
    while (scanf("%d %d", &width, &height) == 2 && width) {
        for (int i = 0; i < width * height; i++)
            if (scanf("%d", &board[i]) != 1) return 1;
        printf("%d\n", solve());
    }
    return 0;
}
