// A latchd of one's own for tests. Small enough to copy; needs ioredis.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const Redis = require('ioredis');

class Latchd {
  // Starts on a free port; ends with close(), or with this process.
  static async start(...options) {
    const server = new Latchd();
    server.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'latchd-'));
    const portFile = path.join(server.folder, 'port');
    server.process = spawn(
      process.env.LATCHD ?? 'latchd',
      ['--test', 'yes', '--port', 'auto', '--port-file', portFile, '--die-with-parent', 'yes', ...options],
      { stdio: 'ignore' },
    );
    while (!fs.existsSync(portFile)) {
      if (server.process.exitCode !== null) throw new Error('latchd did not start');
      await pause(1);
    }
    server.port = Number(fs.readFileSync(portFile, 'utf8'));
    server.control = server.client();
    return server;
  }

  client(options) {
    return new Redis(this.port, '127.0.0.1', options);
  }

  // Lets time pass, at once. The clients' own timers do not notice.
  advance(ms) {
    return this.control.call('TEST.ADVANCE', ms);
  }

  fault(...words) {
    return this.control.call('TEST.FAULT', 'ADD', ...words);
  }

  reset() {
    return this.control.call('TEST.RESET');
  }

  close() {
    this.control.disconnect();
    this.process.kill();
    fs.rmSync(this.folder, { recursive: true });
  }
}

module.exports = { Latchd };
