"""Starts latchd the way any launcher would: any free port, which a file tells."""

import os
import subprocess
import time
from pathlib import Path


class Latchd:
    def __init__(self, folder: Path, *options: str):
        self.folder = folder
        self.options = options
        self.port = 0
        self.start()

    def start(self) -> None:
        """Starts, or starts again on the port it had."""
        port_file = self.folder / "port"
        port_file.unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [os.environ["LATCHD"], "--port", str(self.port or "auto"), "--port-file", port_file,
                 "--die-with-parent", "yes", *self.options],
                stdout=log, stderr=log,
            )
        while not (port_file.exists() and port_file.stat().st_size):
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.01)
        self.port = int(port_file.read_text())

    def stop(self) -> None:
        self.process.terminate()
        assert self.process.wait(timeout=10) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)
