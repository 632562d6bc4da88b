// Fewest turns first with a priority queue, but (cell, direction) is marked when it is pushed, perhaps with too many turns.
#include <cstdio>
#include <cstring>
#include <queue>

struct Node {
    int row, column, direction, turns;
    bool operator<(const Node &other) const { return turns > other.turns; }
};

static int n, m, board[1001][1001];
static bool marked[1001][1001][4];
static const int DR[4] = {0, 1, 0, -1}, DC[4] = {1, 0, -1, 0};

static bool search(int r1, int c1, int r2, int c2) {
    if (board[r1][c1] == 0 || board[r1][c1] != board[r2][c2]) return false;
    memset(marked, 0, sizeof marked);
    std::priority_queue<Node> queue;
    for (int d = 0; d < 4; d++) {
        queue.push({r1, c1, d, 0});
        marked[r1][c1][d] = true;
    }
    while (!queue.empty()) {
        Node node = queue.top();
        queue.pop();
        for (int d = 0; d < 4; d++) {
            int row = node.row + DR[d], column = node.column + DC[d];
            int turns = node.turns + (d != node.direction);
            if (row < 1 || row > n || column < 1 || column > m || turns > 2) continue;
            if (row == r2 && column == c2) return true;
            if (board[row][column] != 0 || marked[row][column][d]) continue;
            marked[row][column][d] = true;
            queue.push({row, column, d, turns});
        }
    }
    return false;
}

int main() {
    while (scanf("%d%d", &n, &m) == 2 && (n || m)) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= m; j++) scanf("%d", &board[i][j]);
        int q;
        scanf("%d", &q);
        while (q--) {
            int r1, c1, r2, c2;
            scanf("%d%d%d%d", &r1, &c1, &r2, &c2);
            puts(search(r1, c1, r2, c2) ? "YES" : "NO");
        }
    }
}
