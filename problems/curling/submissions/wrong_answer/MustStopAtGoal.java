// Takes the goal for an ordinary cell: the stone has to come to rest on it before a block.
import java.util.Scanner;

public class MustStopAtGoal {
    static int w, h, best, goalX, goalY;
    static boolean[][] block;

    static void play(int x, int y, int throwsMade) {
        if (x == goalX && y == goalY) {
            best = Math.min(best, throwsMade);
            return;
        }
        if (throwsMade + 1 >= best) return;
        int[][] directions = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        for (int[] d : directions) {
            int nx = x, ny = y;
            while (true) {
                int tx = nx + d[0], ty = ny + d[1];
                if (tx < 0 || tx >= w || ty < 0 || ty >= h) break;
                if (block[ty][tx]) {
                    if (nx != x || ny != y) {
                        block[ty][tx] = false;
                        play(nx, ny, throwsMade + 1);
                        block[ty][tx] = true;
                    }
                    break;
                }
                nx = tx;
                ny = ty;
            }
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(new java.io.BufferedInputStream(System.in));
        for (w = in.nextInt(), h = in.nextInt(); w > 0; w = in.nextInt(), h = in.nextInt()) {
            block = new boolean[h][w];
            int x = 0, y = 0;
            for (int row = 0; row < h; row++) {
                for (int column = 0; column < w; column++) {
                    int value = in.nextInt();
                    block[row][column] = value == 1;
                    if (value == 2) {
                        x = column;
                        y = row;
                    } else if (value == 3) {
                        goalX = column;
                        goalY = row;
                    }
                }
            }
            best = 11;
            play(x, y, 0);
            System.out.println(best > 10 ? -1 : best);
        }
    }
}
