import { after } from 'node:test';

// The version of ioredis that this run is about: a name from package.json.
export const { Redis } = await import(process.env.IOREDIS ?? 'ioredis');

const open = [];
after(() => open.forEach((client) => client.disconnect()));

// A connection that is closed when the tests are over. While latchd restarts, it tries again soon.
export function connect({ port }, options) {
  const client = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null, ...options });
  client.on('error', () => {}); // refused while latchd is down: the calls that wait say how it went
  open.push(client);
  return client;
}
