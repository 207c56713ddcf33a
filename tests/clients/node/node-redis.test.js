import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after, beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertExclusive } from './contention.js';
import { Latchd } from './latchd.js';

// The version that this run is about: a name from package.json. Protocol 3 came after 4.
const { createClient, defineScript } = await import(process.env.NODE_REDIS ?? 'redis');
const old = process.env.NODE_REDIS === 'redis4';

const compareAndDelete = defineScript({
  NUMBER_OF_KEYS: 1,
  SCRIPT: `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`,
  transformArguments: (key, token) => [key, token],
  parseCommand(parser, key, token) {
    parser.pushKey(key);
    parser.push(token);
  },
  transformReply: (reply) => reply,
});

const open = [];
async function connect({ port }, { socket, ...options } = {}) {
  const client = createClient({
    socket: { port: Number(port), reconnectStrategy: () => 20, ...socket },
    scripts: { unlock: compareAndDelete },
    ...options,
  });
  client.on('error', () => {}); // refused while latchd is down: the calls that wait say how it went
  open.push(client);
  return client.connect();
}

const latchd = await Latchd.start();
const redis = await connect(latchd);
beforeEach(() => redis.flushAll());
after(async () => {
  for (const client of open) if (client.isOpen) await client.disconnect();
});

async function lock(client, key, work) {
  const token = randomUUID();
  while (!(await client.set(key, token, { PX: 5000, NX: true }))) await sleep(2);
  await work();
  assert.equal(await client.unlock(key, token), 1);
}

test('SET NX PX and a compare-and-delete script exclude', async () => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => connect(latchd)));
  await assertExclusive((work, i) => lock(clients[i % 4], 'lock', work));
});

for (const RESP of old ? [2] : [2, 3]) {
  test(`connects with a password, a name, a database and protocol ${RESP}`, async () => {
    await redis.configSet('requirepass', 'secret');
    const client = await connect(latchd, { RESP, password: 'secret', name: 'mine', database: 5 });
    const info = await client.clientInfo();
    await redis.configSet('requirepass', '');
    assert.equal(info.name, 'mine');
    assert.equal(info.db, 5);
    const { proto } = await client.hello();
    assert.equal(proto, RESP);
  });

  test(`maps, sets and scores arrive in protocol ${RESP}`, async () => {
    const client = await connect(latchd, { RESP });
    await client.hSet('h', { holder: 'a', count: '1' });
    assert.deepEqual({ ...(await client.hGetAll('h')) }, { holder: 'a', count: '1' });
    const scores = [{ value: 'a', score: 1.5 }, { value: 'b', score: 1731738000123 }];
    await client.zAdd('z', scores);
    assert.deepEqual(await client.zRangeWithScores('z', 0, -1), scores);
    assert.equal(await client.zScore('z', 'nobody'), null);
    await client.sAdd('s', ['x', 'y']);
    assert.deepEqual([...(await client.sMembers('s'))].sort(), ['x', 'y']);
    assert.deepEqual({ ...(await client.configGet('databases')) }, { databases: '16' });
  });

  test(`messages arrive by channel and by pattern in protocol ${RESP}`, async () => {
    const subscriber = await connect(latchd, { RESP });
    const byChannel = new Promise((hear) => subscriber.subscribe('lock:a', (...heard) => hear(heard)));
    const byPattern = new Promise((hear) => subscriber.pSubscribe('lock:*', (...heard) => hear(heard)));
    await subscriber.subscribe('lock:b', () => {}); // confirmed after the two
    assert.equal(await redis.publish('lock:a', 'free'), 2);
    assert.deepEqual(await byChannel, ['free', 'lock:a']);
    assert.deepEqual(await byPattern, ['free', 'lock:a']);

    await subscriber.unsubscribe(['lock:a', 'lock:b']);
    await subscriber.pUnsubscribe('lock:*');
    assert.equal(String(await subscriber.ping()), 'PONG');
  });
}

test('a wrong password is told', async () => {
  await redis.configSet('requirepass', 'secret');
  await assert.rejects(connect(latchd, { password: 'wrong', socket: { reconnectStrategy: false } }), /WRONGPASS/);
  await redis.configSet('requirepass', '');
});

test('a token that does not match leaves the lock', async () => {
  await redis.set('lock', 'mine', { PX: 5000 });
  assert.equal(await redis.unlock('lock', 'yours'), 0);
  assert.equal(await redis.get('lock'), 'mine');
  assert.ok((await redis.pTTL('lock')) > 4000);
});

test('scripts and subscriptions come back after a restart', async () => {
  const own = await Latchd.start();
  const [client, subscriber] = [await connect(own), await connect(own)];
  const heard = new Promise((resolve) => subscriber.subscribe('released', resolve));
  await lock(client, 'lock', () => {});

  await own.restart();
  await lock(client, 'lock', () => {});
  while (!(await client.publish('released', 'lock'))) await sleep(5);
  assert.equal(await heard, 'lock');
});

test('transactions run whole', async () => {
  const replies = await redis.multi().set('a', '1').incr('a').get('a').exec();
  assert.deepEqual(replies, ['OK', 2, '2']);
});

test('a transaction gives way when a watched key changes', async () => {
  const client = await connect(latchd);
  await client.watch('lock');
  await redis.set('lock', 'theirs');
  await assert.rejects(client.multi().set('lock', 'mine').exec(), { name: 'Error', message: /watched|aborted/i });
  assert.equal(await redis.get('lock'), 'theirs');
});

test('errors keep their text', async () => {
  await redis.set('k', 'text');
  await assert.rejects(redis.incr('k'), { message: 'ERR value is not an integer or out of range' });
  await assert.rejects(redis.lPush('k', 'x'), /WRONGTYPE/);
});

test('a scan meets every key', async () => {
  await redis.mSet(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`lock:${i}`, `${i}`])));
  const seen = new Set();
  for await (const found of redis.scanIterator({ MATCH: 'lock:*', COUNT: 50 })) {
    for (const key of old ? [found] : found) seen.add(key); // 4 gives keys one by one, later versions by the page
  }
  assert.equal(seen.size, 300);
});

test('a blocked pop is woken by a push', async () => {
  const waiter = await connect(latchd);
  const popped = waiter.blPop('signal', 5);
  while (!/blocked_clients:1/.test(await redis.info('clients'))) await sleep(1);
  await redis.rPush('signal', 'go');
  assert.deepEqual({ ...(await popped) }, { key: 'signal', element: 'go' });
});

if (!old) {
  test('client side caching is told when a lock goes', async () => {
    const { BasicClientSideCache } = await import('redis');
    const cache = new BasicClientSideCache();
    const client = await connect(latchd, { RESP: 3, clientSideCache: cache });
    await redis.set('lock', 'a', { PX: 1000 });
    assert.equal(await client.get('lock'), 'a');
    assert.equal(await client.get('lock'), 'a');
    assert.equal(cache.stats().hitCount, 1);
    while ((await client.get('lock')) !== null) await sleep(5);
    assert.ok(cache.stats().hitCount > 1);
  });

  test('a pool of connections excludes', async () => {
    const { createClientPool } = await import('redis');
    const options = { socket: { port: Number(latchd.port) }, scripts: { unlock: compareAndDelete } };
    const pool = await createClientPool(options, { minimum: 2, maximum: 4 }).connect();
    await assertExclusive((work) => lock(pool, 'lock', work));
    pool.destroy();
  });
}
