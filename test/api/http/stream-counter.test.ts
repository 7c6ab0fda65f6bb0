import { expect, it } from 'vitest';
import { StreamCounter } from '../../../api/http/stream-counter.ts';
import { loadConfig } from '../../../src/config.ts';

it('limits the open streams of a person until one of them ends', () => {
  const counter = new StreamCounter({ ...loadConfig({}).quotas, streamsPerUser: 2 });
  const close = counter.open('jo');
  counter.open('jo');
  expect(() => counter.open('jo')).toThrow(/2 open event streams \(QUOTA_STREAMS_PER_USER\)/);
  expect(() => counter.open('ada')).not.toThrow();
  close();
  expect(() => counter.open('jo')).not.toThrow();
  expect(() => counter.open('jo')).toThrow('2 open event streams');
});

it('ends a stream once, although it is told twice', () => {
  const counter = new StreamCounter({ ...loadConfig({}).quotas, streamsPerUser: 1 });
  const close = counter.open('jo');
  close();
  close();
  counter.open('jo')();
  expect(() => counter.open('jo')).not.toThrow();
});
