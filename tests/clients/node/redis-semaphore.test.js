import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  LostLockError,
  MultiSemaphore,
  Mutex,
  RedlockMultiSemaphore,
  RedlockMutex,
  RedlockSemaphore,
  Semaphore,
  TimeoutError,
} from 'redis-semaphore';
import { assertAdmits, assertExclusive } from './contention.js';
import { connect } from './ioredis.js';
import { Latchd } from './latchd.js';

const latchds = await Latchd.startAll(3);
const clients = latchds.map((latchd) => connect(latchd));
const [redis] = clients;
beforeEach(() => Promise.all(clients.map((client) => client.flushall())));

// Every class, and how many holders it lets in at once when made like this.
const room = 4;
const kinds = {
  Mutex: { holders: 1, key: 'mutex:k', make: (options) => new Mutex(redis, 'k', options) },
  Semaphore: { holders: room, key: 'semaphore:k', make: (options) => new Semaphore(redis, 'k', room, options) },
  MultiSemaphore: { holders: 2, key: 'semaphore:k', make: (options) => new MultiSemaphore(redis, 'k', room, 2, options) },
  RedlockMutex: { holders: 1, key: 'mutex:k', make: (options) => new RedlockMutex(clients, 'k', options) },
  RedlockSemaphore: { holders: room, key: 'semaphore:k', make: (options) => new RedlockSemaphore(clients, 'k', room, options) },
  RedlockMultiSemaphore: {
    holders: 2,
    key: 'semaphore:k',
    make: (options) => new RedlockMultiSemaphore(clients, 'k', room, 2, options),
  },
};

async function locked(lock, work) {
  await lock.acquire();
  await work();
  await lock.release();
}

for (const [name, { holders, key, make }] of Object.entries(kinds)) {
  test(`${name}: ${holders} inside at most`, () =>
    holders === 1
      ? assertExclusive((work) => locked(make(), work))
      : assertAdmits(holders, (work) => locked(make({ retryInterval: 2 }), work)));

  test(`${name}: one too many is refused after its time, and by its attempts`, async () => {
    const inside = Array.from({ length: holders }, () => make());
    await Promise.all(inside.map((lock) => lock.acquire()));
    await assert.rejects(make({ acquireTimeout: 30 }).acquire(), TimeoutError);
    assert.equal(await make({ acquireAttemptsLimit: 1 }).tryAcquire(), false);

    await inside[0].release();
    const next = make();
    assert.equal(await next.tryAcquire(), true);
    await Promise.all([...inside, next].map((lock) => lock.release()));
    assert.equal(await redis.exists(key), 0);
  });

  test(`${name}: is refreshed while it is held`, async () => {
    const lock = make({ lockTimeout: 800, refreshInterval: 100 });
    await lock.acquire();
    await sleep(1000);
    assert.equal(lock.isAcquired, true);
    assert.equal(await redis.exists(key), 1);
    await lock.release();
  });

  test(`${name}: says that it was lost`, async () => {
    let lock;
    const lost = new Promise((resolve) => {
      lock = make({ lockTimeout: 1000, refreshInterval: 20, onLockLost: resolve });
    });
    await lock.acquire();
    await Promise.all(clients.map((client) => client.del(key)));
    assert.ok((await lost) instanceof LostLockError);
    assert.equal(lock.isAcquired, false);
  });

  test(`${name}: without a refresh it ends with its lease`, async () => {
    const inside = Array.from({ length: holders }, () => make({ lockTimeout: 40, refreshInterval: 0 }));
    await Promise.all(inside.map((lock) => lock.acquire()));
    const next = make({ acquireTimeout: 2000 });
    await next.acquire();
    await next.release();
  });

  test(`${name}: is handed over by its identifier`, async () => {
    const scheduler = make({ refreshInterval: 0 });
    await scheduler.acquire();
    const handler = make({ identifier: scheduler.identifier, acquiredExternally: true });
    await handler.acquire();
    await handler.release();
    assert.equal(await redis.exists(key), 0);
  });

  test(`${name}: waiting is given up by a signal`, async () => {
    const inside = Array.from({ length: holders }, () => make());
    await Promise.all(inside.map((lock) => lock.acquire()));
    await assert.rejects(make().acquire(AbortSignal.timeout(20)), { name: 'TimeoutError' });
    await Promise.all(inside.map((lock) => lock.release()));
  });
}

test('Semaphore and MultiSemaphore share their permits', async () => {
  const three = new MultiSemaphore(redis, 'k', room, 3);
  await three.acquire();
  const one = new Semaphore(redis, 'k', room, { acquireAttemptsLimit: 1 });
  assert.equal(await one.tryAcquire(), true);
  assert.equal(await new Semaphore(redis, 'k', room, { acquireAttemptsLimit: 1 }).tryAcquire(), false);
  await Promise.all([three.release(), one.release()]);
});

test('locks go on after a restart, which forgets the scripts', async () => {
  const own = await Latchd.start();
  const client = connect(own);
  await locked(new Mutex(client, 'k'), () => {});
  await locked(new Semaphore(client, 'k', room), () => {});
  await own.restart();
  await locked(new Mutex(client, 'k'), () => {});
  await locked(new Semaphore(client, 'k', room), () => {});
});

test('RedlockMutex goes on while one of three servers is down', async () => {
  const own = await Latchd.startAll(3);
  const failFast = { maxRetriesPerRequest: 0, enableOfflineQueue: false };
  const three = own.map((latchd) => connect(latchd, failFast));
  await Promise.all(three.map((client) => new Promise((ready) => client.once('ready', ready))));
  await own[2].stop();
  await assertExclusive((work) => locked(new RedlockMutex(three, 'k'), work), { workers: 4, rounds: 4 });
  await own[1].stop();
  assert.equal(await new RedlockMutex(three, 'k', { acquireAttemptsLimit: 2 }).tryAcquire(), false);
});
