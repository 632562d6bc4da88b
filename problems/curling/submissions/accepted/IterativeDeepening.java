// Tries one throw, then two, and so on up to ten; a state that failed with as many throws left is not tried again.
import java.util.HashSet;
import java.util.Scanner;

public class IterativeDeepening {
    static int width, height, goal;
    static boolean[] block;
    static long[] key;
    static long removed;
    static HashSet<Long> failed = new HashSet<>();

    static boolean reaches(int cell, int left) {
        // Random 64-bit keys, one a block and one a cell, stand for the set of removed blocks and the place of the stone.
        long state = removed ^ key[cell] * 3;
        if (left > 1 && failed.contains(state)) return false;
        for (int d = 0; d < 4; d++) {
            int dr = (d == 0 ? 1 : d == 1 ? -1 : 0), dc = (d == 2 ? 1 : d == 3 ? -1 : 0);
            int r = cell / width, c = cell % width;
            for (int steps = 0; ; steps++) {
                r += dr;
                c += dc;
                if (r < 0 || r >= height || c < 0 || c >= width) break;
                int to = r * width + c;
                if (to == goal) return true;
                if (!block[to]) continue;
                if (steps > 0 && left > 1) {
                    block[to] = false;
                    removed ^= key[to];
                    boolean found = reaches(to - dr * width - dc, left - 1);
                    removed ^= key[to];
                    block[to] = true;
                    if (found) return true;
                }
                break;
            }
        }
        if (left > 1) failed.add(state);
        return false;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(new java.io.BufferedInputStream(System.in));
        java.util.SplittableRandom random = new java.util.SplittableRandom(3009);
        StringBuilder out = new StringBuilder();
        for (width = in.nextInt(), height = in.nextInt(); width > 0; width = in.nextInt(), height = in.nextInt()) {
            block = new boolean[width * height];
            key = random.longs(width * height).toArray();
            int start = 0;
            for (int cell = 0; cell < width * height; cell++) {
                int value = in.nextInt();
                block[cell] = value == 1;
                if (value == 2) start = cell;
                if (value == 3) goal = cell;
            }
            int answer = -1;
            for (int most = 1; most <= 10 && answer < 0; most++) {
                failed.clear();
                if (reaches(start, most)) answer = most;
            }
            out.append(answer).append('\n');
        }
        System.out.print(out);
    }
}
