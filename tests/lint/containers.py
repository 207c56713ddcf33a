#!/usr/bin/python3
"""The Dockerfile, the compose file and the manifests, read as closely as can be without an engine."""
import re
import sys

import yaml

wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)


def dockerfile(path):
    text = re.sub(r"\\\n", " ", open(path).read())
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"}
    check(all(word in known for word, _ in steps), "an instruction that is not known")
    stages = [rest for word, rest in steps if word == "FROM"]
    check(len(stages) == 2 and stages[-1] == "scratch", "the last stage is not empty")
    check(all(":" in s and ":latest" not in s for s in stages[:-1]), "a base without a version")
    last = steps[max(i for i, (word, _) in enumerate(steps) if word == "FROM"):]
    users = [rest for word, rest in last if word == "USER"]
    check(users and users[-1].split(":")[0].isdigit() and users[-1].split(":")[0] != "0", "it runs as root")
    check(any(w == "HEALTHCHECK" and '["/latchd", "health"]' in r for w, r in last), "no health check")
    check(any(w == "ENTRYPOINT" and r == '["/latchd"]' for w, r in last), "no entry point")
    check(not any(w == "RUN" for w, _ in last), "an empty image cannot run anything")


def options(where, names):
    page = open("docs/configuration.md").read()
    for name in names:
        option = name.removeprefix("LATCHD_").lower().replace("_", "-")
        check(name.startswith("LATCHD_") and f"| `{option}` |" in page, f"{where}: no option {option}")


def container(where, c, pod):
    for key in ("name", "image"):
        check(key in c, f"{where}: a container without {key}")
    check(":" in c["image"] and not c["image"].endswith(":latest"), f"{where}: an image without a version")
    volumes = {v["name"] for v in pod.get("volumes", [])}
    for mount in c.get("volumeMounts", []):
        check(mount["name"] in volumes, f"{where}: no volume {mount['name']}")
    ports = {p["name"] for p in c.get("ports", [])}
    for probe in (c.get(p) for p in ("startupProbe", "readinessProbe", "livenessProbe")):
        if probe and "httpGet" in probe:
            check(probe["httpGet"]["port"] in ports, f"{where}: a probe of no port")
            check(probe["httpGet"]["path"] in ("/healthz", "/readyz"), f"{where}: a probe of no page")
        elif probe:
            check(probe["exec"]["command"] == ["/latchd", "health"], f"{where}: a probe of no program")
    if c["name"] == "latchd":
        security = c["securityContext"]
        check(security["readOnlyRootFilesystem"], f"{where}: the root can be written")
        check(not security["allowPrivilegeEscalation"], f"{where}: privileges can grow")
        check(security["capabilities"]["drop"] == ["ALL"], f"{where}: capabilities are left")
        check("livenessProbe" in c and "startupProbe" in c, f"{where}: a probe is missing")
        check("memory" in c["resources"]["limits"], f"{where}: memory has no limit")
        check(all(isinstance(e.get("value", ""), str) for e in c["env"]), f"{where}: a value that is no text")
        options(where, [e["name"] for e in c["env"]])


def manifests(path):
    documents = list(yaml.safe_load_all(open(path)))
    pods, services = [], []
    for d in documents:
        check({"apiVersion", "kind", "metadata"} <= d.keys(), f"{path}: not an object")
        if d["kind"] == "Pod":
            pods.append((d["metadata"]["labels"], d["spec"]))
        elif d["kind"] == "Deployment":
            check(d["apiVersion"] == "apps/v1", f"{path}: apiVersion")
            check(d["spec"]["replicas"] == 1, f"{path}: more than one replica gives out a lock twice")
            check(d["spec"]["strategy"]["type"] == "Recreate", f"{path}: an update would run two")
            labels = d["spec"]["template"]["metadata"]["labels"]
            check(d["spec"]["selector"]["matchLabels"].items() <= labels.items(), f"{path}: selects no pod")
            pods.append((labels, d["spec"]["template"]["spec"]))
        elif d["kind"] == "Service":
            services.append(d["spec"])
        else:
            check(False, f"{path}: {d['kind']} is not known here")
    for labels, pod in pods:
        check(pod["securityContext"]["runAsNonRoot"], f"{path}: root")
        for c in pod.get("initContainers", []) + pod["containers"]:
            container(path, c, pod)
        check(all(c["restartPolicy"] == "Always" for c in pod.get("initContainers", [])), f"{path}: it would have to end")
    for s in services:
        chosen = [pod for labels, pod in pods if s["selector"].items() <= labels.items()]
        check(chosen, f"{path}: the service selects nothing")
        names = {p["name"] for pod in chosen for c in pod["containers"] for p in c.get("ports", [])}
        check(all(p["targetPort"] in names for p in s["ports"]), f"{path}: a port that leads nowhere")


def compose(path):
    d = yaml.safe_load(open(path))
    s = d["services"]["latchd"]
    check(s["read_only"] and s["cap_drop"] == ["ALL"], "compose: not closed")
    check(all(name in d["secrets"] for name in s["secrets"]), "compose: no such secret")
    check(all(p.startswith("127.0.0.1:") for p in s["ports"]), "compose: open to the world")
    options("compose", s["environment"])


dockerfile("docker/Dockerfile")
compose("docker/compose.yaml")
manifests("docker/kubernetes/sidecar.yaml")
manifests("docker/kubernetes/deployment.yaml")
print("\n".join(wrong) or "docker/: our own rules are kept")
sys.exit(bool(wrong))
