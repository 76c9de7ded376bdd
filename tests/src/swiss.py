"""A second opinion on rounds of a Swiss: py4swiss (FIDE's Dutch system) pairs the same tournaments, and both pairings are
measured by what FIDE C.04.3 asks for. Says, as JSON, what is wrong with the rounds and how the two compare.

    python3 swiss.py tournaments.json
"""
import collections
import json
import pathlib
import sys
import tempfile

from py4swiss.engines import DutchEngine
from py4swiss.trf import TrfParser


class Player:
    def __init__(self):
        self.points, self.met, self.colours, self.bye, self.line = 0, set(), [], False, ""

    def claim(self):
        """The colour that it is due, and whether the claim is absolute."""
        balance = self.colours.count("w") - self.colours.count("b")
        if not self.colours:
            return None, False
        twice = len(self.colours) > 1 and self.colours[-1] == self.colours[-2]
        due = ("b" if balance > 0 else "w") if balance else ("b" if self.colours[-1] == "w" else "w")
        if twice:
            due = "b" if self.colours[-1] == "w" else "w"
        return due, twice or abs(balance) > 1


def report(players, rounds):
    lines = [f"XXR {rounds}", "XXC white1"]
    for number, player in players.items():
        rank = f"{number:4}"
        points = f"{player.points / 2:4.1f}"
        lines.append(f"001 {rank}      {f'P{number}':33} {3000 - number:4}{'':28}{points} {rank}{player.line}")
    return "\n".join(lines) + "\n"


def dutch(players, rounds, folder):
    path = pathlib.Path(folder) / "t.trf"
    path.write_text(report(players, rounds), encoding="utf-8")
    return [(pair.white, pair.black) for pair in DutchEngine.generate_pairings(TrfParser.parse(path))]


def measure(players, pairs):
    """Faults that may never be; and floats, colours against a claim, points of who has the bye."""
    faults, measured = [], collections.Counter()
    for white, black in pairs:
        if 0 in (white, black):
            player = players[white or black]
            measured["bye"] += player.points
            if player.bye:
                faults.append(f"{white or black} has a second bye")
            continue
        one, other = players[white], players[black]
        if black in one.met:
            faults.append(f"{white} meets {black} again")
        measured["floats"] += abs(one.points - other.points)
        for player, colour in ((one, "w"), (other, "b")):
            due, absolute = player.claim()
            if due not in (None, colour):
                measured["colours"] += 1
                measured["absolute"] += absolute
    return faults, measured


def play(players, pairs, results):
    for (white, black), result in zip(pairs, results):
        if 0 in (white, black):
            player = players[white or black]
            player.points, player.bye = player.points + 2, True
            player.line += "  0000 - U"
            continue
        for own, other, colour, won in ((white, black, "w", "1"), (black, white, "b", "0")):
            player = players[own]
            points = {"=": 1, won: 2}.get(result, 0)
            player.points += points
            player.met.add(other)
            player.colours.append(colour)
            player.line += f"  {other:4} {colour} {'0=1'[points]}"


errors, ours, theirs, same, count = [], collections.Counter(), collections.Counter(), 0, 0
with tempfile.TemporaryDirectory() as folder:
    for tournament in json.load(open(sys.argv[1], encoding="utf-8")):
        players = {number: Player() for number in range(1, tournament["players"] + 1)}
        for number, played in enumerate(tournament["rounds"], 1):
            pairs = [(white, black) for white, black, _ in played]
            faults, measured = measure(players, pairs)
            errors += [f"{tournament['players']} players, round {number}: {fault}" for fault in faults]
            other = dutch(players, len(tournament["rounds"]), folder)
            ours += measured
            theirs += measure(players, other)[1]
            same += {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in other}
            count += 1
            play(players, pairs, [result for _, _, result in played])
print(json.dumps({"errors": errors, "ours": ours, "theirs": theirs, "same": same, "rounds": count}))
