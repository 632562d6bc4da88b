// Depth first with the fewest turns per cell, but a second visit with equally many turns in another direction is cut off (< for <=).
#include <cstdio>
#include <cstring>

static int n, m, r2, c2, board[1001][1001];
static unsigned char best[1001][1001];
static bool found;
static const int DR[4] = {-1, 0, 1, 0}, DC[4] = {0, 1, 0, -1};

static void visit(int row, int column, int direction, int turns) {
    for (int d = 0; d < 4 && !found; d++) {
        int r = row + DR[d], c = column + DC[d], t = turns + (direction >= 0 && direction != d);
        if (t > 2 || r < 1 || r > n || c < 1 || c > m) continue;
        if (r == r2 && c == c2) {
            found = true;
            return;
        }
        if (board[r][c] != 0) continue;
        if (t < best[r][c]) {
            best[r][c] = static_cast<unsigned char>(t);
            visit(r, c, d, t);
        }
    }
}

int main() {
    while (scanf("%d %d", &n, &m) == 2 && n > 0) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++) scanf("%d", &board[i][j]);
        int q, r1, c1;
        scanf("%d", &q);
        while (q-- > 0) {
            scanf("%d %d %d %d", &r1, &c1, &r2, &c2);
            found = false;
            if (board[r1][c1] != 0 && board[r1][c1] == board[r2][c2]) {
                memset(best, 9, sizeof best);
                best[r1][c1] = 0;
                visit(r1, c1, -1, 0);
            }
            puts(found ? "YES" : "NO");
        }
    }
}
