import { describe, expect, it } from 'vitest';
import { startApi, type ApiHarness } from '../../support/start-api.ts';

type Operation = {
  operationId: string;
  'x-credential'?: string;
  responses: Record<string, { content?: object; 'x-event-stream'?: object }>;
};
type Entry = Operation & { method: string; path: string; via: 'token' | 'session' };

async function listOperations({ request }: ApiHarness): Promise<Entry[]> {
  const { paths } = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      via: (operation['x-credential'] ?? 'any') === 'any' ? ('token' as const) : ('session' as const),
      path: path
        .replace('{org}', 'acme')
        .replace('{number}', '1')
        .replaceAll(/\{\w+\}/g, 'some'),
    })),
  );
  // Operations that need a session come before those that end it.
  return operations.toSorted((one, other) => one.via.localeCompare(other.via));
}

/** Operations that other programs call with parameters of their own. */
const openToParameters = ['finishCodehostConnection', 'finishProviderSignIn'];
/** The setup token authorizes one request, which no test of the others may use up; alerts come with a token of their own. */
const needAnotherToken = ['createRootUser', 'receiveAlerts'];
const setup = { 'X-Service-Setup-Token': 'none' };

describe('every operation', () => {
  it('422: rejects an unknown query parameter before it does anything', async () => {
    const api = await startApi();
    const operations = await listOperations(api);
    expect(operations.length).toBeGreaterThan(80);
    for (const { operationId, method, path, via } of operations) {
      const response = await api.request(`${path}?unknown=true`, { method, via, headers: setup });
      const isRejected = response.status === 422 && (await response.text()).includes('"?unknown"');
      const isExempt = [...openToParameters, ...needAnotherToken].includes(operationId);
      expect(`${operationId} ${isRejected}`).toBe(`${operationId} ${!isExempt}`);
    }
  });

  it('304: is documented only for a read that returns a body', async () => {
    const wrong = (await listOperations(await startApi())).filter(({ method, responses }) => {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const isReadOfBody = method === 'GET' && successes.some(([, { content }]) => content !== undefined);
      return '304' in responses && !isReadOfBody;
    });
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('406: rejects a media type that it does not return, and documents it', async () => {
    const api = await startApi();
    for (const { operationId, method, path, via, responses } of await listOperations(api)) {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const types = successes.flatMap(([, { content = {}, 'x-event-stream': stream }]) => [
        ...Object.keys(content),
        ...(stream ? ['text/event-stream'] : []),
      ]);
      const negotiates = types.length > 0 && !types.includes('*/*') && !needAnotherToken.includes(operationId);
      const { status } = await api.request(path, {
        method,
        via,
        headers: { ...setup, Accept: 'application/xml' },
      });
      const isDocumented = '406' in responses || needAnotherToken.includes(operationId);
      expect(`${operationId} ${status === 406} ${isDocumented}`).toBe(
        `${operationId} ${negotiates} ${types.length > 0 && !types.includes('*/*')}`,
      );
    }
  });
});
