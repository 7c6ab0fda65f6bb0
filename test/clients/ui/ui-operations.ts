import type { RequiredRole } from '../../../src/rules/access/roles.ts';
import { readTexts } from '../../support/source-tree.ts';
import type { ApiHarness } from '../../support/start-api.ts';
import type { SeenAction, Sent } from './press-controls.ts';

export type UiOperation = { id: string; method: string; path: string; role: RequiredRole };

/** Reads the operations of the API from its document. */
export async function readOperations(request: ApiHarness['request']): Promise<UiOperation[]> {
  const document = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-role': RequiredRole }>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      role: operation['x-role'],
    })),
  );
}

export const findOperation = (operations: UiOperation[], { method, url }: Sent): string | undefined =>
  operations.find(
    (one) => one.method === method && new RegExp(`^/api${one.path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`).test(url),
  )?.id;

/** Reads from the sources of the UI which operations it calls to change something. */
export async function listUiOperations(operations: UiOperation[]): Promise<string[]> {
  const calls = (await readTexts('src/clients/ui/{api/*,api/queries/*,pages/**/*,parts/*,shell/*}.{ts,tsx}')).flatMap(
    ({ text }) => {
      const path = /const path = '([^']+)'/.exec(text)?.[1] ?? '';
      return [
        ...text
          .replaceAll("', path,", `', '${path}',`)
          .replaceAll('${path}', path)
          .matchAll(/request\(\s*'(post|put|delete)',\s*['`]([^'`]+)['`]/g),
      ];
    },
  );
  const found = calls.map(([, method = '', path = '']) => {
    const pattern = new RegExp(
      `^${path.replaceAll(/[{}$]/g, String.raw`\$&`).replaceAll(/\\\$\\\{\w+\\\}/g, '\\w+')}$`,
    );
    return operations.filter((one) => one.method === method.toUpperCase() && pattern.test(one.path));
  });
  return [...new Set(found.flat().map(({ id }) => id))].toSorted();
}

/** Writes the request of an action of a view, without a body: the role is judged before the body is read. */
export function toRequest(operations: UiOperation[], { name, step, zone, of }: SeenAction): Sent {
  const operation = operations.find(({ id }) => id === name);
  if (!operation) throw new Error(`No operation is "${name}".`);
  const values: Record<string, string | number | undefined> = {
    org: of.org ?? (of.kind === 'Organization' ? of.name : 'acme'),
    product: of.product ?? (of.kind === 'Product' ? of.name : 'shop'),
    zone: zone ?? of.name,
    step,
    run: of.run ?? of.name ?? 'none',
    number: of.number,
  };
  const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    // A resource of the installation, such as a cluster, is named by a parameter of its own.
    const value = values[param] ?? of.name;
    if (value === undefined) throw new Error(`The action ${name} of ${JSON.stringify(of)} has no ${param}.`);
    return encodeURIComponent(value);
  });
  return {
    method: operation.method,
    url: `/api${url}`,
    headers: { 'Content-Type': 'application/json' },
    ...(operation.method !== 'DELETE' && { body: '{}' }),
  };
}
