#include <iostream>

int main() {
    int n;
    std::cin >> n;
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        long long number;
        std::cin >> number;
        sum += number;
    }
    std::cout << sum << "\n";
}
