"""What pottery's own tests expect of a conftest.py, which its source package leaves out: clients of an empty server."""

import pytest
import redis as redis_py
import redis.asyncio as redis_asyncio

URL = "redis://localhost:6379/1"


@pytest.fixture
def redis():
    with redis_py.Redis.from_url(URL, socket_timeout=1) as client:
        client.flushdb()
        yield client


@pytest.fixture
async def aioredis():
    async with redis_asyncio.Redis.from_url(URL, socket_timeout=1) as client:
        await client.flushdb()
        yield client
