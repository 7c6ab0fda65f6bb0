import { type Answer, askAddress } from '../../src/integrations/http/ask-address.ts';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { findSite } from './find-site.ts';

export type CheckOutcome = {
  outcome: 'passed' | 'failed';
  why: string;
  answer: NonNullable<ReleaseZone['smokeCheck']>;
};

type Check = {
  url: string;
  /** The addresses that the service itself gives the zone. */
  own: string[];
  signal: AbortSignal;
};

/** How long an answer, with the redirects before it, may take. */
const answerWithinMs = 10_000;
/** As much of a failing answer as a person needs to see what it is. */
const answerBytesMax = 500;
/** As many as browsers follow at most; who needs more goes in circles. */
const redirectsMax = 20;

/**
 * Asks an address once, and whatever it leads to on the same host, since that is still the app. A redirect to another
 * host passes without being followed: to lead there is the app's own answer.
 */
export async function checkOnce({ url, own, signal }: Check): Promise<CheckOutcome> {
  let answer: CheckOutcome['answer'] = { url };
  const startedAt = performance.now();
  const failed = (why: string): CheckOutcome => ({ outcome: 'failed', why, answer });
  try {
    const site = await findSite(url, own);
    if ('problem' in site) return failed(site.problem);
    const within = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
    let asked = url;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const { address } = site;
      const given = await askAddress({ url: asked, address }, { signal: within, bodyBytesMax: answerBytesMax });
      answer = { url: asked, status: given.status, tookMs: Math.round(performance.now() - startedAt) };
      const next = onSameHost(asked, given);
      if (next === undefined) return judged(given, answer);
      asked = next;
    }
    return failed(`${url} leads in circles: more than ${redirectsMax} redirects.`);
  } catch (error) {
    signal.throwIfAborted();
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return failed(
      timedOut
        ? `${answer.url} did not answer within ${answerWithinMs / 1000} s.`
        : `${answer.url} did not answer: ${(error as Error).message}.`,
    );
  }
}

function judged({ status, body }: Answer, answer: CheckOutcome['answer']): CheckOutcome {
  if (status >= 200 && status < 400) return { outcome: 'passed', why: 'it answers', answer };
  return { outcome: 'failed', why: `${answer.url} answered ${status}.`, answer: { ...answer, answer: shown(body) } };
}

function onSameHost(asked: string, { status, location }: Answer): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const next = URL.parse(location, asked);
  const { hostname, port } = new URL(asked);
  // Between http and https the port changes only from one usual one to the other.
  const isSame = next?.hostname === hostname && next.port === port && /^https?:$/.test(next.protocol);
  return isSame ? next.href : undefined;
}

/** Whatever the bytes are, a text that can be shown. */
const shown = (body: string): string => body.replaceAll(/[^\P{C}\n\t]/gu, '\ufffd');
