import { findConnectionErrorCode, isServiceError } from '../../errors.ts';
import { type CloudRefusal, serviceCodes } from '../../rules/cloud-accounts/cloud-refusal.ts';

/** A refusal that ends an exchange. */
export class RefusedByCloud extends Error {
  readonly refusal: CloudRefusal;
  constructor(code: string, message: string) {
    super(message);
    this.refusal = { code, message };
  }
}

export type CloudResponse = {
  status: number;
  text: string;
  /** The code of a refusal, where an AWS API has it in a header. */
  errorType?: string;
};
export type SendToCloud = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
) => Promise<CloudResponse>;

/** Sends one request of an exchange. It follows no redirect, which could lead the token to another server. */
export const createSender =
  (fetchJudged: typeof fetch, timeoutMs: number): SendToCloud =>
  async (url, init) => {
    const { host } = new URL(url);
    try {
      const response = await fetchJudged(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      const { status } = response;
      const text = await response.text();
      if (status === 429 || status >= 500)
        throw new RefusedByCloud(serviceCodes.unavailable, `${host} is unavailable (${status}).`);
      if (status >= 300 && status < 400)
        throw new RefusedByCloud(serviceCodes.unreadable, `${host} redirects to another address (${status}).`);
      const errorType = response.headers.get('x-amzn-errortype')?.split(':')[0];
      return { status, text, ...(errorType !== undefined && { errorType }) };
    } catch (error) {
      if (error instanceof RefusedByCloud) throw error;
      throw new RefusedByCloud(serviceCodes.unreachable, `${host} cannot be reached. ${describeCause(error)}`.trim());
    }
  };

export const unreadable = (url: string, status: number): RefusedByCloud =>
  new RefusedByCloud(
    serviceCodes.unreadable,
    `${new URL(url).host} sent a response (${status}) that is not of its API.`,
  );

/** Names the rule that forbids the address, or the error of the connection. */
function describeCause(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) if (isServiceError(at)) return at.message;
  const code = findConnectionErrorCode(error);
  return code === undefined ? '' : `(${code})`;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
