import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import Bluebird from 'bluebird';
import Redlock from 'redlock4';
import { assertExclusive } from './contention.js';
import { connect } from './ioredis.js';
import { Latchd } from './latchd.js';

const latchds = await Latchd.startAll(3);
const clients = latchds.map((latchd) => connect(latchd));
const [redis] = clients;
beforeEach(() => Promise.all(clients.map((client) => client.flushall())));

const patient = { retryCount: -1, retryDelay: 3, retryJitter: 2 };
const single = new Redlock([redis], patient);
const triple = new Redlock(clients, patient);

for (const [redlock, where] of [[single, 'one server'], [triple, 'three servers']]) {
  test(`lock and unlock exclude on ${where}`, () =>
    assertExclusive(async (work) => {
      const lock = await redlock.lock('a', 5000);
      await work();
      await lock.unlock();
    }));
}

test('locks that share a resource exclude', () =>
  assertExclusive(async (work, worker) => {
    const lock = await triple.lock([`own ${worker}`, 'shared'], 5000);
    await work();
    await lock.unlock();
  }));

test('a held resource is refused when the retries are used up', async () => {
  const lock = await triple.lock('a', 5000);
  const error = await triple.lockWithOptions('a', 5000, { retryCount: 2 }).catch((e) => e);
  assert.ok(error instanceof Redlock.LockError);
  assert.equal(error.attempts, 3);
  await lock.unlock();
  await (await triple.lockWithOptions('a', 5000, { retryCount: 1 })).unlock();
});

test('a lock that is extended outlives its first lease', async () => {
  const lock = await triple.lock('a', 2000);
  await lock.extend(5000);
  for (const client of clients) assert.ok((await client.pttl('a')) > 4000);
  await lock.unlock();
  assert.equal(await redis.exists('a'), 0);
});

test('an expired lock is free, and its old holder cannot release it', async () => {
  const lost = await single.lock('a', 30);
  const held = await single.lock('a', 5000);
  await assert.rejects(lost.extend(5000), Redlock.LockError);
  await assert.rejects(lost.unlock(), Redlock.LockError);
  assert.equal(await redis.get('a'), held.value);
});

test('callbacks are called', (_, done) => {
  single.lock('a', 5000, (error, lock) => {
    assert.ifError(error);
    lock.unlock(done);
  });
});

test('a disposer has the lock, and gives it back', async () => {
  await Bluebird.using(single.disposer('a', 5000), async (lock) => {
    assert.equal(await redis.get('a'), lock.value);
  });
  assert.equal(await redis.exists('a'), 0);
});

test('locks go on while one of three servers is down', async () => {
  const own = await Latchd.startAll(3);
  const failFast = { maxRetriesPerRequest: 0, enableOfflineQueue: false };
  const redlock = new Redlock(own.map((latchd) => connect(latchd, failFast)), patient);
  await (await redlock.lock('a', 5000)).unlock();
  await own[2].stop();
  await assertExclusive(
    async (work) => {
      const lock = await redlock.lock('a', 5000);
      await work();
      await lock.unlock();
    },
    { rounds: 4 },
  );
});

test('locks go on after a restart, which forgets the scripts', async () => {
  const own = await Latchd.start();
  const redlock = new Redlock([connect(own)], patient);
  await (await redlock.lock('a', 5000)).unlock();
  await own.restart();
  await (await redlock.lock('a', 5000)).unlock();
});
