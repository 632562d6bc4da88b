print(sum([int(input()), 1]))
