import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';

/** A server of metrics or alerts. Its credentials are read again for each request, because they rotate. */
export type MetricsServer = {
  url: string;
  /** The setting that contains `url`, when it is not the variable of the operator. */
  setting?: string;
  /** A file with a bearer token. */
  tokenFile?: string;
  /** A file with `<user>:<password>`, which is used without a token. */
  basicAuthFile?: string;
  /** Sends the requests to a server that a platform admin named; absent for one of the operator. */
  fetch?: typeof fetch;
};

/** Words for errors: the name of the program with its purpose, and the variable with its address. */
type ServerWords = { server: string; urlVariable: string };
export const prometheusWords = { server: 'Prometheus, the source of metrics,', urlVariable: 'PROMETHEUS_URL' };
export const alertmanagerWords = { server: 'Alertmanager, the source of alerts,', urlVariable: 'ALERTMANAGER_URL' };

type MetricsRequest<T> = ServerWords & {
  path: string;
  parameters?: Record<string, string>;
  schema: z.ZodType<T>;
};

const ErrorBody = z.object({ error: z.string() });
const timeoutMs = 10_000;

/** Sends one GET request and returns its parsed body. */
export async function requestMetrics<T>(server: MetricsServer, request: MetricsRequest<T>): Promise<T> {
  const { path, parameters = {}, schema } = request;
  const setting = server.setting ?? request.urlVariable;
  const headers = await authorizationHeader(server, request);
  const query = new URLSearchParams(parameters).toString();
  const url = `${server.url.replace(/\/$/, '')}${path}${query && `?${query}`}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await (server.fetch ?? fetch)(url, { headers, signal }).catch((error: unknown) => {
    throw unavailable(request, `does not respond (${toErrorCode(error)}). Check ${setting}`);
  });
  const body: unknown = await response.json().catch(() => undefined);
  const parsed = schema.safeParse(body);
  if (response.ok && parsed.success) return parsed.data;
  if (response.status === 401 || response.status === 403)
    throw unavailable(
      request,
      isNamed(server)
        ? `requires credentials, and the service sends none (${response.status}). Check ${setting}`
        : `rejected the credentials (${response.status}). Check ${credentialsVariable(server)}`,
    );
  const errorBody = ErrorBody.safeParse(body);
  const cause = !errorBody.success
    ? `: the response is not one of ${request.server.split(',')[0]}`
    : isNamed(server)
      ? ''
      : `: ${errorBody.data.error.slice(0, 300)}`;
  throw unavailable(request, `failed to run the query (${response.status})${cause}. Check ${setting}`);
}

async function authorizationHeader(server: MetricsServer, words: ServerWords): Promise<Record<string, string>> {
  const file = server.tokenFile ?? server.basicAuthFile;
  if (file === undefined) return {};
  const secret = await readFile(file, 'utf8').catch(() => {
    throw unavailable(words, `cannot be queried: the file of ${credentialsVariable(server)} cannot be read`);
  });
  return {
    authorization:
      server.tokenFile === undefined
        ? `Basic ${Buffer.from(secret.trim()).toString('base64')}`
        : `Bearer ${secret.trim()}`,
  };
}

/** Whether a platform admin named the server: it gets no credentials, and its texts are not shown. */
const isNamed = ({ fetch }: MetricsServer): boolean => fetch !== undefined;

const credentialsVariable = ({ tokenFile, basicAuthFile }: MetricsServer): string =>
  tokenFile === undefined && basicAuthFile !== undefined ? 'PROMETHEUS_BASIC_AUTH_FILE' : 'PROMETHEUS_TOKEN_FILE';

const unavailable = ({ server }: ServerWords, cause: string): ServiceError =>
  new ServiceError('metrics-unavailable', `${server} ${cause}.`);

/** Returns only the code, because messages contain internal addresses. */
function toErrorCode(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return error instanceof Error ? error.name : 'unknown';
}
