/* Depth first; a cell once seen is never entered again, even with fewer turns. */
#include <stdio.h>
#include <string.h>

static int n, m, board[1001][1001], r2, c2;
static char seen[1001][1001];
static const int dr[4] = {0, 1, 0, -1}, dc[4] = {1, 0, -1, 0};

static int visit(int row, int column, int direction, int turns) {
    for (int d = 0; d < 4; d++) {
        int r = row + dr[d], c = column + dc[d], t = turns + (direction >= 0 && d != direction);
        if (t > 2 || r < 1 || r > n || c < 1 || c > m) continue;
        if (r == r2 && c == c2) return 1;
        if (board[r][c] || seen[r][c]) continue;
        seen[r][c] = 1;
        if (visit(r, c, d, t)) return 1;
    }
    return 0;
}

int main(void) {
    while (scanf("%d %d", &n, &m) == 2 && n) {
        int q, r1, c1;
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++)
                if (scanf("%d", &board[i][j]) != 1) return 0;
        if (scanf("%d", &q) != 1) return 0;
        while (q-- > 0 && scanf("%d %d %d %d", &r1, &c1, &r2, &c2) == 4) {
            int yes = 0;
            if (board[r1][c1] && board[r1][c1] == board[r2][c2]) {
                memset(seen, 0, sizeof seen);
                seen[r1][c1] = 1;
                yes = visit(r1, c1, -1, 0);
            }
            puts(yes ? "YES" : "NO");
        }
    }
    return 0;
}
