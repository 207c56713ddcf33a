import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertExclusive } from './contention.js';
import { connect } from './ioredis.js';
import { Latchd } from './latchd.js';

// redlock 5 and the fork that goes on from it share their interface.
const library = await import(process.env.REDLOCK ?? 'redlock');
const { ExecutionError, ResourceLockedError } = library;
const Redlock = library.Redlock ?? library.default;

const latchds = await Latchd.startAll(3);
const clients = latchds.map((latchd) => connect(latchd));
const [redis] = clients;
beforeEach(() => Promise.all(clients.map((client) => client.flushall())));

// Votes can be split so that nobody has most of them; this version then waits for a lease to end.
const lease = 1000;
const patient = { retryCount: -1, retryDelay: 3, retryJitter: 2 };
const single = new Redlock([redis], patient);
const triple = new Redlock(clients, patient);

for (const [redlock, where] of [[single, 'one server'], [triple, 'three servers']]) {
  test(`acquire and release exclude on ${where}`, () =>
    assertExclusive(async (work) => {
      const lock = await redlock.acquire(['a'], lease);
      await work();
      await lock.release();
    }));

  test(`using() excludes on ${where}`, () =>
    assertExclusive((work) => redlock.using(['a'], lease, work)));

  test(`locks that share a resource exclude on ${where}`, () =>
    assertExclusive((work, worker) => redlock.using([`own ${worker}`, 'shared'], lease, work), { rounds: 4 }));
}

// Calls return when most servers have answered; what is asked of each may have to wait for the others.
async function eventually(holds) {
  while (!(await holds())) await sleep(2);
}

test('a held resource is refused when the retries are used up', async () => {
  const lock = await triple.acquire(['a'], 5000);
  const error = await triple.acquire(['a'], 5000, { retryCount: 2 }).catch((e) => e);
  assert.ok(error instanceof ExecutionError);
  assert.equal(error.attempts.length, 3);
  const { votesAgainst } = await error.attempts[0];
  for (const reason of votesAgainst.values()) assert.ok(reason instanceof ResourceLockedError);

  await lock.release();
  await (await triple.acquire(['a'], 5000, { retryCount: 0 })).release();
});

test('a lock that is extended outlives its first lease', async () => {
  let lock = await triple.acquire(['a', 'b'], 2000);
  const { value } = lock;
  lock = await lock.extend(5000);
  assert.equal(lock.value, value);
  for (const client of clients) await eventually(async () => (await client.pttl('b')) > 4000);
  await lock.release();
  for (const client of clients) await eventually(async () => (await client.exists('a', 'b')) === 0);
});

test('an expired lock is free, and its old holder can neither extend nor release it', async () => {
  const lost = await single.acquire(['a'], 30);
  const held = await single.acquire(['a'], 5000);
  await assert.rejects(lost.extend(5000));
  await assert.rejects(single.release(lost, { retryCount: 0 }), ExecutionError);
  assert.equal(await redis.get('a'), held.value);
});

test('using() extends the lock while the work takes longer than the lease', async () => {
  const settings = { automaticExtensionThreshold: 1000 };
  await single.using(['a'], 1500, settings, async (signal) => {
    await sleep(1800);
    assert.equal(signal.aborted, false);
    assert.equal(await redis.exists('a'), 1);
  });
  assert.equal(await redis.exists('a'), 0);
});

test('using() says when the lock was lost', async () => {
  const quick = new Redlock([redis], { retryCount: 0, automaticExtensionThreshold: 50 });
  const work = quick.using(['a'], 200, async (signal) => {
    await redis.set('a', 'a stranger');
    while (!signal.aborted) await sleep(5);
    throw signal.error;
  });
  await assert.rejects(work, ExecutionError);
  assert.equal(await redis.get('a'), 'a stranger');
});

test('locks go on while one of three servers is down', async () => {
  const own = await Latchd.startAll(3);
  const failFast = { maxRetriesPerRequest: 0, enableOfflineQueue: false };
  const redlock = new Redlock(own.map((latchd) => connect(latchd, failFast)), patient);
  redlock.on('error', () => {}); // the server that is down, and the resources that are held
  await (await redlock.acquire(['a'], 5000)).release();

  await own[2].stop();
  await assertExclusive((work) => redlock.using(['a'], lease, work), { rounds: 4 });

  await own[1].stop();
  await assert.rejects(redlock.acquire(['a'], 5000, { retryCount: 1 }), ExecutionError);
});

test('locks go on after a restart, which forgets the scripts', async () => {
  const own = await Latchd.start();
  const redlock = new Redlock([connect(own)], patient);
  await (await redlock.acquire(['a'], 5000)).release();
  await own.restart();
  await assertExclusive((work) => redlock.using(['a'], lease, work), { workers: 4, rounds: 2 });
});

// The fork has an option that the original has not.
if (library.Redlock) {
  test('another database is used through SELECT in the scripts', async () => {
    const redlock = new Redlock([redis], { ...patient, db: 7 });
    const lock = await redlock.acquire(['a'], 5000);
    assert.equal(await redis.exists('a'), 0);
    assert.equal(await connect(latchds[0], { db: 7 }).get('a'), lock.value);
    await lock.release();
  });
}
