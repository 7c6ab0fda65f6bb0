import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { formatAccess, requiredAccess } from '../../../src/rules/clusters/required-access.ts';

type Role = { kind: string; rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] };

it('is what the manifest of workload clusters grants, and nothing there changes or deletes', async () => {
  const text = await readFile(new URL('../../../deploy/workload-cluster.yaml', import.meta.url), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Role);
  const rules = objects.find(({ kind }) => kind === 'ClusterRole')?.rules ?? [];
  const granted = rules
    .filter(({ apiGroups }) => apiGroups.includes(''))
    .flatMap(({ resources, verbs }) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)));
  // A log has no list.
  expect(granted.filter((access) => access !== 'list pods/log').toSorted()).toEqual(
    requiredAccess.map(formatAccess).toSorted(),
  );
  expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'create']));
  expect(granted.filter((access) => access.startsWith('create'))).toEqual(['create namespaces']);
});
