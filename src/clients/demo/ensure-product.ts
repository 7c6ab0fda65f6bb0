import type { ApiClient } from '../api-client.ts';
import { ignoreConflict } from './ignore-conflict.ts';
import type { DemoOptions } from './demo-options.ts';

/** Creates the org, its connection to the code host and the Product, unless they exist. */
export async function ensureProduct(
  api: ApiClient,
  { org, product, repo, codehostToken, terminal }: DemoOptions,
): Promise<void> {
  if (!(await api.find(`/v1/orgs/${org}`))) {
    await ignoreConflict(api.post('/v1/orgs', { name: org }));
    terminal.printLine(`Created the org ${org}.`);
  }
  const { connected } = await api.get<{ connected: boolean }>(`/v1/orgs/${org}/codehost`);
  if (!connected) {
    await connectCodehost(api, org, codehostToken);
    terminal.printLine(`Connected ${org} to the code host.`);
  }
  if (!(await api.find(`/v1/orgs/${org}/products/${product}`))) {
    const spec = { repos: [repo], delivery: { zones: demoZones(product) } };
    await ignoreConflict(api.post(`/v1/orgs/${org}/products`, { name: product, spec }));
    terminal.printLine(`Created the Product ${product} with the repo ${repo}.`);
  }
}

/** Everyone may open the sample, also in production. */
const demoZones = (product: string) => [
  { name: `${product}-rc`, promotionPolicy: 'automatic' },
  { name: `${product}-prod`, promotionPolicy: 'after-approval', access: 'public' },
];

/** Posts the form and follows the redirect as the same person, who confirms the new application. */
async function connectCodehost(api: ApiClient, org: string, codehostToken: string): Promise<void> {
  const { action, manifest } = await api.post<{ action: string; manifest: string }>(`/v1/orgs/${org}/codehost/connect`);
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ manifest }),
    headers: { authorization: `Bearer ${codehostToken}` },
    redirect: 'manual',
  });
  const callback = URL.parse(response.headers.get('location') ?? '');
  if (!callback) throw new Error(`The code host was not connected: ${await response.text()}`);
  await api.get(`${callback.pathname.replace(/^\/api/, '')}${callback.search}`);
}
