import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DnsEndpointKind, EventKind } from '../../src/rules/domains/kinds.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

const kinds: Kind<StoredObject & { status?: unknown }>[] = [DnsEndpointKind, EventKind];

/**
 * As much of the Kubernetes API over our own store as ExternalDNS speaks: discovery, list, watch, status and events. It
 * stands in until the tests have a real API server.
 */
export async function startKubeApi(store: Store) {
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    answer(store, { request, response, signal: stopping.signal }).catch((error: Error) =>
      fail(response, 500, error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      stopping.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Call = { request: IncomingMessage; response: ServerResponse; signal: AbortSignal };

async function answer(store: Store, { request, response, signal }: Call): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const discovered = discovery(url.pathname);
  if (discovered) return send(response, 200, discovered);
  const { group, version, namespace, plural, name, sub } =
    /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>status))?$/.exec(
      url.pathname,
    )?.groups ?? {};
  const kind = kinds.find((one) => one.apiVersion === `${group}/${version}` && one.plural === plural);
  if (!kind) return fail(response, 404, `no ${url.pathname}`);
  if (request.method === 'POST' || request.method === 'PUT') {
    const object = readObject(await bytesOf(request));
    if (request.method === 'POST')
      return send(
        response,
        201,
        await store.create(kind, {
          ...object,
          metadata: { name: object.metadata.name, namespace: namespace ?? '' },
        }),
      );
    if (sub === undefined) return fail(response, 405, 'only status');
    return send(
      response,
      200,
      await store.updateStatus(kind, { namespace: namespace ?? '', name: name ?? '' }, () => object.status),
    );
  }
  // As servers do that cannot send a list as a watch.
  if (url.searchParams.get('sendInitialEvents') !== null) return fail(response, 422, 'sendInitialEvents is forbidden');
  const where = namespace === undefined ? {} : { namespace };
  if (url.searchParams.get('watch') !== 'true') {
    const { items, resourceVersion } = await store.list(kind, where);
    return send(response, 200, {
      apiVersion: kind.apiVersion,
      kind: `${kind.kind}List`,
      metadata: { resourceVersion },
      items,
    });
  }
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const watching = {
    ...where,
    resourceVersion: url.searchParams.get('resourceVersion') ?? '0',
    signal: AbortSignal.any([signal, closed.signal]),
  };
  for await (const event of store.watch(kind, watching)) response.write(`${JSON.stringify(event)}\n`);
  response.end();
}

function discovery(path: string): object | undefined {
  const groups = kinds.map(({ apiVersion }) => {
    const [name = '', version = ''] = apiVersion.split('/');
    const preferred = { groupVersion: apiVersion, version };
    return { name, versions: [preferred], preferredVersion: preferred };
  });
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  if (path === '/api/v1') return { kind: 'APIResourceList', groupVersion: 'v1', resources: [] };
  if (path === '/version') return { major: '1', minor: '35', gitVersion: 'v1.35.0' };
  const kind = kinds.find(({ apiVersion }) => path === `/apis/${apiVersion}`);
  const verbs = ['get', 'list', 'watch', 'create', 'update'];
  return (
    kind && {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: kind.apiVersion,
      resources: [
        { name: kind.plural, singularName: '', namespaced: true, kind: kind.kind, verbs },
        { name: `${kind.plural}/status`, singularName: '', namespaced: true, kind: kind.kind, verbs },
      ],
    }
  );
}

type Sent = StoredObject & { status?: unknown };
const protobufMagic = Buffer.from('k8s\0');

function readObject(bytes: Buffer): Sent {
  return bytes.subarray(0, 4).equals(protobufMagic)
    ? (readEvent(bytes.subarray(4)) as Sent)
    : (JSON.parse(bytes.toString()) as Sent);
}

/** An Event (events.k8s.io/v1) in the other encoding of the API, which clients prefer for kinds that they know. */
function readEvent(envelope: Buffer): object {
  const event = fieldsOf(fieldsOf(envelope).get(2) ?? Buffer.alloc(0));
  const of = (fields: Map<number, Buffer>, at: number): string => fields.get(at)?.toString() ?? '';
  const regarding = fieldsOf(event.get(8) ?? Buffer.alloc(0));
  return {
    metadata: { name: of(fieldsOf(event.get(1) ?? Buffer.alloc(0)), 1) },
    reason: of(event, 7),
    regarding: { kind: of(regarding, 1), namespace: of(regarding, 2), name: of(regarding, 3) },
    note: of(event, 10),
    type: of(event, 11),
  };
}

/** The fields of a protobuf message that have a length; numbers are passed over. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    if (tag % 8 !== 2) {
      varint();
      continue;
    }
    const length = varint();
    fields.set(tag >> 3, message.subarray(at, at + length));
    at += length;
  }
  return fields;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const reasons: Record<number, string> = {
  404: 'NotFound',
  405: 'MethodNotAllowed',
  422: 'Invalid',
  500: 'InternalError',
};
function fail(response: ServerResponse, code: number, message: string): void {
  if (response.headersSent) return void response.end();
  send(response, code, {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: reasons[code] ?? '',
    message,
    code,
  });
}
