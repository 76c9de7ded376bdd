"""Recomputes a season from the games that it left, with python-chess and nothing of Rookery: who stood where in each event,
who went up, down and elsewhere, who plays in the next season. Says what differs, as JSON.

    python3 season.py FOLDER        # of `rookery run season.toml`
"""
import collections
import fractions
import json
import pathlib
import re
import sys
import tomllib

import chess.pgn

POINTS = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}
Game = collections.namedtuple("Game", "white black points mobility official")


def mobility(game):
    """White's share of a game by r-mobility (TCEC, section 11.1.3): the side whose move left the fewest replies since the
    last capture or pawn's move gets more of a draw."""
    board, best = game.board(), None
    for move in game.mainline_moves():
        white = board.turn
        board.push(move)
        if board.halfmove_clock == 0:
            best = None
        twice = 2 * board.legal_moves.count() + (0 if board.is_check() else 1)
        if best is None or twice < best[0]:
            best = (twice, white)
    if best is None:
        return fractions.Fraction(1, 2)
    more = fractions.Fraction(1, 2 ** (1 + best[0]))
    return fractions.Fraction(1, 2) + (more if best[1] else -more)


def read(path):
    games = []
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            tags = game.headers
            points = POINTS[tags["Result"]]
            share = mobility(game) if points == (1, 1) else fractions.Fraction(points[0], 2)
            games.append(Game(tags["White"], tags["Black"], points, share, tags.get("Official") != "no"))
    return games


def total(games, engines, value):
    """Sums over the games between these engines: `value(game, white?)`."""
    sums = {engine: 0 for engine in engines}
    for game in games:
        if game.white in sums and game.black in sums:
            sums[game.white] += value(game, True)
            sums[game.black] += value(game, False)
    return sums


def points(game, white):
    return game.points[0 if white else 1]


def split(group, values):
    levels = sorted({values[engine] for engine in group}, reverse=True)
    return [[engine for engine in group if values[engine] == level] for level in levels]


def rank(games, roster, criteria):
    """Groups that share a place, best first."""
    of = total(games, roster, points)
    other = lambda game, white: game.black if white else game.white
    values = {
        "sonneborn-berger": lambda: total(games, roster, lambda g, w: points(g, w) * of[other(g, w)]),
        "r-mobility": lambda: total(games, roster, lambda g, w: g.mobility if w else 1 - g.mobility),
        "wins": lambda: total(games, roster, lambda g, w: int(points(g, w) == 2)),
        "seeds": lambda: {engine: -at for at, engine in enumerate(roster)},
    }

    def direct(group):
        parts = split(group, total(games, group, points))
        if len(parts) == 1:
            return parts
        return [fine for part in parts for fine in (direct(part) if len(part) > 1 else [part])]

    groups = split(roster, of)
    for name in criteria:
        if name == "shared":
            break
        parts = direct if name == "direct-encounter" else lambda group: split(group, values[name]())
        groups = [part for group in groups for part in (parts(group) if len(group) > 1 else [group])]
    return groups


def history(text):
    """What the season says itself: the roster of each event, its table and its points."""
    said = {}
    for part in text.split("\n## ")[1:]:
        name = re.search(r"\(`([^`]+)`", part.split("\n")[0])
        if not name:
            continue
        roster = re.search(r"began, seed \d+: (.*) \(rookery", part)
        table = re.findall(r"^(\d+)\. (.+) (\d+\.[05])$", part, re.M)
        said[name[1]] = (roster[1].split(", ") if roster else [], table)
    return said


def main(folder):
    season = tomllib.loads((folder / "season.toml").read_text(encoding="utf-8"))
    events, errors, orders, counts = season["events"], [], {}, {}
    said = history((folder / "history.md").read_text(encoding="utf-8"))
    leagues = [name for name, event in events.items() if "promote" in event or "relegate" in event]
    placed = {engine for name in leagues for engine in events[name]["entrants"]}

    def moves(event):
        qualify = event.get("qualify", [])
        return ([event["promote"]] if "promote" in event else []) + (qualify if isinstance(qualify, list) else [qualify])

    def came(name):
        engines, by_place = [], []
        for source, event in events.items():
            for move in (move for move in moves(event) if move["to"] == name):
                order = orders[source]
                if "places" in move:
                    by_place += [(place, order[place - 1]) for place in move["places"] if place <= len(order)]
                elif move.get("who") == "unplaced":
                    engines += [engine for engine in order if engine not in placed][: move["count"]]
                elif move.get("played-off") in said and said[move["played-off"]][0]:
                    engines += decided(source, move)
                else:
                    engines += order[: move["count"]]
        return engines + [engine for _, engine in sorted(by_place, key=lambda entry: entry[0])]

    def decided(source, move):
        """Who is ahead of the tie on points, then who won the play-off in the end."""
        games, order = read(folder / f"{source}.pgn"), orders[source]
        of = total(games, order, points)
        line = sorted(of.values(), reverse=True)[move["count"] - 1]
        ahead = [engine for engine in order if of[engine] > line]
        level = {engine for engine in order if of[engine] == line}
        off = said[move["played-off"]]
        if level != set(off[0]):
            errors.append(f"{move['played-off']}: {off[0]} play, {sorted(level)} are level")
        return ahead + [engine for _, engine, _ in off[1]][: move["count"] - len(ahead)]

    for name, event in events.items():
        if name not in said or not said[name][0]:
            continue
        games, (roster, table) = read(folder / f"{name}.pgn"), said[name]
        counts[name] = len(games)
        if not any(move.get("played-off") == name for other in events.values() for move in moves(other)):
            expected = list(dict.fromkeys(event["entrants"] + came(name)))[: event.get("places")]
            if roster != expected:
                errors.append(f"{name}: {roster} play, {expected} were to")
        players = {engine for game in games for engine in (game.white, game.black)}
        if players != set(roster):
            errors.append(f"{name}: {sorted(players)} played, {sorted(roster)} were to")
        of = total(games, roster, points)
        if (claimed := {engine: round(2 * float(points)) for _, engine, points in table}) != of:
            errors.append(f"{name}: points {claimed}, by the games {of}")
        order = [engine for _, engine, _ in table]
        kind = next(iter(event["format"]))
        if kind in ("round-robin", "swiss", "match"):
            groups = rank(games, roster, event["tie-breaks"])
            if sum(groups, []) != order and kind != "match" or order[0] not in groups[0]:
                errors.append(f"{name}: the table says {order}, the games {groups}")
        if kind == "round-robin":
            met = collections.Counter((game.white, game.black) for game in games)
            cycles = event["format"][kind].get("cycles", 1)
            if any(met[a, b] != cycles for a in roster for b in roster if a != b):
                errors.append(f"{name}: not each against each with either colour: {met}")
        orders[name] = order

    stay = tomllib.loads((folder / "next-season.toml").read_text(encoding="utf-8"))["events"]
    gone = {}
    for name in leagues:
        down = events[name].get("relegate", {}).get("count", 0)
        up = events[name].get("promote", {}).get("count", 0)
        gone[name] = (orders[name][:up], orders[name][len(orders[name]) - down :])
    for name in leagues:
        kept = [engine for engine in orders[name] if engine not in sum(gone[name], [])]
        fell = [e for other in leagues if events[other].get("relegate", {}).get("to") == name for e in gone[other][1]]
        if stay[name]["stay"] != kept + fell:
            errors.append(f"next season, {name}: {stay[name]['stay']}, by the games {kept + fell}")
    print(json.dumps({"errors": errors, "games": counts, "orders": orders}))


main(pathlib.Path(sys.argv[1]))
