import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// A latchd of the test's own: on a free port at first, on the same one after a restart, which
// forgets every lock and every script. Nobody has to stop it: it ends with the test's process.
export class Latchd {
  port = 'auto';

  static async start() {
    const latchd = new Latchd();
    await latchd.start();
    return latchd;
  }

  static startAll(n) {
    return Promise.all(Array.from({ length: n }, () => Latchd.start()));
  }

  async start() {
    const args = ['--port', this.port, '--die-with-parent', 'yes'];
    this.process = spawn(process.env.LATCHD, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: this.process.stdout })) {
      this.port = line.match(/ port=(\d+)/)?.[1] ?? this.port;
      if (line.includes('Ready to accept connections')) break;
    }
    this.process.stdout.resume().unref(); // read on, or the pipe fills up
    this.process.unref();
  }

  async stop() {
    const { process } = this;
    process.ref();
    if (process.exitCode === null && process.kill()) await once(process, 'exit');
  }

  async restart() {
    await this.stop();
    await this.start();
  }
}
