import { expect, it } from 'vitest';
import { WaitingChanges } from '../../../api/me/waiting-changes.ts';
import type { StoredObject } from '../../../src/rules/resource.ts';

let versions = 0;
const toObject = (kind: string, status?: object, name = 'one') =>
  ({
    kind,
    metadata: { namespace: 'org-acme', name, resourceVersion: String((versions += 1)) },
    status,
  }) as unknown as StoredObject;
const toRun = (phase: string, headSha = 'a', waitingFor?: object) =>
  toObject('AgentWorkflowRun', {
    phase: 'WaitingForPerson',
    pullRequest: { number: 1, url: '', headSha },
    steps: [{ name: 'approve', phase, ...(waitingFor && { waitingFor }) }],
  });
const toProduct = (phase: string, release = 'shop-v1') =>
  toObject('Product', {
    zones: [{ name: 'shop-prod', currentPromotion: { release, version: 'v1', phase } }, { name: 'rc' }],
  });
const toIncident = (state: string) => toObject('Incident', { state, openedAt: '2026-11-24T12:00:00Z', timeline: [] });
const toDomain = (status?: object) => toObject('Domain', status);

type Change = [type: 'ADDED' | 'MODIFIED' | 'DELETED', object: StoredObject, matters: boolean];
it.each<[string, Change[]]>([
  [
    'a run',
    [
      ['ADDED', toRun('Running'), false],
      ['MODIFIED', toRun('Running', 'b'), false],
      ['MODIFIED', toRun('Waiting', 'b'), true],
      ['MODIFIED', toRun('Waiting', 'b'), false],
      ['MODIFIED', toRun('Waiting', 'c'), true],
      ['MODIFIED', toRun('Waiting', 'c', { role: 'member', message: 'decide' }), true],
      ['DELETED', toRun('Waiting', 'c', { role: 'member', message: 'decide' }), true],
      ['ADDED', toRun('Waiting', 'c', { role: 'member', message: 'decide' }), true],
    ],
  ],
  [
    'a Product',
    [
      ['ADDED', toObject('Product'), false],
      ['MODIFIED', toProduct('Deploying'), false],
      ['MODIFIED', toProduct('WaitingForApproval'), true],
      ['MODIFIED', toProduct('WaitingForApproval', 'shop-v2'), true],
      ['MODIFIED', toProduct('WaitingForApproval', 'shop-v2'), false],
      ['MODIFIED', toProduct('Deploying', 'shop-v2'), true],
      ['DELETED', toProduct('Deploying', 'shop-v2'), false],
    ],
  ],
  [
    'an incident',
    [
      ['ADDED', toIncident('Open'), true],
      ['MODIFIED', toIncident('Open'), false],
      ['MODIFIED', toIncident('Acknowledged'), true],
      ['MODIFIED', toIncident('Resolved'), false],
    ],
  ],
  [
    'a domain',
    [
      ['ADDED', toDomain(), true],
      ['MODIFIED', toDomain({ state: 'WaitingForDns' }), false],
      ['MODIFIED', toDomain({ state: 'WaitingForDns', message: 'set the TXT record' }), true],
      ['MODIFIED', toDomain({ state: 'Verified', message: 'set the TXT record' }), true],
      ['MODIFIED', toDomain({ state: 'Failed' }), false],
    ],
  ],
  ['an object that was not known', [['MODIFIED', toRun('Running'), true]]],
])('tells for %s which changes alter what a person decides', (_what, changes) => {
  const waiting = new WaitingChanges();
  const judged = changes.map(([type, object]) => waiting.matters({ type, object }));
  expect(judged).toEqual(changes.map(([, , matters]) => matters));
});

it('judges an event alike for all of its readers', () => {
  const waiting = new WaitingChanges();
  const [first, second] = [toRun('Waiting'), toRun('Waiting')];
  const events = [first, first, second, second].map((object) => ({ type: 'MODIFIED' as const, object }));
  expect(events.map((event) => waiting.matters(event))).toEqual([true, true, false, false]);
});
