import type { OpenApiDocument } from '../../api/queries/reference.ts';
import { listParameters, type Entry } from './entries.ts';

/** The input of a person for an operation: its parameters by place and name, and its body. */
export type Values = { parameters: Record<string, string>; body: string };
export const toFieldName = ({ in: place, name }: { in: string; name: string }): string => `${place} ${name}`;

/** The examples of the document, without those of optional parameters, and without the names of what is deleted. */
export function toInitialValues({ method, operation }: Entry, document: OpenApiDocument): Values {
  const parameters = listParameters(operation, document)
    .filter(({ required, example }) => method !== 'delete' && required && example !== undefined)
    .map((one) => [toFieldName(one), String(one.example)]);
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isJson = type?.includes('json') ?? false;
  const body = isJson && media?.example !== undefined ? JSON.stringify(media.example, undefined, 2) : '';
  return { parameters: Object.fromEntries(parameters) as Record<string, string>, body };
}

export type BuiltRequest = { method: string; path: string; headers: Record<string, string>; body?: string };

export function buildRequest(entry: Entry, document: OpenApiDocument, { parameters, body }: Values): BuiltRequest {
  const { method, operation } = entry;
  const all = listParameters(operation, document).map((one) => ({ ...one, value: parameters[toFieldName(one)] ?? '' }));
  const inPlace = (place: string) => all.filter((one) => one.in === place && one.value !== '');
  const path = inPlace('path').reduce(
    (url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value)),
    entry.path,
  );
  const search = new URLSearchParams(
    inPlace('query').map(({ name, value }): [string, string] => [name, value]),
  ).toString();
  const type = Object.keys(operation.requestBody?.content ?? {})[0];
  return {
    method: method.toUpperCase(),
    path: `/api${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      ...Object.fromEntries(inPlace('header').map(({ name, value }) => [name, value])),
      ...(body !== '' && type !== undefined && { 'Content-Type': type }),
    },
    ...(body !== '' && type !== undefined && { body }),
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Writes a request as a command that needs nothing but a token. */
export function toCurl(
  { method, path, headers, body }: BuiltRequest,
  origin: string,
  role: string | undefined,
): string {
  const credentials =
    role === 'anyone'
      ? []
      : [role === 'setup-token' ? '-H "X-Service-Setup-Token: $SETUP_TOKEN"' : '-H "Authorization: Bearer $TOKEN"'];
  const isJson = headers['Content-Type'] === 'application/json';
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(origin + path)}`,
    ...credentials,
    ...Object.entries(headers)
      .filter(([name]) => name !== 'Content-Type' || !isJson)
      .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`${isJson ? '--json' : '--data-binary'} ${quote(body)}`]),
  ].join(' \\\n  ');
}
