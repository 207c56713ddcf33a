import assert from 'node:assert/strict';
import test from 'node:test';
import { Section, assertAdmits, assertExclusive, contend } from './contention.js';

const unlocked = (work) => work();

test('without a lock, workers overlap and counts are lost', async () => {
  const section = await contend(new Section(), { workers: 4, rounds: 4 }, unlocked);
  assert.ok(section.overlaps > 0);
  assert.ok(section.counter < 16);
});

test('the proofs refuse what does not exclude', async () => {
  await assert.rejects(assertExclusive(unlocked), assert.AssertionError);
  await assert.rejects(assertAdmits(3, unlocked), assert.AssertionError);
});
