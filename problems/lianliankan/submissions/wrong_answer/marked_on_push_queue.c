/* A plain queue in the order of steps; (cell, direction) is marked when it is pushed, whatever its turns. */
#include <stdio.h>
#include <string.h>

struct node {
    short row, column;
    signed char direction, turns;
};

static int n, m, board[1001][1001];
static unsigned char marked[1001][1001][4];
static struct node queue[4 * 1001 * 1001];
static const int dr[4] = {-1, 1, 0, 0}, dc[4] = {0, 0, -1, 1};

static int search(int r1, int c1, int r2, int c2) {
    int head = 0, tail = 0;
    if (board[r1][c1] == 0 || board[r1][c1] != board[r2][c2]) return 0;
    memset(marked, 0, sizeof marked);
    queue[tail++] = (struct node){(short)r1, (short)c1, -1, 0};
    while (head < tail) {
        struct node node = queue[head++];
        for (int d = 0; d < 4; d++) {
            int row = node.row + dr[d], column = node.column + dc[d];
            int turns = node.turns + (node.direction >= 0 && node.direction != d);
            if (row < 1 || row > n || column < 1 || column > m || turns > 2) continue;
            if (row == r2 && column == c2) return 1;
            if (board[row][column] != 0 || marked[row][column][d]) continue;
            marked[row][column][d] = 1;
            queue[tail++] = (struct node){(short)row, (short)column, (signed char)d, (signed char)turns};
        }
    }
    return 0;
}

int main(void) {
    while (scanf("%d %d", &n, &m) == 2 && n + m > 0) {
        int q, r1, c1, r2, c2;
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++)
                if (scanf("%d", &board[i][j]) != 1) return 0;
        if (scanf("%d", &q) != 1) return 0;
        while (q-- > 0 && scanf("%d %d %d %d", &r1, &c1, &r2, &c2) == 4) puts(search(r1, c1, r2, c2) ? "YES" : "NO");
    }
    return 0;
}
