import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { openClusterStore } from '../open-cluster-store.ts';

const cluster = inject('cluster');

it('loses no update of two replicas that write the same Product 500 times each, and rejects only stale writes', async () => {
  const store = await openClusterStore(cluster);
  const namespace = `org-t${crypto.randomUUID().slice(0, 8)}`;
  onTestFinished(async () => {
    await kubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await store.close();
  });
  const ref = { namespace, name: 'shop' };
  await store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones: [] } } });

  const write = async (letter: string) => {
    const file = new URL('writer-process.ts', import.meta.url).pathname;
    const args = [file, cluster.kubeconfig, namespace, ref.name, letter, '500'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as { conflicts: number; wrong: string[] };
  };
  const [a, b] = await Promise.all([write('a'), write('b')]);
  expect([...a.wrong, ...b.wrong]).toEqual([]);
  expect(a.conflicts + b.conflicts).toBeGreaterThan(0);
  const { spec, metadata } = await store.get(ProductKind, ref);
  expect(spec.displayName?.split(' ').toSorted()).toEqual(['a=500', 'b=500']);
  // Each accepted write increments the generation once, so none was applied twice and no rejected one was applied.
  expect(metadata.generation).toBe(1001);
  process.stderr.write(`1,000 writes of two replicas: ${a.conflicts + b.conflicts} rejected as stale, none lost\n`);
});
