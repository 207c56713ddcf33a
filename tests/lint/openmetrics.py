#!/usr/bin/python3
"""Reads /metrics in its newer format by the rules, and asks whether it is complete: openmetrics.py NEWER OLDER PAGE

NEWER and OLDER are the same page of metrics in the two formats. PAGE is documentation, whose metrics have to exist.
"""
import re
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as newer_families
from prometheus_client.parser import text_string_to_metric_families as older_families

# What has to be there, and as what.
GROUPS = {
    "connections": {"clients": "gauge", "clients_blocked": "gauge", "connections": "counter",
                    "connections_rejected": "counter", "received_bytes": "counter", "sent_bytes": "counter"},
    "commands": {"commands": "counter", "commands_failed": "counter", "commands_rejected": "counter",
                 "command_duration_seconds": "histogram", "errors": "counter"},
    "keys": {"keys": "gauge", "keys_expiring": "gauge", "locks": "gauge", "lock_hold_warnings": "counter"},
    "expirations": {"expired_keys": "counter", "expiry_lateness_seconds": "histogram"},
    "scripts": {"script_runs": "counter", "scripts": "gauge", "script_heap_bytes": "gauge"},
    "pub/sub": {"pubsub_channels": "gauge", "pubsub_patterns": "gauge", "pubsub_messages": "counter"},
    "memory": {"memory_used_bytes": "gauge", "memory_limit_bytes": "gauge", "memory_resident_bytes": "gauge"},
    "loop lag": {"loop_lag_seconds": "histogram"},
}

wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)


def samples_of(families):
    return {(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples}


newer_path, older_path, page_path = sys.argv[1:]
newer = list(newer_families(open(newer_path).read()))
older = list(older_families(open(older_path).read()))
found = {f.name.removeprefix("latchd_"): f for f in newer}

for group, families in GROUPS.items():
    for name, kind in families.items():
        check(name in found, f"{group}: no {name}")
        check(name not in found or found[name].type == kind, f"{group}: {name} is no {kind}")
for name, family in found.items():
    unit = name.rsplit("_", 1)[-1]
    check(family.unit == (unit if unit in ("seconds", "bytes") else ""), f"{name}: its unit is {family.unit!r}")
    check(family.documentation.endswith("."), f"{name}: its help is no sentence")
check(samples_of(newer) == samples_of(older), f"only in one format: {samples_of(newer) ^ samples_of(older)}")
names = {s.name for f in newer for s in f.samples}
for name in sorted(set(re.findall(r"\blatchd_[a-z_]+", open(page_path).read()))):
    check(name in names, f"{page_path}: there is no {name}")

print("\n".join(wrong) or f"  {len(newer)} families, {sum(len(f.samples) for f in newer)} samples, nothing wrong")
sys.exit(bool(wrong))
