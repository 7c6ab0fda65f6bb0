import { expect, it } from 'vitest';
import { parseQueues } from '../../../src/main/worker/parse-queues.ts';

it('serves all queues by default', () => {
  expect(parseQueues([])).toEqual(['workflows', 'activities', 'agents', 'browser', 'backups']);
});

it('serves the named queues', () => {
  expect(parseQueues(['--queues=browser, workflows'])).toEqual(['workflows', 'browser']);
});

it('rejects an unknown queue and an unknown option', () => {
  expect(() => parseQueues(['--queues=agent'])).toThrow('unknown queue "agent"');
  expect(() => parseQueues(['--queue=agents'])).toThrow("Unknown option '--queue'. The only option is --queues=");
});
