import { expect, it } from 'vitest';
import type { AgentWorkflowSpec, TriggerSpec } from '../../../src/rules/agents/kinds.ts';
import { hadTriggers, triggersSince, triggersSinceAnnotation } from '../../../src/rules/intake/triggers-since.ts';

const onOpened: TriggerSpec = { type: 'event', event: 'issue.opened' };
const spec: AgentWorkflowSpec = { enabled: true, triggers: [onOpened], steps: [{ name: 'approve', type: 'human' }] };
const now = new Date('2026-01-01T12:00:00.000Z');

it.each<[what: string, change: Partial<AgentWorkflowSpec>, isChanged: boolean]>([
  ['nothing', {}, false],
  ['the description', { description: 'Another.' }, false],
  ['a trigger', { triggers: [onOpened, { type: 'onChange' }] }, true],
  ['the labels of a trigger', { triggers: [{ ...onOpened, labels: ['bug'] }] }, true],
  ['whether it is enabled', { enabled: false }, true],
])('knows whether a change of %s changes the triggers', (_, change, isChanged) => {
  const expected = isChanged ? { [triggersSinceAnnotation]: now.toISOString() } : {};
  expect(triggersSince(spec, { ...spec, ...change }, now)).toEqual(expected);
});

it.each([
  ['2026-01-01T11:59:59.999Z', undefined, false],
  ['2026-01-01T12:00:00.000Z', undefined, true],
  ['2026-01-01T12:59:59.999Z', '2026-01-01T13:00:00.000Z', false],
  ['2026-01-01T13:00:00.000Z', '2026-01-01T13:00:00.000Z', true],
])('judges %s with triggers since %s: %s', (at, since, expected) => {
  const annotations = since === undefined ? {} : { [triggersSinceAnnotation]: since };
  const metadata = { name: 'look', creationTimestamp: now.toISOString(), annotations };
  expect(hadTriggers({ metadata: metadata as never }, at)).toBe(expected);
});
