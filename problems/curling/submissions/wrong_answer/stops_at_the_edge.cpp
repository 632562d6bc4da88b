// Stops the stone at the edge of the board, as if there were a wall around it.
#include <algorithm>
#include <cstdio>

static int w, h, board[20][20], best;

static void play(int x, int y, int throws) {
    if (throws + 1 >= best) return;
    for (int d = 0; d < 4; d++) {
        int dx = (d == 0) - (d == 1), dy = (d == 2) - (d == 3), nx = x, ny = y;
        while (true) {
            int tx = nx + dx, ty = ny + dy;
            bool outside = tx < 0 || tx >= w || ty < 0 || ty >= h;
            if (outside || board[ty][tx] == 1) {
                if (nx == x && ny == y) break;
                if (!outside) board[ty][tx] = 0;
                play(nx, ny, throws + 1);
                if (!outside) board[ty][tx] = 1;
                break;
            }
            nx = tx;
            ny = ty;
            if (board[ny][nx] == 3) {
                best = std::min(best, throws + 1);
                break;
            }
        }
    }
}

int main() {
    while (scanf("%d%d", &w, &h) == 2 && w) {
        int x = 0, y = 0;
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) {
                scanf("%d", &board[i][j]);
                if (board[i][j] == 2) x = j, y = i;
            }
        best = 11;
        play(x, y, 0);
        printf("%d\n", best > 10 ? -1 : best);
    }
}
