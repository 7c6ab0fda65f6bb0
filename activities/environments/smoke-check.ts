import { type ProbeResponse, probeUrl } from '../../src/integrations/http/probe-url.ts';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { resolveSite, type SiteScope } from './resolve-site.ts';

type SmokeCheckResponse = NonNullable<ReleaseZone['smokeCheck']>;
export type SmokeCheckOutcome = { outcome: 'passed' | 'failed'; message: string; response: SmokeCheckResponse };

type CheckInput = SiteScope & { url: string; signal: AbortSignal };

/** Limits a response including its redirects. */
const responseTimeoutMs = 10_000;
/** A person recognizes an error page by this much of its text. */
const responseBytesMax = 500;
/** Browsers follow as many redirects; more are a loop. */
const redirectsMax = 20;

/**
 * Requests a URL once and follows redirects on the same host. A redirect to another host passes without being followed,
 * because it is the app's own response.
 */
export async function checkUrl({ url, signal, ...scope }: CheckInput): Promise<SmokeCheckOutcome> {
  let response: SmokeCheckResponse = { url };
  const startedAt = performance.now();
  const fail = (message: string): SmokeCheckOutcome => ({ outcome: 'failed', message, response });
  try {
    const site = await resolveSite(url, scope);
    if ('problem' in site) return fail(site.problem);
    const { address } = site;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(responseTimeoutMs)]);
    let next = url;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const current = next;
      const probe = await probeUrl({ url: current, address }, { signal: timeout, bodyBytesMax: responseBytesMax });
      response = { url: current, status: probe.status, durationMs: Math.round(performance.now() - startedAt) };
      const redirect = findSameHostRedirect(current, probe);
      if (redirect === undefined) return toOutcome(probe, response);
      next = redirect;
    }
    return fail(`${url} redirects in a loop: more than ${redirectsMax} redirects.`);
  } catch (error) {
    signal.throwIfAborted();
    const isTimeout = error instanceof Error && error.name === 'TimeoutError';
    return fail(
      isTimeout
        ? `${response.url} did not respond within ${responseTimeoutMs / 1000} s.`
        : `${response.url} did not respond: ${(error as Error).message}.`,
    );
  }
}

export function toOutcome(
  { status, body }: Pick<ProbeResponse, 'status' | 'body'>,
  response: SmokeCheckResponse,
): SmokeCheckOutcome {
  if (status >= 200 && status < 400) return { outcome: 'passed', message: 'the app responds', response };
  const message = `${response.url} responded with status ${status}.`;
  return { outcome: 'failed', message, response: { ...response, response: toPrintableText(body) } };
}

function findSameHostRedirect(url: string, { status, location }: ProbeResponse): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const target = URL.parse(location, url);
  const { hostname, port } = new URL(url);
  // The port is empty for the default port of a scheme, so a redirect from http to https keeps it.
  const isSameHost = target?.hostname === hostname && target.port === port && /^https?:$/.test(target.protocol);
  return isSameHost ? target.href : undefined;
}

/** Replaces unprintable characters, because the body can be binary. */
const toPrintableText = (body: string): string => body.replaceAll(/[^\P{C}\n\t]/gu, '\ufffd');
