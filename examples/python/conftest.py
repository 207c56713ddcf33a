import pytest
from latchd import Latchd


@pytest.fixture(scope="session")
def latchd_server():
    server = Latchd()
    yield server
    server.close()


@pytest.fixture
def latchd(latchd_server):
    """One server for the whole run, empty for each test."""
    latchd_server.reset()
    return latchd_server
