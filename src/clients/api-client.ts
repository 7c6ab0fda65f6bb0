/** An error response of the API with the detail of its problem document. */
export class ApiProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
  }
}

export type ApiClient = {
  get<T>(path: string): Promise<T>;
  /** Returns undefined on 404. */
  find<T>(path: string): Promise<T | undefined>;
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
  put<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<T>;
  delete(path: string): Promise<void>;
};

/** Creates a client of the API at `baseUrl` (`http://localhost:8080/api`) with the bearer token that `token` returns. */
export function createApiClient(baseUrl: string, token: () => string | undefined): ApiClient {
  const call = async <T>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<T> => {
    const bearer = token();
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new ApiProblem(response.status, toProblemText(text) ?? `${method} ${path} returned ${response.status}.`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  return {
    get: async (path) => await call('GET', path),
    async find(path) {
      try {
        return await call('GET', path);
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return undefined;
        throw error;
      }
    },
    post: async (path, body, headers) => await call('POST', path, { body, ...(headers ? { headers } : {}) }),
    put: async (path, body, headers) => await call('PUT', path, { body, ...(headers ? { headers } : {}) }),
    delete: async (path) => await call('DELETE', path),
  };
}

function toProblemText(text: string): string | undefined {
  try {
    const { detail, errors } = JSON.parse(text) as { detail?: string; errors?: { pointer: string; detail: string }[] };
    const fields = (errors ?? []).map((field) => `${field.pointer}: ${field.detail}`);
    return detail && [detail, ...fields].join(' ');
  } catch {
    return undefined;
  }
}
