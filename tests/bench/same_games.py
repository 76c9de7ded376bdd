#!/usr/bin/env python3
"""Whether Rookery and fastchess play the same games, move for move: stockfish at nodes=1 from the same book.

    same_games.py --rookery target/release/rookery --book BOOK.epd [--games 200]

Stockfish with one thread and one node a move answers a position and its history with one and the same move, so a
difference in any game is a difference in what the engine was told. Exits 1 on a difference. Standard library only.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def games(path):
    """(FEN, White) → moves and result, of a PGN without variations."""
    with open(path, errors="replace") as file:
        text = file.read()
    found = {}
    for game in re.split(r"\n(?=\[Event )", text):
        tags = dict(re.findall(r'^\[(\w+) "([^"]*)"\]', game, re.M))
        body = re.sub(r"^\[.*\]$", "", game, flags=re.M)
        body = re.sub(r"\{[^}]*\}", " ", body)
        words = re.sub(r"\d+\.+", " ", body).split()
        if not tags or not words:
            continue
        # The counters of a book's line are written in more than one way.
        key = (" ".join(tags.get("FEN", "").split()[:4]), tags["White"])
        found[key] = (words[:-1], words[-1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rookery", required=True)
    parser.add_argument("--book", required=True)
    parser.add_argument("--games", type=int, default=200)
    options = parser.parse_args()
    stockfish = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    for tool, path in (("stockfish", stockfish), ("fastchess", shutil.which("fastchess"))):
        if not path:
            print(f"SKIP: no {tool} here")
            return 0
    folder = tempfile.mkdtemp(prefix="same-games-")
    book, pairs = os.path.abspath(options.book), options.games // 2
    engine = "".join(f'[[engine]]\nname = "{name}"\nprogram = "{stockfish}"\noptions = {{ Hash = 16 }}\n\n' for name in "AB")
    with open(os.path.join(folder, "spec.toml"), "w") as file:
        file.write(f'name = "same"\n\n{engine}[event]\nformat = {{ match = {{ pairs = {pairs} }} }}\n'
                   f'time-control = "nodes=1"\nopenings = {{ book = "{book}", order = "sequential" }}\nconcurrency = 1\n')
    runs = {
        "rookery": [os.path.abspath(options.rookery), "run", "spec.toml", "--output", "ours"],
        "fastchess": ["fastchess", "-engine", f"cmd={stockfish}", "name=A", "-engine", f"cmd={stockfish}", "name=B",
                      "-each", "nodes=1", "tc=inf", "option.Hash=16", "option.Threads=1", "-openings", f"file={book}",
                      "format=epd", "order=sequential", "-rounds", str(pairs), "-games", "2", "-repeat",
                      "-concurrency", "1", "-pgnout", "file=theirs.pgn"],
    }
    for name, words in runs.items():
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(f"{name}: exit code {done.returncode}\n{done.stdout[-2000:]}")
            return 1
    ours, theirs = games(os.path.join(folder, "ours", "games.pgn")), games(os.path.join(folder, "theirs.pgn"))
    if ours.keys() != theirs.keys() or len(ours) != options.games:
        print(f"not the same openings: {len(ours)} and {len(theirs)} games, {len(ours.keys() & theirs.keys())} in both")
        return 1
    different = 0
    for key, (moves, result) in ours.items():
        other, other_result = theirs[key]
        if (moves, result) == (other, other_result):
            continue
        different += 1
        at = next((n for n, (a, b) in enumerate(zip(moves, other)) if a != b), min(len(moves), len(other)))
        print(f"{key[0]}, White {key[1]}: differs at ply {at + 1}: {moves[at:at + 2]} {result}, {other[at:at + 2]} {other_result}")
    plies = sum(len(moves) for moves, _ in ours.values())
    print(f"{len(ours) - different} of {len(ours)} games are the same, {plies} plies")
    shutil.rmtree(folder, ignore_errors=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
