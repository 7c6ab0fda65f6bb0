import { isServiceError } from '../../../src/errors.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openClusterStore } from '../open-cluster-store.ts';

/** A replica that increments the counter of its letter in the name of one Product, such as `a=12 b=7`. */
const [kubeconfig = '', namespace = '', name = '', letter = '', times = ''] = process.argv.slice(2);
const store = await openClusterStore({ kubeconfig });
const ref = { namespace, name };
const parseCounts = (text = ''): Record<string, number> =>
  Object.fromEntries(text.split(' ').flatMap((part) => (part ? [[part.charAt(0), Number(part.slice(2))]] : [])));
let conflicts = 0;
const wrong: string[] = [];

for (let count = 1; count <= Number(times);) {
  const product = await store.get(ProductKind, ref);
  const counts = parseCounts(product.spec.displayName);
  if ((counts[letter] ?? 0) !== count - 1) wrong.push(`${letter} was ${counts[letter]} after ${count - 1} writes`);
  const next = Object.entries({ ...counts, [letter]: count }).map((pair) => pair.join('='));
  try {
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, displayName: next.join(' ') } });
    count += 1;
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    conflicts += 1;
    const { metadata } = await store.get(ProductKind, ref);
    if (metadata.resourceVersion === product.metadata.resourceVersion)
      wrong.push('rejected a write although no other had happened');
  }
}
await store.close();
process.stdout.write(JSON.stringify({ conflicts, wrong }));
