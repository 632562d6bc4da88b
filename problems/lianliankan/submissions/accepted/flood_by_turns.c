/* Floods whole rows and whole columns in turn: what is reached with 0, 1 and 2 turns. */
#include <stdio.h>
#include <string.h>

enum { CELLS = 1000 * 999 };

static int rows, columns;
static int tile[CELLS];
static unsigned char is_free[CELLS], along_row[CELLS], along_column[CELLS], seed[CELLS];

/* In these rows, every run of free cells that holds a seed is reached as a whole. */
static void flood_rows(int first, int last, const unsigned char *from, unsigned char *to) {
    for (int row = first; row <= last; row++) {
        int end = (row + 1) * columns;
        for (int left = row * columns; left < end;) {
            if (!is_free[left]) {
                to[left++] = 0;
                continue;
            }
            int right = left;
            unsigned char reached = 0;
            while (right < end && is_free[right]) reached |= from[right++];
            memset(to + left, reached, (size_t)(right - left));
            left = right;
        }
    }
}

/* The same in these columns: once downwards, once upwards, a row at a time. */
static void flood_columns(int first, int last, const unsigned char *from, unsigned char *to) {
    for (int column = first; column <= last; column++) to[column] = from[column];
    for (int row = 1; row < rows; row++) {
        for (int cell = row * columns + first; cell <= row * columns + last; cell++)
            to[cell] = is_free[cell] & (from[cell] | to[cell - columns]);
    }
    for (int row = rows - 2; row >= 0; row--) {
        for (int cell = row * columns + first; cell <= row * columns + last; cell++)
            to[cell] |= is_free[cell] & to[cell + columns];
    }
}

static int linked(int a, int b) {
    size_t cells = (size_t)rows * (size_t)columns;
    if (tile[a] == 0 || tile[a] != tile[b]) return 0;
    is_free[a] = is_free[b] = 1;
    seed[a] = 1;

    memset(along_row, 0, cells);
    flood_rows(a / columns, a / columns, seed, along_row);
    flood_columns(0, columns - 1, along_row, along_column);
    flood_rows(b / columns, b / columns, along_column, along_row);
    int yes = along_row[b];
    if (!yes) {
        memset(along_column, 0, cells);
        flood_columns(a % columns, a % columns, seed, along_column);
        flood_rows(0, rows - 1, along_column, along_row);
        flood_columns(b % columns, b % columns, along_row, along_column);
        yes = along_column[b];
    }
    seed[a] = 0;
    is_free[a] = is_free[b] = 0;
    return yes;
}

int main(void) {
    while (scanf("%d %d", &rows, &columns) == 2 && rows > 0) {
        for (int cell = 0; cell < rows * columns; cell++) {
            if (scanf("%d", &tile[cell]) != 1) return 1;
            is_free[cell] = tile[cell] == 0;
        }
        int queries;
        if (scanf("%d", &queries) != 1) return 1;
        while (queries-- > 0) {
            int r1, c1, r2, c2;
            if (scanf("%d %d %d %d", &r1, &c1, &r2, &c2) != 4) return 1;
            puts(linked((r1 - 1) * columns + c1 - 1, (r2 - 1) * columns + c2 - 1) ? "YES" : "NO");
        }
    }
    return 0;
}
