"""What scripts/test.d/bapctools asks the judge itself, to compare it with what BAPCtools made of it.

    wait API N|all                  until so many submissions of the contest `demo` have a verdict
    compare API FOLDER PASSWORD     FOLDER is where `bt` wrote
"""

import io
import json
import re
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

import requests

FOLDERS = {
    "AC": "accepted",
    "WA": "wrong_answer",
    "TLE": "time_limit_exceeded",
    "RTE": "run_time_error",
    "CE": "compiler_error",
}


def ask(session, api, path):
    answer = session.get(f"{api}/api/v4/contests/demo/{path}", timeout=60)
    answer.raise_for_status()
    return answer


def wait(api, wanted):
    """An interval between questions, not a guess at how long it takes: ten minutes, then it gives up."""
    session = requests.Session()
    for _ in range(600):
        try:
            submissions = ask(session, api, "submissions").json()
            judgements = ask(session, api, "judgements").json()
        except requests.RequestException:
            submissions, judgements = [], []
        judged = sum(one["judgement_type_id"] is not None for one in judgements)
        if submissions and judged >= (len(submissions) if wanted == "all" else int(wanted)):
            return
        time.sleep(1)
    sys.exit(f"only {judged} of {len(submissions)} submissions were judged")


def compare(api, folder, password):
    session = requests.Session()
    session.auth = ("admin", password)
    problems = {one["id"]: one["label"] for one in ask(session, api, "problems").json()}
    submissions = {one["id"]: one for one in ask(session, api, "submissions").json()}
    verdicts = {one["submission_id"]: one["judgement_type_id"] for one in ask(session, api, "judgements").json()}
    assert len(submissions) >= 30 and set(verdicts) == set(submissions), "every submission has its judgement"

    # The statistics: \providecommand{\solvestatsA}{\printsolvestats{submitted}{teams that solved it}{pending}}
    told = {}
    for line in (folder / "solve_stats/problem_stats.tex").read_text().splitlines():
        label, *numbers = re.fullmatch(
            r"\\providecommand\{\\solvestats(\w+)\}\{\\printsolvestats\{(\d+)\}\{(\d+)\}\{(\d+)\}\}", line
        ).groups()
        told[label] = tuple(map(int, numbers))
    for problem, label in problems.items():
        own = [one for one in submissions.values() if one["problem_id"] == problem]
        solvers = {one["team_id"] for one in own if verdicts[one["id"]] == "AC"}
        assert told.pop(label) == (len(own), len(solvers), 0), f"problem {label}"
    assert not told, f"problems that there aren't: {told}"
    figures = [f"activity/{label}.pdf" for label in problems.values()] + ["language_stats.pdf", "active_teams.pdf"]
    for name in figures:
        assert (folder / "solve_stats" / name).read_bytes().startswith(b"%PDF"), name

    # The programs: each in the folder of its verdict, byte for byte what was handed in.
    files = {}
    for path in (folder / "submissions").rglob("*.*"):
        files[str(int(re.search(r"_s(\d+)_", path.name).group(1)))] = path
    assert set(files) == set(submissions), "a file for each submission"
    for number, path in files.items():
        problem, verdict = submissions[number]["problem_id"], FOLDERS[verdicts[number]]
        assert path.parent == folder / "submissions" / problem / verdict, path
        archive = zipfile.ZipFile(io.BytesIO(ask(session, api, f"submissions/{number}/files").content))
        [name] = archive.namelist()
        assert archive.read(name) == path.read_bytes(), path
        # The demo's teams hand in what the packages keep.
        kept = (folder / problem / "submissions").rglob(name)
        assert any(one.read_bytes() == path.read_bytes() for one in kept), f"{path} is no program of the package"

    # Each language says how it is compiled, as whoever prepares a contest elsewhere could do it too.
    for language in ask(session, api, "languages").json():
        compiler = language.get("compiler")
        if compiler is None:
            assert language["id"] == "elf", language
            continue
        assert "/" not in compiler["command"] and compiler["version_command"].startswith(compiler["command"]), language
        assert "{files}" in compiler["args"] or "{entry_point}" in compiler["args"], language

    # The rest as the judge says it.
    for name in ["teams", "organizations", "problems", "clarifications"]:
        assert json.loads((folder / f"scoreboard/{name}.json").read_text()) == ask(session, api, name).json(), name
    rows = json.loads((folder / "scoreboard/scoreboard.json").read_text())["rows"]
    assert rows == ask(session, api, "scoreboard").json()["rows"]
    solved = Counter(one["team_id"] for one in submissions.values() if verdicts[one["id"]] == "AC")
    assert {row["team_id"] for row in rows if row["score"]["num_solved"] > 0} == set(solved)
    print(f"{len(files)} programs of {len(problems)} problems, {len(figures)} figures, {len(rows)} rows: as the judge says")


match sys.argv[1:]:
    case ["wait", api, wanted]:
        wait(api, wanted)
    case ["compare", api, folder, password]:
        compare(api, Path(folder), password)
    case _:
        sys.exit(__doc__)
