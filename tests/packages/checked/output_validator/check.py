import sys

given, feedback = int(open(sys.argv[1]).read()), sys.argv[3]
words = sys.stdin.read().split()
if words == ["crash"]:
    sys.exit("the checker met a word that it does not know")
if len(words) != 2 or not all(word.isdigit() and int(word) > 0 for word in words):
    open(feedback + "judgemessage.txt", "w").write("these are no two positive numbers")
    sys.exit(43)
if sum(map(int, words)) != given:
    open(feedback + "judgemessage.txt", "w").write(f"the sum is {sum(map(int, words))}, not {given}")
    open(feedback + "teammessage.txt", "w").write("The sum is wrong.")
    sys.exit(43)
sys.exit(42)
