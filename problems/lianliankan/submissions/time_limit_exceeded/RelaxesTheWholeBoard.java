// Carries the fewest turns one step further everywhere, again and again until nothing changes: a thousand sweeps over a large board.
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.StreamTokenizer;
import java.util.Arrays;

public class RelaxesTheWholeBoard {
    static StreamTokenizer in = new StreamTokenizer(new BufferedInputStream(System.in, 1 << 16));

    static int next() throws IOException {
        in.nextToken();
        return (int) in.nval;
    }

    /** turns[d][r * w + c]: the fewest turns to stand there, facing d. The board has a border of tiles, w cells wide in all. */
    static boolean linked(int[] board, int h, int w, int a, int b) {
        int[] step = {1, w, -1, -w};
        byte[][] turns = new byte[4][h * w], following = new byte[4][h * w];
        for (byte[] plane : turns) {
            Arrays.fill(plane, (byte) 9);
            plane[a] = 0;
        }
        for (boolean changed = true; changed; ) {
            changed = false;
            for (int d = 0; d < 4; d++) {
                for (int cell = w; cell < (h - 1) * w; cell++) {
                    int best = turns[d][cell];
                    if (board[cell] == 0 || cell == b) {
                        int from = cell - step[d];
                        best = Math.min(best, turns[d][from]);
                        best = Math.min(best, turns[(d + 1) % 4][from] + 1);
                        best = Math.min(best, turns[(d + 3) % 4][from] + 1);
                        changed |= best < turns[d][cell];
                    }
                    following[d][cell] = (byte) best;
                }
            }
            for (int d = 0; d < 4; d++) System.arraycopy(following[d], w, turns[d], w, (h - 2) * w);
        }
        return Math.min(Math.min(turns[0][b], turns[1][b]), Math.min(turns[2][b], turns[3][b])) <= 2;
    }

    public static void main(String[] args) throws IOException {
        StringBuilder out = new StringBuilder();
        for (int n = next(), m = next(); n > 0; n = next(), m = next()) {
            int h = n + 2, w = m + 2;
            int[] board = new int[h * w];
            Arrays.fill(board, -1);
            for (int r = 1; r <= n; r++) for (int c = 1; c <= m; c++) board[r * w + c] = next();
            for (int q = next(); q > 0; q--) {
                int a = next() * w + next(), b = next() * w + next();
                boolean yes = board[a] != 0 && board[a] == board[b] && linked(board, h, w, a, b);
                out.append(yes ? "YES\n" : "NO\n");
            }
        }
        System.out.print(out);
    }
}
