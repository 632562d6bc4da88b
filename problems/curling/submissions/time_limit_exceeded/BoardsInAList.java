// Breadth first over whole boards, and every new one is compared with a list of all that were seen.
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;

public class BoardsInAList {
    static int fewest(int w, int h, byte[] first) {
        // A state is the board itself, with a 2 where the stone lies.
        List<byte[]> states = new ArrayList<>();
        List<Integer> made = new ArrayList<>();
        states.add(first);
        made.add(0);
        for (int i = 0; i < states.size() && made.get(i) < 10; i++) {
            byte[] board = states.get(i);
            int stone = 0;
            while (board[stone] != 2) stone++;
            for (int d = 0; d < 4; d++) {
                int dx = d == 0 ? 1 : d == 1 ? -1 : 0, dy = d == 2 ? 1 : d == 3 ? -1 : 0;
                int x = stone % w + dx, y = stone / w + dy, steps = 0;
                while (x >= 0 && x < w && y >= 0 && y < h && board[y * w + x] == 0) {
                    x += dx;
                    y += dy;
                    steps++;
                }
                if (x < 0 || x >= w || y < 0 || y >= h) continue;
                if (board[y * w + x] == 3) return made.get(i) + 1;
                if (steps == 0) continue;
                byte[] after = board.clone();
                after[stone] = 0;
                after[y * w + x] = 0;
                after[(y - dy) * w + x - dx] = 2;
                if (states.stream().noneMatch(seen -> Arrays.equals(seen, after))) {
                    states.add(after);
                    made.add(made.get(i) + 1);
                }
            }
        }
        return -1;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(new java.io.BufferedInputStream(System.in));
        for (int w = in.nextInt(), h = in.nextInt(); w > 0; w = in.nextInt(), h = in.nextInt()) {
            byte[] board = new byte[w * h];
            for (int cell = 0; cell < w * h; cell++) board[cell] = in.nextByte();
            System.out.println(fewest(w, h, board));
        }
    }
}
