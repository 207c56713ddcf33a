import assert from 'node:assert/strict';
import test from 'node:test';
import { createClient } from 'redis';
import { RedisMemoryServer } from 'redis-memory-server';

const binary = { systemBinary: process.env.LATCHD };

async function ping(server, options) {
  const client = createClient({ socket: { host: await server.getHost(), port: await server.getPort() }, ...options });
  await client.connect();
  const reply = await client.ping();
  await client.close();
  return reply;
}

test('it starts latchd, tells its address and stops it', async () => {
  const server = new RedisMemoryServer({ binary });
  assert.equal(await ping(server), 'PONG');
  assert.equal(server.getInstanceInfo().ip, '127.0.0.1');
  assert.equal(await server.stop(), true);
  assert.equal(server.getInstanceInfo(), false);
});

test('it starts several at once', async () => {
  const servers = Array.from({ length: 3 }, () => new RedisMemoryServer({ binary }));
  const ports = await Promise.all(servers.map((server) => server.getPort()));
  assert.equal(new Set(ports).size, 3);
  await Promise.all(servers.map((server) => server.stop()));
});

test('it passes options on', async () => {
  const server = await RedisMemoryServer.create({ binary, instance: { args: ['--requirepass', 'secret'] } });
  await assert.rejects(ping(server), /NOAUTH/);
  assert.equal(await ping(server, { password: 'secret' }), 'PONG');
  await server.stop();
});
