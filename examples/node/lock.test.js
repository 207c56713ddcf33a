'use strict';

const assert = require('node:assert/strict');
const { after, before, beforeEach, test } = require('node:test');
const { Latchd } = require('./latchd.js');

let latchd;
before(async () => { latchd = await Latchd.start(); });
after(() => latchd.close());
beforeEach(() => latchd.reset());

const take = (client, owner) => client.set('job', owner, 'PX', 30_000, 'NX');

test('a lease ends without waiting', async (t) => {
  const [alice, bob] = [latchd.client(), latchd.client()];
  t.after(() => [alice, bob].forEach((client) => client.disconnect()));

  assert.equal(await take(alice, 'alice'), 'OK');
  assert.equal(await take(bob, 'bob'), null);

  await latchd.advance(30_001);

  assert.equal(await take(bob, 'bob'), 'OK');
});

test('an answer is lost', async (t) => {
  const client = latchd.client({ commandTimeout: 200 });
  const again = latchd.client();
  t.after(() => [client, again].forEach((c) => c.disconnect()));
  await latchd.fault('SET', 'TIMES', 1, 'DROP-REPLY');

  await assert.rejects(take(client, 'carol'), /timed out/);

  // It was taken, and whoever took it does not know: trying again finds it held, by itself.
  assert.equal(await take(again, 'carol'), null);
  assert.equal(await again.get('job'), 'carol');
});
