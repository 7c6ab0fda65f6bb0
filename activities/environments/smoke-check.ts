import { askAddress } from '../../src/integrations/http/ask-address.ts';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';

export type CheckOutcome = {
  outcome: 'passed' | 'failed';
  why: string;
  answer: NonNullable<ReleaseZone['smokeCheck']>;
};

/** How long one answer may take. */
const answerWithinMs = 10_000;
/** As much of a failing answer as a person needs to see what it is. */
const answerBytesMax = 500;

/** Asks an address once; redirects pass, since they are what the app answers. */
export async function checkOnce(url: string, signal: AbortSignal): Promise<CheckOutcome> {
  try {
    const { status, tookMs, body } = await askAddress(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
      bodyBytesMax: answerBytesMax,
    });
    const passed = status >= 200 && status < 400;
    const answer = { url, status, tookMs: Math.round(tookMs), ...(passed ? {} : { answer: body }) };
    return { outcome: passed ? 'passed' : 'failed', why: passed ? 'it answers' : `${url} answered ${status}.`, answer };
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'failed', why: `${url} did not answer: ${(error as Error).message}.`, answer: { url } };
  }
}
