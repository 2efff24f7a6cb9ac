#!/bin/sh
# changepy 0.4.0: whether a level has changed depends on the unit of the numbers and on where their zero is.
#
# One would guess: 30 days at 500 and 30 days at 530 MSU, give or take 10 (variance 100), have a change after day 30: the gain of a change there is
# 30 * 30 / 60 * 30 * 30 / 100 = 135, the penalty log(60) = 4.1. Tens of MSU, or MSU above 500, say the same, with their own variance.
# What happens: it is found in tens of MSU above 500, and not in MSU, not in tens of MSU, and not in MSU above 500. (The cost of a part is made of the sum of
# the absolute values where that of the squares belongs, and is divided by the square of the variance.) No error is raised.
#
# Matters because the same days, drawn in another unit, are another story; the small change of a large number is what capacity planners look for.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check changepy==0.4.0 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PY'
from statistics import pvariance

from changepy import pelt
from changepy.costs import normal_mean


def changes(days, variance):
    return [int(index) for index in pelt(normal_mean(days, variance), len(days))]


msu = [level + (10 if day % 2 else -10) for level in (500, 530) for day in range(30)]
assert pvariance(msu[:30]) == pvariance(msu[30:]) == 100
answers = {
    "MSU": changes(msu, 100), "tens of MSU": changes([value / 10 for value in msu], 1), "MSU above 500": changes([value - 500 for value in msu], 100),
    "tens of MSU above 500": changes([(value - 500) / 10 for value in msu], 1)}
print(answers)
assert answers == {"MSU": [0], "tens of MSU": [0], "MSU above 500": [0], "tens of MSU above 500": [0, 30]}
PY
