// Breadth first with a board for each state, but a cell where the stone has rested once is closed whatever blocks are gone.
import java.util.ArrayDeque;
import java.util.Scanner;

public class EachCellOnce {
    record State(int x, int y, int made, int[][] board) {}

    static int fewest(int w, int h, int[][] board, int startX, int startY) {
        boolean[][] rested = new boolean[h][w];
        ArrayDeque<State> queue = new ArrayDeque<>();
        queue.add(new State(startX, startY, 0, board));
        rested[startY][startX] = true;
        while (!queue.isEmpty()) {
            State state = queue.poll();
            if (state.made == 10) return -1;
            for (int d = 0; d < 4; d++) {
                int dx = d == 0 ? 1 : d == 1 ? -1 : 0, dy = d == 2 ? 1 : d == 3 ? -1 : 0;
                int x = state.x + dx, y = state.y + dy;
                while (x >= 0 && x < w && y >= 0 && y < h && state.board[y][x] % 2 == 0) {
                    x += dx;
                    y += dy;
                }
                if (x < 0 || x >= w || y < 0 || y >= h) continue;
                if (state.board[y][x] == 3) return state.made + 1;
                int restX = x - dx, restY = y - dy;
                if (restX == state.x && restY == state.y || rested[restY][restX]) continue;
                rested[restY][restX] = true;
                int[][] copy = new int[h][];
                for (int row = 0; row < h; row++) copy[row] = state.board[row].clone();
                copy[y][x] = 0;
                queue.add(new State(restX, restY, state.made + 1, copy));
            }
        }
        return -1;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(new java.io.BufferedInputStream(System.in));
        for (int w = in.nextInt(), h = in.nextInt(); w > 0; w = in.nextInt(), h = in.nextInt()) {
            int[][] board = new int[h][w];
            int startX = 0, startY = 0;
            for (int y = 0; y < h; y++) {
                for (int x = 0; x < w; x++) {
                    board[y][x] = in.nextInt();
                    if (board[y][x] == 2) {
                        startX = x;
                        startY = y;
                    }
                }
            }
            System.out.println(fewest(w, h, board, startX, startY));
        }
    }
}
