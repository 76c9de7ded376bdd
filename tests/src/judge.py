"""Replays a PGN with python-chess and says what is in it, as JSON: another program's view of what was played.

    python3 judge.py games.pgn
"""
import collections
import json
import sys

import chess.pgn

games, errors, points = [], [], collections.Counter()
with open(sys.argv[1], encoding="utf-8") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        tags = game.headers
        name = tags.get("RookeryGame", "?")
        errors += [f"{name}: {error}" for error in game.errors]
        end = game.end().board()
        result, plies = tags["Result"], len(list(game.mainline_moves()))
        if plies != int(tags.get("PlyCount", -1)):
            errors.append(f"{name}: {plies} plies, PlyCount {tags.get('PlyCount')}")
        if end.is_checkmate() and result != ("0-1" if end.turn else "1-0"):
            errors.append(f"{name}: mate, but {result}")
        if (end.is_stalemate() or end.is_insufficient_material()) and result != "1/2-1/2":
            errors.append(f"{name}: stalemate or dead, but {result}")
        white, black = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1), "*": (0, 0)}[result]
        points[tags["White"]] += white
        points[tags["Black"]] += black
        games.append({
            "game": name, "white": tags["White"], "black": tags["Black"], "result": result, "plies": plies,
            "termination": tags.get("Termination", ""), "details": tags.get("TerminationDetails", ""),
            "variant": tags.get("Variant", ""), "fen": tags.get("FEN", ""),
        })
print(json.dumps({"games": games, "errors": errors, "half_points": points}))
