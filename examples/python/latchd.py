"""A latchd of one's own for tests. Small enough to copy; needs redis-py."""

import os
import pathlib
import subprocess
import tempfile
import time

import redis


class Latchd:
    """Starts when made, on a free port; ends with close(), or with the process that made it."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory()
        port_file = pathlib.Path(self.folder.name, "port")
        self.process = subprocess.Popen(
            [os.environ.get("LATCHD", "latchd"), "--test", "yes", "--port", "auto", "--port-file", port_file,
             "--die-with-parent", "yes", *options],
            stdout=subprocess.DEVNULL,
        )
        while not port_file.exists():
            if self.process.poll() is not None:
                raise RuntimeError("latchd did not start")
            time.sleep(0.001)
        self.port = int(port_file.read_text())
        self.control = self.client()

    def client(self, **options):
        return redis.Redis(port=self.port, **options)

    def advance(self, ms):
        """Lets time pass, at once. The clients' own timers do not notice."""
        self.control.execute_command("TEST.ADVANCE", ms)

    def fault(self, *words):
        self.control.execute_command("TEST.FAULT", "ADD", *words)

    def reset(self):
        self.control.execute_command("TEST.RESET")

    def close(self):
        self.control.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()
