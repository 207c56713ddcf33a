import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import test, { beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertExclusive } from './contention.js';
import { connect } from './ioredis.js';
import { Latchd } from './latchd.js';

const latchd = await Latchd.start();
const redis = connect(latchd);
beforeEach(() => redis.flushall());

const compareAndDelete = {
  numberOfKeys: 1,
  lua: `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`,
};

// The lock of the Redis documentation, as many programs have it in a corner.
async function lock(client, key, work) {
  const token = randomUUID();
  while (!(await client.set(key, token, 'PX', 5000, 'NX'))) await sleep(2);
  await work();
  assert.equal(await client.unlock(key, token), 1);
}

test('SET NX PX and a compare-and-delete script exclude', async () => {
  const clients = Array.from({ length: 4 }, () => connect(latchd, { scripts: { unlock: compareAndDelete } }));
  await assertExclusive((work, i) => lock(clients[i % 4], 'lock', work));
});

const protocols = process.env.IOREDIS === 'ioredis5' ? [2] : [2, 3]; // 6 is the first to know 3
for (const protocol of protocols) {
  test(`connects with a password, a name, a database and protocol ${protocol}`, async () => {
    await redis.config('SET', 'requirepass', 'secret');
    const client = connect(latchd, { protocol, password: 'secret', connectionName: 'mine', db: 5 });
    const info = await client.client('INFO');
    await redis.config('SET', 'requirepass', '');
    assert.match(info, / name=mine /);
    assert.match(info, / db=5 /);
    assert.match(info, new RegExp(` resp=${protocol}`));
    assert.match(info, / lib-name=ioredis/);
  });
}

test('a wrong password is told', async () => {
  await redis.config('SET', 'requirepass', 'secret');
  const client = connect(latchd, { password: 'wrong', retryStrategy: null, maxRetriesPerRequest: 0 });
  await assert.rejects(client.ping());
  await redis.config('SET', 'requirepass', '');
});

test('a token that does not match leaves the lock', async () => {
  const client = connect(latchd, { scripts: { unlock: compareAndDelete } });
  await redis.set('lock', 'mine', 'PX', 5000);
  assert.equal(await client.unlock('lock', 'yours'), 0);
  assert.equal(await redis.get('lock'), 'mine');
});

test('a lock that is not released ends with its lease', async () => {
  assert.equal(await redis.set('lock', 'a', 'PX', 500, 'NX'), 'OK');
  assert.equal(await redis.set('lock', 'b', 'PX', 500, 'NX'), null);
  await sleep(510);
  assert.equal(await redis.set('lock', 'b', 'PX', 500, 'NX'), 'OK');
});

test('scripts come back after a restart', async () => {
  const own = await Latchd.start();
  const client = connect(own, { scripts: { unlock: compareAndDelete } });
  await client.set('lock', 'a');
  assert.equal(await client.unlock('lock', 'a'), 1);

  await own.restart();
  await client.set('lock', 'b');
  assert.equal(await client.unlock('lock', 'b'), 1);
});

test('subscriptions come back after a restart', async () => {
  const own = await Latchd.start();
  const [publisher, subscriber] = [connect(own), connect(own)];
  await subscriber.subscribe('released');
  await own.restart();

  const message = once(subscriber, 'message');
  while (!(await publisher.publish('released', 'lock'))) await sleep(5);
  assert.deepEqual(await message, ['released', 'lock']);
});

test('messages arrive by channel and by pattern', async () => {
  const subscriber = connect(latchd);
  assert.equal(await subscriber.subscribe('lock:a'), 1);
  assert.equal(await subscriber.psubscribe('lock:*'), 2);

  const both = Promise.all([once(subscriber, 'message'), once(subscriber, 'pmessage')]);
  assert.equal(await redis.publish('lock:a', 'free'), 2);
  assert.deepEqual(await both, [['lock:a', 'free'], ['lock:*', 'lock:a', 'free']]);

  assert.equal(await subscriber.unsubscribe('lock:a'), 1);
  assert.equal(await subscriber.punsubscribe('lock:*'), 0);
  assert.equal(await subscriber.ping(), 'PONG');
});

test('an expiring lock is announced', async () => {
  await redis.config('SET', 'notify-keyspace-events', 'Ex');
  const subscriber = connect(latchd);
  await subscriber.subscribe('__keyevent@0__:expired');
  const message = once(subscriber, 'message');
  await redis.set('lock', 'a', 'PX', 10);
  assert.deepEqual(await message, ['__keyevent@0__:expired', 'lock']);
  await redis.config('SET', 'notify-keyspace-events', '');
});

test('transactions run whole', async () => {
  const results = await redis.multi().set('a', 1).incr('a').hset('h', 'f', 'v').hgetall('h').exec();
  assert.deepEqual(results, [[null, 'OK'], [null, 2], [null, 1], [null, { f: 'v' }]]);
});

test('a transaction gives way when a watched key changes', async () => {
  const client = connect(latchd);
  await client.watch('lock');
  await redis.set('lock', 'theirs');
  assert.equal(await client.multi().set('lock', 'mine').exec(), null);
  assert.equal(await redis.get('lock'), 'theirs');
});

test('pipelines answer in order, errors in their place', async () => {
  const results = await redis.pipeline().set('k', 'text').incr('k').get('k').exec();
  assert.deepEqual(results[0], [null, 'OK']);
  assert.match(results[1][0].message, /^ERR value is not an integer/);
  assert.deepEqual(results[2], [null, 'text']);
});

test('calls made at once share a pipeline', async () => {
  const client = connect(latchd, { enableAutoPipelining: true });
  const replies = await Promise.all(Array.from({ length: 100 }, () => client.incr('n')));
  assert.deepEqual(replies, Array.from({ length: 100 }, (_, i) => i + 1));
});

test('binary values and key prefixes', async () => {
  const client = connect(latchd, { keyPrefix: 'app:' });
  const token = Buffer.from([0, 255, 13, 10, 0]);
  await client.set('k', token);
  assert.deepEqual(await client.getBuffer('k'), token);
  assert.equal(await redis.exists('app:k'), 1);
});

test('a scan meets every key', async () => {
  await redis.mset(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`lock:${i}`, i])));
  const seen = new Set();
  for await (const keys of redis.scanStream({ match: 'lock:*', count: 50 })) keys.forEach((key) => seen.add(key));
  assert.equal(seen.size, 300);
});

test('MONITOR shows what others do', async () => {
  const monitor = await connect(latchd).monitor();
  const seen = new Promise((tell) => {
    // The connection it came from may still be asking for INFO.
    monitor.on('monitor', (_, args) => args[0] === 'set' && tell(args));
  });
  await redis.set('lock', 'a', 'NX');
  assert.deepEqual(await seen, ['set', 'lock', 'a', 'NX']);
  monitor.disconnect();
});

test('a blocked pop is woken by a push', async () => {
  const waiter = connect(latchd);
  const popped = waiter.blpop('signal', 5);
  while (!/blocked_clients:1/.test(await redis.info('clients'))) await sleep(1);
  await redis.rpush('signal', 'go');
  assert.deepEqual(await popped, ['signal', 'go']);
  assert.equal(await waiter.blpop('signal', 0.01), null);
});
