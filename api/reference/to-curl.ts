import type { Entry, Media, OpenApiDocument, Operation, Parameter } from './document-types.ts';

/** Writes an operation with its examples as a curl command that runs once the variables are set. */
export function toCurl({ method, path, operation }: Entry, { servers }: OpenApiDocument): string {
  const parts = [
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    `"${servers[0]?.url}${fillPath(path, operation)}"`,
    ...credentialHeaders(operation),
    ...preconditionHeader(operation),
    ...bodyOptions(operation),
  ];
  return `curl ${parts.join(' \\\n  ')}`;
}

export function fillPath(path: string, { parameters = [] }: Operation): string {
  const own = parameters.filter((parameter): parameter is Parameter => 'name' in parameter);
  const filled = own
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = own.filter(
    (parameter) => parameter.in === 'query' && (parameter.required || parameter.name === 'confirm'),
  );
  const search = new URLSearchParams(
    Object.fromEntries(query.map(({ name, example }) => [name, String(example)])),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

function credentialHeaders({ 'x-role': role, 'x-credential': credential = 'any' }: Operation): string[] {
  if (role === 'anyone') return [];
  if (role === 'setup-token') return ['-H "X-Service-Setup-Token: $SETUP_TOKEN"'];
  return [credential === 'any' ? '-H "Authorization: Bearer $TOKEN"' : '-b "$COOKIES"'];
}

const preconditionHeader = ({ parameters = [], requestBody }: Operation): string[] =>
  requestBody && parameters.some((parameter) => '$ref' in parameter && parameter.$ref.endsWith('/IfMatch'))
    ? ['-H \'If-Match: "4711"\'']
    : [];

function bodyOptions({ requestBody }: Operation): string[] {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return [];
  if (type === 'application/json')
    return [`--json '${JSON.stringify(media.example).replaceAll("'", String.raw`'\''`)}'`];
  if (type === 'application/x-www-form-urlencoded') return formOptions(media);
  return [`-H "Content-Type: ${type}"`, '--data-binary @file'];
}

const formOptions = ({ example }: Media): string[] =>
  Object.entries((example ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `--data-urlencode '${name}=${String(value)}'`,
  );
