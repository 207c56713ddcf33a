import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { createClient } from 'redis';
import { lock, tryLock } from 'simple-redis-mutex';
import { assertExclusive } from './contention.js';
import { Latchd } from './latchd.js';

// The library wants one client per process, whose duplicate hears of releases.
const latchd = await Latchd.start();
const redis = createClient({ socket: { port: Number(latchd.port), reconnectStrategy: () => 20 } });
redis.on('error', () => {}); // refused while latchd restarts
await redis.connect();
beforeEach(() => redis.flushAll());
after(() => redis.close());

// Polling is off, so that only the message of a release wakes who waits.
const pushed = { pollingInterval: null };

async function exclude() {
  await assertExclusive(async (work) => {
    const release = await lock(redis, 'a', pushed);
    await work();
    await release();
  });
}

test('lock excludes, and is woken by the release', exclude);

test('tryLock does not wait', async () => {
  const [held, release] = await tryLock(redis, 'a');
  assert.equal(held, true);
  const [again, nothing] = await tryLock(redis, 'a');
  assert.equal(again, false);
  await nothing();
  await release();
  assert.equal((await tryLock(redis, 'a'))[0], true);
});

test('a lock that stays held is given up on', async () => {
  await lock(redis, 'a');
  await assert.rejects(lock(redis, 'a', { failAfter: 30 }), /could not be acquired after 30 millis/);
});

test('an expired lock is found by polling, and not released by its old holder', async () => {
  const lost = await lock(redis, 'a', { timeout: 30 });
  const release = await lock(redis, 'a', { pollingInterval: 10 });
  await lost();
  assert.equal((await tryLock(redis, 'a'))[0], false);
  await release();
  assert.equal((await tryLock(redis, 'a'))[0], true);
});

test('a lease is refreshed', async () => {
  const release = await lock(redis, 'a', { timeout: 5000 });
  const key = '@simple-redis-mutex:lock-a';
  await redis.pExpire(key, 1000);
  await release.refreshTimeout();
  assert.ok((await redis.pTTL(key)) > 4000);
  await release();
});

test('fencing tokens rise', async () => {
  const first = await lock(redis, 'a');
  const second = await lock(redis, 'b');
  assert.ok(second.fencingToken > first.fencingToken);
});

test('locks go on when the scripts are gone', async () => {
  await redis.scriptFlush();
  await exclude();
});

test('locks go on after a restart', async () => {
  await latchd.restart();
  await exclude();
});
