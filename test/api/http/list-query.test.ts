import { expect, it } from 'vitest';
import { matchesListQuery } from '../../../api/http/list-query.ts';
import type { StoredObject } from '../../../src/rules/resource.ts';

const creationTimestamp = '2027-01-02T00:00:00Z';
const resource = { metadata: { name: 'Run-7', creationTimestamp } } as StoredObject;

it.each<[object, (string | undefined)[], boolean]>([
  [{}, [], true],
  [{ since: creationTimestamp }, [], true],
  [{ since: '2027-01-02T00:00:01Z' }, [], false],
  [{ until: creationTimestamp }, [], false],
  [{ until: '2027-01-02T00:00:01Z' }, [], true],
  [{ since: '2027-01-01T00:00:00Z', until: '2027-01-01T12:00:00Z' }, [], false],
  [{ q: 'RUN' }, [], true],
  [{ q: 'greet' }, [undefined, 'Greet visitors'], true],
  [{ q: 'greet' }, [undefined, 'Part with visitors'], false],
])('%j with the texts %j: %s', (query, texts, isMatch) => {
  expect(matchesListQuery(resource, query, texts)).toBe(isMatch);
});
