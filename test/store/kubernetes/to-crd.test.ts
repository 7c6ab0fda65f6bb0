import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { customResourceKinds } from '../../../src/rules/custom-resource-kinds.ts';
import { toCrd } from '../../../src/store/kubernetes/to-crd.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';

it.each(customResourceKinds)('defines $kind as the chart installs it', async (kind) => {
  const file = new URL(`../../../deploy/chart/crds/${kind.plural}.yaml`, import.meta.url);
  expect(JSON.parse(JSON.stringify(toCrd(kind)))).toEqual(parse(await readFile(file, 'utf8')));
});

it('requires the fields of a spec that have no default, and leaves an empty list out', () => {
  const toSpec = (defaults: Record<string, unknown>) => {
    const [version] = toCrd({ ...ProbeKind, crd: { ...ProbeKind.crd, defaults } }).spec.versions;
    return version?.schema.openAPIV3Schema.properties.spec;
  };
  expect(toSpec({})?.required).toEqual(['product', 'size']);
  expect(toSpec({ size: 3 })).toMatchObject({ required: ['product'], properties: { size: { default: 3 } } });
  expect(toSpec({ size: 3, product: 'shop' })).not.toHaveProperty('required');
});
