import sys

secret, feedback = int(open(sys.argv[1]).read()), sys.argv[3]
for turn in range(12):
    line = sys.stdin.readline().strip()
    if not line.isdigit():
        open(feedback + "judgemessage.txt", "w").write(f"no number: {line!r}")
        sys.exit(43)
    guess = int(line)
    print("=" if guess == secret else "<" if secret < guess else ">", flush=True)
    if guess == secret:
        sys.exit(42)
open(feedback + "judgemessage.txt", "w").write("12 guesses are too many")
sys.exit(43)
