low, high = 0, 1000
while True:
    middle = (low + high + 1) // 2
    print(middle, flush=True)
    said = input()
    if said == '=': break
    if said == '<': high = middle - 1
    else: low = middle + 1
