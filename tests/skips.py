"""Lists what tests skipped, from the report of nextest; in CI a skipped test is a failure, unless the machine is the reason.

    python tests/skips.py target/nextest/default/junit.xml
"""

import os
import re
import sys
import xml.etree.ElementTree as tree

# What no package can mend: the kernel, a machine that is too busy, and data that is not part of the project.
NOT_OURS = re.compile(r"kernel|shared|cases|machine")

skips = []
for case in tree.parse(sys.argv[1]).iter("testcase"):
    for out in (case.findtext("system-out") or "", case.findtext("system-err") or ""):
        for line in out.splitlines():
            # `SKIP` stands alone or before a colon; tests that speak of skipping are something else.
            if found := re.match(r"\s*SKIP\b:?\s*(.*)", line):
                skips.append((case.get("classname"), case.get("name"), found[1]))

for crate, name, why in skips:
    print(f"SKIP: {crate} {name}: {why}")
wrong = [why for _, _, why in skips if not NOT_OURS.search(why)]
if os.environ.get("CI") and wrong:
    print(f"error: {len(wrong)} tests were skipped for want of a tool; in CI that is a failure", file=sys.stderr)
    sys.exit(1)
