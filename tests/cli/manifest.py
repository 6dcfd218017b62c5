#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manifest.py FILE… - is each a whole Pod, Job or DaemonSet? Prints what is wrong; exit status 1 where something is.

Kubernetes' own tools want a server to say so. This knows the fields that our manifests use, by the names and rules of
the API's reference, and takes any other for a mistake in writing.
"""
import subprocess
import sys

import yaml

POD = {"restartPolicy", "hostPID", "hostNetwork", "nodeSelector", "tolerations", "affinity", "runtimeClassName",
       "containers", "initContainers", "volumes"}
CONTAINER = {"name", "image", "command", "args", "env", "resources", "securityContext", "volumeMounts"}
KINDS = {
    "Pod": ("v1", POD),
    "Job": ("batch/v1", {"completions", "parallelism", "completionMode", "backoffLimitPerIndex",
                         "activeDeadlineSeconds", "template"}),
    "DaemonSet": ("apps/v1", {"selector", "updateStrategy", "template"}),
}
wrong = []


def want(true, what):
    """What must be, and what is said where it is not."""
    if not true:
        wrong.append(what)


def known(thing, names, what):
    """No field but these."""
    for name in set(thing) - set(names):
        wrong.append(f"{what}: no such field: {name}")


def check_container(container, volumes):
    """One of a pod's containers: its fields, its mounts, its shell command."""
    what = container.get("name", "?")
    known(container, CONTAINER, what)
    want(container.get("name") and container.get("image"), f"{what}: no name or image")
    for words in (container.get("command", []), container.get("args", [])):
        want(isinstance(words, list) and all(isinstance(word, str) for word in words), f"{what}: words of its command")
    if container.get("command") == ["sh", "-c"]:
        shell = subprocess.run(["sh", "-n", "-c", container["args"][0]], capture_output=True, text=True, check=False)
        want(not shell.returncode, f"{what}: {shell.stderr}")
    for variable in container.get("env", []):
        want(set(variable) == {"name", "value"} and isinstance(variable["value"], str),
             f"{what}: environment: {variable}")
    known(container.get("resources", {}), {"limits", "requests"}, f"{what}: resources")
    known(container.get("securityContext", {}), {"privileged"}, f"{what}: securityContext")
    for mount in container.get("volumeMounts", []):
        known(mount, {"name", "mountPath", "readOnly"}, f"{what}: mount")
        want(mount.get("name") in volumes, f"{what}: no volume {mount.get('name')}")
        want(str(mount.get("mountPath")).startswith("/"), f"{what}: mount without a path")


def check_pod(pod, labels, policies):
    """A pod's own fields."""
    known(pod, POD, "pod")
    want(pod.get("restartPolicy", "Always") in policies, f"restartPolicy: {pod.get('restartPolicy')}")
    volumes = {volume.get("name"): volume for volume in pod.get("volumes", [])}
    for volume in volumes.values():
        known(volume, {"name", "hostPath"}, "volume")
        want(volume["hostPath"].get("type") == "DirectoryOrCreate" and volume["hostPath"].get("path"),
             f"volume: {volume}")
    want(pod.get("containers"), "no container")
    for container in pod.get("containers", []) + pod.get("initContainers", []):
        check_container(container, volumes)
    mounts = [mount.get("name") for container in pod["containers"] for mount in container.get("volumeMounts", [])]
    want(set(mounts) == set(volumes), f"volumes that no container mounts: {set(volumes) - set(mounts)}")
    for toleration in pod.get("tolerations", []):
        want(toleration == {"operator": "Exists"}, f"toleration: {toleration}")
    apart = pod.get("affinity", {}).get("podAntiAffinity", {})
    for term in apart.get("requiredDuringSchedulingIgnoredDuringExecution", []):
        want(term.get("topologyKey") == "kubernetes.io/hostname", "affinity: topologyKey")
        want(term.get("labelSelector", {}).get("matchLabels", {}).items() <= labels.items(), "affinity: other pods")


def check(thing):
    """An object of one of the kinds."""
    kind = thing.get("kind")
    if kind not in KINDS:
        wrong.append(f"no kind of ours: {kind}")
        return
    version, fields = KINDS[kind]
    spec = thing["spec"]
    known(thing, {"apiVersion", "kind", "metadata", "spec"}, kind)
    want(thing.get("apiVersion") == version, f"{kind} is not of {thing.get('apiVersion')}")
    want(thing["metadata"].get("name"), "no name")
    known(spec, fields, kind)
    if kind == "Pod":
        check_pod(spec, {}, {"Always", "OnFailure", "Never"})
        return
    labels = spec["template"].get("metadata", {}).get("labels", {})
    check_pod(spec["template"]["spec"], labels, {"Never", "OnFailure"} if kind == "Job" else {"Always"})
    if kind == "DaemonSet":
        want(labels and spec.get("selector", {}).get("matchLabels", {}).items() <= labels.items(),
             "selector: other pods")
        return
    want(spec.get("completions") == spec.get("parallelism"), "not all nodes at once")
    want(spec.get("completionMode") == "Indexed" and "backoffLimitPerIndex" in spec, "one bad node ends the Job")
    # A limit for each index is allowed only where no container is started again in place.
    want(spec["template"]["spec"].get("restartPolicy") == "Never", "backoffLimitPerIndex without restartPolicy Never")


for path in sys.argv[1:]:
    before = len(wrong)
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            check(document)
    for line in wrong[before:]:
        print(f"{path}: {line}")
sys.exit(1 if wrong else 0)
