import type { DemoState } from '../../clients/demo/demo-state.ts';

/** The sample Product and the gitops repo of the org have these names on the code host. */
const reservedNames = ['hello', 'gitops'];

/** Returns the Product of a repository: the one of an earlier demo, or a new one with a free name. */
export async function chooseProduct(
  { values, save }: Pick<DemoState, 'values' | 'save'>,
  source: string,
  isOnCodehost: (name: string) => Promise<boolean>,
): Promise<string> {
  const known = values.products[source];
  if (known !== undefined) return known;
  const taken = new Set([...reservedNames, ...Object.values(values.products)]);
  const base = toProductName(source);
  let name = base;
  for (let number = 2; taken.has(name) || (await isOnCodehost(name)); number += 1) name = `${base}-${number}`;
  // It is saved before the repository is pushed, so that an interrupted demo finds its own copy again.
  await save({ products: { ...values.products, [source]: name } });
  return name;
}

function toProductName(source: string): string {
  const name = (
    source
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? ''
  )
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return name.slice(0, 27).replace(/-+$/, '') || 'app';
}
