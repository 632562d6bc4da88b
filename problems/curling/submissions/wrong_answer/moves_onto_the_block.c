/* Stops the stone where the block was, not before it. */
#include <stdio.h>

static int w, h, board[20][20];

static int fewest(int x, int y, int throws, int best) {
    static const int dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
    if (throws + 1 >= best) return best;
    for (int d = 0; d < 4; d++) {
        int nx = x + dx[d], ny = y + dy[d], steps = 0;
        while (nx >= 0 && nx < w && ny >= 0 && ny < h && board[ny][nx] % 2 == 0) {
            nx += dx[d];
            ny += dy[d];
            steps++;
        }
        if (nx < 0 || nx >= w || ny < 0 || ny >= h) continue;
        if (board[ny][nx] == 3) return throws + 1;
        if (steps == 0) continue;
        board[ny][nx] = 0;
        best = fewest(nx, ny, throws + 1, best);
        board[ny][nx] = 1;
    }
    return best;
}

int main(void) {
    while (scanf("%d %d", &w, &h) == 2 && w > 0) {
        int x = 0, y = 0;
        for (int row = 0; row < h; row++) {
            for (int column = 0; column < w; column++) {
                if (scanf("%d", &board[row][column]) != 1) return 0;
                if (board[row][column] == 2) {
                    x = column;
                    y = row;
                }
            }
        }
        int best = fewest(x, y, 0, 11);
        printf("%d\n", best > 10 ? -1 : best);
    }
    return 0;
}
