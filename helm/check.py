"""Renders the chart with each file of values/, checks what comes out against the API's schemas of the oldest and the newest
Kubernetes that are known here, and what the chart promises besides. Also: wrong values must be refused.

    python helm/check.py [HELM]         needs the packages kubernetes-validate and PyYAML
"""

import pathlib
import re
import subprocess
import sys

import kubernetes_validate
import yaml

HERE = pathlib.Path(__file__).resolve().parent
CHART = HERE / "rookery"
HELM = sys.argv[1] if len(sys.argv) > 1 else "helm"
# The oldest that Chart.yaml's kubeVersion allows, and the newest that there is a schema of.
VERSIONS = ["1.27.0", kubernetes_validate.latest_version()]
# As long as helm allows.
RELEASE = "a-rating-list-of-forty-engines-and-more-for-years-53"
NOT_OURS = {"ServiceMonitor"}  # kinds that the API itself does not know

# Changes of values/small.yaml that must be refused, each with a word that the message must hold.
REFUSED = [
    ("etcd.endpoints=null", "endpoints"),
    ("coordinator.replica=2", "replica"),
    ("pools[0].cpus=1.5", "cpus"),
    ("pools[0].memory=1024", "memory"),
    ("pools[0].slots=2", "need more than 1 cpus"),
    ("pools[0].coresPerSlot=2", "coresPerSlot"),
    ("pools[0].name=A_B", "name"),
    ("pools[1].name=one,pools[1].replicas=1,pools[1].cpus=1,pools[1].memory=1Gi", "two pools are named one"),
    ("coordinator.replicas=3", "ReadWriteMany"),
    ("coordinator.lease=20s", "longer than coordinator.grace"),
    ("worker.grace=30", "grace"),
    ("etcd.user=rookery", "passwordSecret"),
    ("archive.s3=http://x/y", "s3"),
    ("networkPolicy.enabled=perhaps", "enabled"),
]

problems = []


def helm(*words):
    return subprocess.run([HELM, *words], capture_output=True, text=True, check=False)


def expect(holds, where, what):
    if not holds:
        problems.append(f"{where}: {what}")


def pods(documents):
    for document in documents:
        if document["kind"] == "Pod":
            yield document["metadata"]["name"], document["metadata"], document["spec"]
        elif document["kind"] == "StatefulSet":
            template = document["spec"]["template"]
            yield document["metadata"]["name"], template["metadata"], template["spec"]


def check_pod(where, metadata, spec):
    security = spec["securityContext"]
    expect(security["runAsNonRoot"] and security["seccompProfile"]["type"] == "RuntimeDefault", where, "not shut in")
    worker = metadata["labels"].get("app.kubernetes.io/component") == "worker"
    volumes = {volume["name"] for volume in spec.get("volumes", [])}
    if spec.get("terminationGracePeriodSeconds") and worker:
        grace = next(word for word in spec["containers"][0]["args"] if word.startswith("--grace="))
        units = {"h": 3600, "m": 60, "s": 1}
        seconds = sum(int(count) * units[unit] for count, unit in re.findall(r"(\d+)([hms])", grace))
        expect(spec["terminationGracePeriodSeconds"] > seconds, where, f"is killed before {grace} is over")
    for container in spec.get("initContainers", []) + spec["containers"]:
        here = f"{where}/{container['name']}"
        own = container["securityContext"]
        expect(own["readOnlyRootFilesystem"] and not own["allowPrivilegeEscalation"], here, "may change itself")
        expect(own["capabilities"]["drop"] == ["ALL"], here, "keeps capabilities")
        for mount in container.get("volumeMounts", []):
            expect(mount["name"] in volumes | {"state"}, here, f"mounts {mount['name']}, which is no volume")
        resources = container.get("resources", {})
        limits = resources.get("limits", {})
        if worker:
            expect(limits and resources.get("requests") == limits, here, "is not Guaranteed")
            expect(isinstance(limits.get("cpu"), int), here, "has no whole cores")
    if worker:
        variables = {variable["name"]: variable.get("value") for variable in spec["containers"][0]["env"]}
        gpus = any("gpu" in key for key in spec["containers"][0]["resources"].get("limits", {}))
        void = variables.get("NVIDIA_VISIBLE_DEVICES") == "void"
        expect(gpus != void, where, "sees GPUs that are not its own, or none of its own")


def check_services(where, documents):
    labels = [metadata["labels"] for _, metadata, _ in pods(documents)]
    for document in documents:
        if document["kind"] == "Service":
            selector = document["spec"]["selector"].items()
            expect(any(selector <= pod.items() for pod in labels), where, f"{document['metadata']['name']} selects no pod")
        if document["kind"] == "StatefulSet":
            names = {other["metadata"]["name"] for other in documents if other["kind"] == "Service"}
            expect(document["spec"]["serviceName"] in names, where, f"no service {document['spec']['serviceName']}")
            # With the hash of its revision it becomes a label, which has at most 63 characters.
            expect(len(document["metadata"]["name"]) <= 52, where, f"{document['metadata']['name']} is too long")


def check_values(values):
    where = values.name
    lint = helm("lint", "--strict", str(CHART), "-f", str(values))
    expect(lint.returncode == 0, where, lint.stdout + lint.stderr)
    out = helm("template", RELEASE, str(CHART), "-f", str(values))
    if out.returncode != 0:
        problems.append(f"{where}: {out.stderr}")
        return 0
    documents = [document for document in yaml.safe_load_all(out.stdout) if document]
    for document in documents:
        if document["kind"] in NOT_OURS:
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                name = f"{document['kind']}/{document['metadata']['name']}"
                place = "/".join(str(part) for part in error.absolute_path)
                problems.append(f"{where}: {name} for Kubernetes {version}: {place}: {error.message}")
    for name, metadata, spec in pods(documents):
        check_pod(f"{where}: {name}", metadata, spec)
    check_services(where, documents)
    return len(documents)


count = sum(check_values(values) for values in sorted((HERE / "values").glob("*.yaml")))
for change, word in REFUSED:
    out = helm("template", RELEASE, str(CHART), "-f", str(HERE / "values/small.yaml"), "--set", change)
    expect(out.returncode != 0 and word in out.stderr, f"--set {change}", f"not refused with {word!r}: {out.stderr}")
for problem in problems:
    print(f"error: {problem}", file=sys.stderr)
print(f"chart: {count} objects, {len(REFUSED)} refusals, {len(problems)} problems")
sys.exit(bool(problems) or count == 0)
