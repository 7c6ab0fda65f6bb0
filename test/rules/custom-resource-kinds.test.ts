import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { apiGroup, type AnyResourceKind } from '../../src/rules/resource.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Imports every file of the rules that calls defineResource, and returns the kinds that it exports. */
async function findDefinedKinds(): Promise<AnyResourceKind[]> {
  const kinds = new Set<AnyResourceKind>();
  for await (const file of glob('src/rules/**/*.ts', { cwd: root })) {
    if (file.endsWith('/resource.ts') || !(await readFile(`${root}${file}`, 'utf8')).includes('defineResource('))
      continue;
    const exported = Object.values((await import(`${root}${file}`)) as Record<string, unknown>);
    for (const value of exported) if (isResourceKind(value)) kinds.add(value);
  }
  return [...kinds];
}

const isResourceKind = (value: unknown): value is AnyResourceKind =>
  typeof value === 'object' && value !== null && 'specSchema' in value && 'crd' in value;

describe('the kinds of the service', () => {
  it('include every kind that the rules define', async () => {
    const defined = (await findDefinedKinds()).map(({ kind }) => kind).toSorted();
    expect(defined.length).toBeGreaterThan(10);
    expect(customResourceKinds.map(({ kind }) => kind).toSorted()).toEqual(defined);
  });

  it.each(customResourceKinds.map((kind) => [kind.kind, kind] as const))(
    '%s has a generated CRD in its API group',
    async (_, { kind, plural, apiVersion }) => {
      const crd = parse(await readFile(`${root}deploy/chart/crds/${plural}.yaml`, 'utf8')) as object;
      expect(crd).toMatchObject({
        metadata: { name: `${plural}.${apiGroup}` },
        spec: { group: apiGroup, names: { kind, plural }, versions: [{ name: apiVersion.split('/')[1] }] },
      });
    },
  );

  it.each(customResourceKinds.map(({ kind, selectableFields = [] }) => [kind, selectableFields.length] as const))(
    '%s has at most eight selectable fields',
    (_, count) => {
      expect(count).toBeLessThanOrEqual(8);
    },
  );
});
