import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

// Work that goes wrong when too many do it at once: the counter is read, and written after a pause,
// so two in here together lose a count. `room` is how many may be inside.
export class Section {
  counter = 0;
  inside = 0;
  peak = 0;
  overlaps = 0;

  constructor(room = 1) {
    this.room = room;
  }

  async work() {
    this.inside++;
    this.peak = Math.max(this.peak, this.inside);
    if (this.inside > this.room) this.overlaps++;
    const seen = this.counter;
    await sleep(1);
    this.counter = seen + 1;
    this.inside--;
  }
}

// Lets several workers at a section at once, each a number of times. `locked(work, worker)` takes the
// lock round the work.
export async function contend(section, { workers, rounds }, locked) {
  const work = () => section.work();
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let round = 0; round < rounds; round++) await locked(work, worker);
    }),
  );
  return section;
}

// The proof that a lock excludes: nobody met anybody inside, and no count was lost.
export async function assertExclusive(locked, { workers = 8, rounds = 8 } = {}) {
  const section = await contend(new Section(), { workers, rounds }, locked);
  assert.equal(section.overlaps, 0);
  assert.equal(section.counter, workers * rounds);
}

// The same for a semaphore: never more than its permits inside, yet all of them used.
export async function assertAdmits(permits, locked, { workers = 8, rounds = 8 } = {}) {
  const section = await contend(new Section(permits), { workers, rounds }, locked);
  assert.equal(section.overlaps, 0);
  assert.equal(section.peak, permits);
}
