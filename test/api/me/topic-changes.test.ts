import { expect, it } from 'vitest';
import { TopicChanges } from '../../../api/me/topic-changes.ts';
import type { OrgTopic } from '../../../api/me/topics.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { StoredObject } from '../../../src/rules/resource.ts';

const topic = (text: string): OrgTopic => {
  const [, kind, org = '', name] = /^(\w+):(\w+)(?:\/(.+))?$/.exec(text) ?? [];
  return { text, kind: kind as OrgTopic['kind'], org, name };
};
const object = (name: string, more: object = {}, org = 'acme') =>
  ({ metadata: { namespace: `org-${org}`, name, resourceVersion: '7' }, ...more }) as StoredObject;
const modified = (changed: StoredObject) => ({ type: 'MODIFIED' as const, object: changed });
const product = (...zones: string[]) =>
  object('shop', { spec: { delivery: { zones: zones.map((name) => ({ name })) } } });
const taken = (changes: TopicChanges): string[] =>
  [...changes.take()].map(({ topic: { text }, item }) => `${text} ${item.name}`);

it('keeps an item that changes twice once, and only for the topics that contain it', () => {
  const changes = new TopicChanges(
    ['products:acme', 'products:acme/shop', 'products:other', 'releases:acme'].map(topic),
  );
  for (const name of ['shop', 'shop', 'till']) changes.add(ProductKind, modified(object(name)));
  expect(taken(changes)).toEqual(['products:acme shop', 'products:acme/shop shop', 'products:acme till']);
  expect(changes.size).toBe(0);
});

it('adds an event for one topic alone', () => {
  const topics = ['products:acme', 'products:acme/shop'].map(topic);
  const changes = new TopicChanges(topics);
  changes.add(ProductKind, modified(object('shop')), topics[1]);
  expect(taken(changes)).toEqual(['products:acme/shop shop']);
});

it('adds the run of a changed Release, and nothing for a Release without one', () => {
  const changes = new TopicChanges([topic('agentworkflowruns:acme')]);
  changes.add(
    ReleaseKind,
    modified({ ...object('v1'), metadata: { ...object('v1').metadata, labels: { [runLabel]: 'run-1' } } }),
  );
  changes.add(ReleaseKind, modified(object('v2')));
  expect(taken(changes)).toEqual(['agentworkflowruns:acme run-1']);
});

it('adds the zones of a Product, also those that it had before', () => {
  const changes = new TopicChanges(['zones:acme', 'zones:acme/rc'].map(topic));
  changes.knowZones([product('rc', 'old')]);
  changes.add(ProductKind, modified(product('rc', 'prod')));
  expect(taken(changes)).toEqual(['zones:acme rc', 'zones:acme old', 'zones:acme prod', 'zones:acme/rc rc']);
  changes.add(ReleaseKind, modified(object('v1', { spec: { product: 'shop' } })));
  expect(taken(changes)).toEqual(['zones:acme rc', 'zones:acme prod', 'zones:acme/rc rc']);
  changes.add(ProductKind, { type: 'DELETED', object: product('rc', 'prod') });
  expect(taken(changes)).toEqual(['zones:acme rc', 'zones:acme prod', 'zones:acme/rc rc']);
  changes.add(ReleaseKind, modified(object('v1', { spec: { product: 'shop' } })));
  expect(taken(changes)).toEqual([]);
});

it('forgets everything when a client is too far behind', () => {
  const changes = new TopicChanges([topic('agentworkflowruns:acme')]);
  const add = (index: number): boolean => changes.add(AgentWorkflowRunKind, modified(object(`run-${index}`)));
  const kept = Array.from({ length: 1_001 }, (_, index) => add(index));
  expect(kept.indexOf(false)).toBe(1_000);
  expect(changes.size).toBe(0);
  expect(add(0)).toBe(true);
  expect(changes.size).toBe(1);
});

it('ends the topics of an org with their changes', () => {
  const changes = new TopicChanges(['products:acme', 'products:other'].map(topic));
  for (const org of ['acme', 'other']) changes.add(ProductKind, modified(object('shop', {}, org)));
  expect(changes.removeOrg('acme').map(({ text }) => text)).toEqual(['products:acme']);
  expect(taken(changes)).toEqual(['products:other shop']);
  expect(changes.topics.map(({ text }) => text)).toEqual(['products:other']);
});
