import { Agent, type Dispatcher, fetch } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { isServiceError } from '../../../src/errors.ts';
import { judgedDispatcher } from '../../../src/integrations/http/judged-dispatcher.ts';
import { parseInsideDestination } from '../../../src/rules/network/allowed-inside.ts';
import { destinationViolation } from '../../../src/rules/network/destination-violation.ts';
import { startSite } from '../../support/servers/test-sites.ts';

const resolutions = (...answers: string[][]) => {
  const asked: string[] = [];
  const resolve = async (hostname: string): Promise<string[]> => {
    asked.push(hostname);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, resolve };
};

function build(allowed: string[], resolve?: (hostname: string) => Promise<string[]>): Agent {
  const destinations = allowed.flatMap((text) => parseInsideDestination(text) ?? []);
  const dispatcher = judgedDispatcher((destination) => destinationViolation(destinations, destination), resolve);
  onTestFinished(async () => await dispatcher.destroy());
  return dispatcher;
}

/** Returns the status, or the reason why the request was refused. */
async function request(url: string, dispatcher: Dispatcher): Promise<number | string> {
  try {
    return (await fetch(url, { dispatcher, headers: { connection: 'close' } })).status;
  } catch (error) {
    const { cause } = error as Error;
    return isServiceError(cause) ? cause.reason : String(cause);
  }
}

const spellings = ['127.0.0.1', '2130706433', '0177.0.0.1', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', 'localhost'];

it.each(spellings)('refuses loopback as %s, which an ordinary dispatcher reaches', async (host) => {
  const { port, requests } = await startSite({ '/': 'INTERNAL-ONLY' });
  const open = new Agent();
  onTestFinished(async () => await open.destroy());
  expect(await request(`http://${host}:${port}/`, build([]))).toBe('destination-not-allowed');
  expect(requests).toEqual([]);
  expect(await request(`http://${host}:${port}/`, open)).toBe(200);
  expect(await request(`http://${host}:${port}/`, build(['127.0.0.0/8', '::1/128']))).toBe(200);
});

it('refuses a name that resolves to a metadata service, although an operator lists the name', async () => {
  const { resolve } = resolutions(['169.254.169.254']);
  expect(await request('http://x.nip.io/', build(['x.nip.io'], resolve))).toBe('destination-not-allowed');
});

it('judges each connection, and resolves the name only once for it', async () => {
  const { port, requests } = await startSite({ '/': 'Hello' });
  const { resolve, asked } = resolutions(['127.0.0.1'], ['127.0.0.2']);
  const dispatcher = build(['127.0.0.1/32'], resolve);
  expect(await request(`http://rebinding.example:${port}/`, dispatcher)).toBe(200);
  expect(asked).toEqual(['rebinding.example']);
  expect(await request(`http://rebinding.example:${port}/`, dispatcher)).toBe('destination-not-allowed');
  expect(requests).toEqual(['/']);
});

it('tells open and closed ports inside not apart', async () => {
  const { port } = await startSite({ '/': 'Hello' });
  const refuse = async (url: string): Promise<string> =>
    await fetch(url, { dispatcher: build([]) }).then(
      () => 'reached',
      (error: Error) => String(error.cause).replace(String(port), '4004'),
    );
  expect(await refuse(`http://127.0.0.1:${port}/`)).toBe(await refuse('http://127.0.0.1:4004/'));
});

it('passes on the error of a resolver that fails, so that the caller may retry', async () => {
  const failing = async () => {
    throw Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' });
  };
  expect(await request('https://models.example.com/', build([], failing))).toContain('EAI_AGAIN');
});
