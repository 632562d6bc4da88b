// Breadth first over (cell of the stone, set of the blocks removed); every state is looked at once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <unordered_set>
#include <vector>

// The cell, then the removed blocks in ascending order; at most nine can be gone before the tenth throw.
using State = std::array<std::uint16_t, 10>;

struct Hash {
    std::size_t operator()(const State &state) const {
        std::uint64_t hash = 14695981039346656037ULL;
        for (std::uint16_t part : state) hash = (hash ^ part) * 1099511628211ULL;
        return static_cast<std::size_t>(hash ^ (hash >> 29));
    }
};

static const std::uint16_t NONE = 0xffff;

static int fewest(const std::vector<std::vector<int>> &board, int start) {
    int height = static_cast<int>(board.size()), width = static_cast<int>(board[0].size());
    State first;
    first.fill(NONE);
    first[0] = static_cast<std::uint16_t>(start);
    std::vector<State> wave{first};
    std::unordered_set<State, Hash> seen;
    for (int throws = 1; throws <= 10 && !wave.empty(); throws++) {
        std::vector<State> next_wave;
        for (const State &state : wave) {
            auto block = [&](int row, int column) {
                auto cell = static_cast<std::uint16_t>(row * width + column);
                return board[row][column] == 1 && !std::binary_search(state.begin() + 1, state.end(), cell);
            };
            for (int d = 0; d < 4; d++) {
                int dr = (d == 1) - (d == 3), dc = (d == 0) - (d == 2);
                int row = state[0] / width, column = state[0] % width;
                for (int steps = 0;; steps++) {
                    int r = row + dr, c = column + dc;
                    if (r < 0 || r >= height || c < 0 || c >= width) break;
                    if (board[r][c] == 3) return throws;
                    if (!block(r, c)) {
                        row = r;
                        column = c;
                        continue;
                    }
                    if (steps > 0 && throws < 10) {
                        State after = state;
                        after[0] = static_cast<std::uint16_t>(row * width + column);
                        after[9] = static_cast<std::uint16_t>(r * width + c);
                        std::sort(after.begin() + 1, after.end());
                        if (seen.insert(after).second) next_wave.push_back(after);
                    }
                    break;
                }
            }
        }
        wave.swap(next_wave);
        // States of one wave have removed equally many blocks, so no state comes back in a later wave.
        seen.clear();
    }
    return -1;
}

int main() {
    int width, height;
    while (scanf("%d %d", &width, &height) == 2 && width > 0) {
        std::vector<std::vector<int>> board(height, std::vector<int>(width));
        int start = 0;
        for (int row = 0; row < height; row++) {
            for (int column = 0; column < width; column++) {
                scanf("%d", &board[row][column]);
                if (board[row][column] == 2) start = row * width + column;
            }
        }
        printf("%d\n", fewest(board, start));
    }
}
