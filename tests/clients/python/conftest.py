import pytest
import redis
import redis.asyncio

from latchd import Latchd


@pytest.fixture(scope="session")
def shared_latchd(tmp_path_factory):
    latchd = Latchd(tmp_path_factory.mktemp("latchd"))
    yield latchd
    latchd.stop()


@pytest.fixture
def latchd(shared_latchd):
    """A server that is empty: no keys, and no scripts remembered."""
    with redis.Redis(port=shared_latchd.port) as r:
        r.flushall()
        r.script_flush()
    return shared_latchd


@pytest.fixture
def own_latchd(tmp_path):
    """A server that a test may stop, kill and start."""
    latchd = Latchd(tmp_path)
    yield latchd
    latchd.kill()


@pytest.fixture
def several(tmp_path):
    """Five servers that know nothing of each other."""
    servers = []
    for i in range(5):
        folder = tmp_path / str(i)
        folder.mkdir()
        servers.append(Latchd(folder))
    yield servers
    for latchd in servers:
        latchd.kill()


@pytest.fixture(params=[2, 3], ids=["resp2", "resp3"])
def protocol(request):
    return request.param


@pytest.fixture
def r(latchd, protocol):
    with redis.Redis(port=latchd.port, protocol=protocol, decode_responses=True) as r:
        yield r


@pytest.fixture
async def ar(latchd, protocol):
    async with redis.asyncio.Redis(port=latchd.port, protocol=protocol, decode_responses=True) as r:
        yield r
