// Walks every path with at most two turns; nothing stops it from coming to a cell again and again.
#include <cstdio>

static int n, m, r2, c2, board[1001][1001];
static const int DR[4] = {0, 1, 0, -1}, DC[4] = {1, 0, -1, 0};

static bool visit(int row, int column, int direction, int turns) {
    for (int d = 0; d < 4; d++) {
        int r = row + DR[d], c = column + DC[d], t = turns + (direction >= 0 && d != direction);
        if (t > 2 || r < 1 || r > n || c < 1 || c > m) continue;
        if (r == r2 && c == c2) return true;
        if (board[r][c] == 0 && visit(r, c, d, t)) return true;
    }
    return false;
}

int main() {
    while (scanf("%d%d", &n, &m) == 2 && n > 0) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++) scanf("%d", &board[i][j]);
        int q, r1, c1;
        scanf("%d", &q);
        while (q-- > 0) {
            scanf("%d%d%d%d", &r1, &c1, &r2, &c2);
            int tile = board[r1][c1];
            puts(tile != 0 && tile == board[r2][c2] && visit(r1, c1, -1, 0) ? "YES" : "NO");
        }
    }
}
